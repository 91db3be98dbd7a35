package supervisor

import "testing"

func TestFilesOfTheKernelThatSayNothingAboutTheInput(t *testing.T) {
	for name, want := range map[string]bool{
		"/sys/kernel/mm/hugepages":                                 true, // names of sizes
		"/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages": false,
		"/sys/kernel/mm/transparent_hugepage/hpage_pmd_size":       true,
		"/sys/devices/system/cpu/online":                           true,
		"/sys/devices/system/node/node0/meminfo":                   false,
		"/sys/fs/cgroup/memory.max":                                true,
		"/sys/fs/cgroup/memory.stat":                               false,
		"/proc/self/maps":                                          true,
		"/proc/sys/net/core/somaxconn":                             true, // which Go reads before it listens
		"/proc/self/mountinfo/../../vmstat":                        false,
		"/sys/devices/system/cpufreq":                              false,
	} {
		if got := aboutProcessors(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
