package doctor

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"
)

func TestMachineMemoryForAModelIsReported(t *testing.T) {
	linux := fstest.MapFS{"proc/meminfo": {Data: []byte("MemTotal:       131072000 kB\nMemFree:  1 kB\nMemAvailable:   65536000 kB\n")}}
	amd := fstest.MapFS{
		"sys/class/drm/card0/device/mem_info_vram_total": {Data: []byte("17163091968\n")}, "sys/class/drm/card0/device/mem_info_vram_used": {Data: []byte("1073741824\n")},
		"sys/class/drm/card0-DP-1/device/mem_info_vram_total": {Data: []byte("17163091968\n")}, "sys/class/drm/card1/device/mem_info_vram_total": {Data: []byte("none\n")},
	}
	for name, tt := range map[string]struct {
		root fstest.MapFS
		says string
		err  error
		want string
	}{
		"two cards":          {linux, "NVIDIA L4, 550.54.15, 23034, 9216\nNVIDIA H100 80GB HBM3, 550.54.15, 81559, 0\n", nil, "ok NVIDIA L4, driver 550.54.15, 9216 of 23034 MB in use|ok NVIDIA H100 80GB HBM3, driver 550.54.15, 0 of 81559 MB in use|ok 64000 of 128000 MB available"},
		"a driver that died": {linux, "", errors.New("exit status 9"), "note nvidia-smi fails: exit status 9|ok 64000 of 128000 MB available"},
		"another answer":     {fstest.MapFS{}, "Failed to initialize NVML\n", nil, "note nvidia-smi says something unknown"},
		"a card of AMD":      {amd, "", &exec.Error{Name: "nvidia-smi", Err: exec.ErrNotFound}, "ok AMD card0, 1024 of 16368 MB in use"},
		"none":               {linux, "", &exec.Error{Name: "nvidia-smi", Err: exec.ErrNotFound}, "absent none is seen here; a model server of this machine computes on the CPU, which is slow|ok 64000 of 128000 MB available"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, d := range checkGraphics(t.Context(), tt.root, func(context.Context) ([]byte, error) { return []byte(tt.says), tt.err }) {
				got = append(got, string(d.State)+" "+d.Detail)
			}
			if all := strings.Join(got, "|"); all != tt.want && (!strings.Contains(tt.want, "unknown") || !strings.HasPrefix(all, tt.want)) {
				t.Errorf("%s\nwant %s", all, tt.want)
			}
		})
	}
}
