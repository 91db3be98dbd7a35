package doctor

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// A driver that hangs keeps the doctor waiting for a bounded time, also where a child of the
// program keeps its output open.
func TestAProgramThatHangsOrNeverEndsItsOutputIsAnError(t *testing.T) {
	for name, tt := range map[string]struct {
		wait         time.Duration
		script, want string
	}{
		"one that answers":            {time.Minute, "echo NVIDIA L4", ""},
		"one that hangs":              {100 * time.Millisecond, "sleep 5", "no answer within 100ms"},
		"one whose child hangs":       {100 * time.Millisecond, "sleep 5 & sleep 5", "no answer within 100ms"},
		"one that writes without end": {time.Minute, "cat /dev/zero", "more than 65536 bytes"},
		"one that fails":              {time.Minute, "exit 9", "exit status 9"},
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			out, err := output(t.Context(), tt.wait, "sh", "-c", tt.script)
			if took := time.Since(begin); took > 4*time.Second || len(out) > maxSaid || (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("after %s: %d bytes, %v; want %q", took, len(out), err, tt.want)
			}
			if err == nil && string(out) != "NVIDIA L4\n" {
				t.Errorf("%q", out)
			}
		})
	}
	if _, err := output(t.Context(), time.Minute, "no-such-program-here"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("a program that is not there: %v", err)
	}
}

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
