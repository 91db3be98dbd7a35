package main

import (
	"slices"
	"strings"
	"testing"
)

// The three files of a machine without any cgroup mount.
const (
	noMounts    = "proc /proc proc rw 0 0\ntmpfs /tmp tmpfs rw 0 0\n"
	allUnused   = "#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpuset\t0\t1\t1\ncpu\t0\t1\t1\ncpuacct\t0\t1\t1\nblkio\t0\t1\t1\nmemory\t0\t1\t1\ndevices\t0\t1\t1\nfreezer\t0\t1\t1\npids\t0\t1\t1\n"
	version2    = "nodev\tcgroup\nnodev\tcgroup2\n"
	version1    = "nodev\tcgroup\n"
	rootMounted = "tmpfs /sys/fs/cgroup tmpfs rw,mode=755 0 0\n"
)

func TestWhichCgroupMountsAreMissing(t *testing.T) {
	v1 := func(controllers ...string) string {
		text := noMounts + rootMounted
		for _, c := range controllers {
			text += "cgroup /sys/fs/cgroup/" + c + " cgroup rw,relatime," + c + " 0 0\n"
		}
		return text
	}
	tests := map[string]struct {
		mounts, cgroups, filesystems string
		want                         []string // options of the mounts, or kinds where they have none
		err                          string
	}{
		"nothing is mounted on a modern kernel: version 2": {
			noMounts, allUnused, version2, []string{"cgroup2"}, ""},
		"nothing is mounted on an old kernel: each controller of version 1": {
			noMounts, allUnused, version1, append([]string{"mode=755"}, neededControllers...), ""},
		"version 2 is mounted": {
			noMounts + "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n", allUnused, version2, nil, ""},
		"version 1 is mounted": {
			v1(neededControllers...), allUnused, version2, nil, ""},
		"one controller got lost": {
			v1("memory", "cpu", "cpuacct", "cpuset", "devices", "freezer", "blkio"), allUnused, version2, []string{"pids"}, ""},
		"two controllers share one mount": {
			v1("memory", "pids", "cpu,cpuacct", "cpuset", "devices", "freezer", "blkio"), allUnused, version2, nil, ""},
		"the empty root of version 1 is filled": {
			noMounts + rootMounted, allUnused, version2, neededControllers, ""},
		"controllers that the kernel holds together are mounted together": {
			v1("memory", "pids", "cpuset", "devices", "freezer", "blkio"),
			strings.NewReplacer("cpu\t0", "cpu\t3", "cpuacct\t0", "cpuacct\t3").Replace(allUnused), version2, []string{"cpu,cpuacct"}, ""},
		"version 1 in use elsewhere is not crossed with version 2": {
			noMounts, strings.Replace(allUnused, "memory\t0", "memory\t4", 1), version2, append([]string{"mode=755"}, neededControllers...), ""},
		"a read-only mount cannot be fixed": {
			noMounts + "cgroup /sys/fs/cgroup cgroup2 ro,nosuid 0 0\n", allUnused, version2, nil, "read-only"},
		"a kernel without a memory controller cannot be fixed": {
			noMounts + rootMounted, strings.Replace(allUnused, "memory\t0\t1\t1", "memory\t0\t1\t0", 1), version1, nil, "cgroup_enable=memory"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			missing, err := cgroupMounts(tc.mounts, tc.cgroups, tc.filesystems)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("error %v, want one with %q", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range missing {
				if m.options == "" {
					got = append(got, m.kind)
					continue
				}
				got = append(got, m.options)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("mounts %q, want %q", got, tc.want)
			}
		})
	}
}
