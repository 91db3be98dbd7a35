package images

import (
	"strings"
	"testing"
	"time"
)

func TestMissingAndOldImagesAreNamedAsPublished(t *testing.T) {
	names := map[string]map[string]string{} // by architecture and language
	for _, tt := range []struct {
		name   string
		engine fakeEngine
		want   string
	}{
		{"there is none", fakeEngine{arch: "x86_64"}, "python node go shell"},
		{"there is none on arm64", fakeEngine{arch: "aarch64"}, "python node go shell"},
		{"one is current", fakeEngine{arch: "x86_64", labels: current(t, time.Hour)}, "node go shell"},
		{"one is more than a month old", fakeEngine{arch: "x86_64", labels: current(t, 31*24*time.Hour)}, "python node go shell"},
		{"one is of another architecture", fakeEngine{arch: "aarch64", labels: current(t, time.Hour)}, "python node go shell"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all, err := Outdated(t.Context(), tt.engine.client(t), "")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, w := range all {
				got = append(got, w.Language)
				tag, ok := strings.CutPrefix(w.Published, "gate-sandbox-"+w.Language+":")
				if !ok || len(tag) != 64 || w.Ref != Ref(w.Language) || len(w.Inputs) != 64 || w.Inputs == tag {
					t.Errorf("%+v", w)
				}
				if names[w.Language] == nil {
					names[w.Language] = map[string]string{}
				}
				names[w.Language][w.Published] = w.Inputs
				if _, digest, err := inputs(w.Language, DefaultBase, map[string]string{"x86_64": "amd64", "aarch64": "arm64"}[tt.engine.arch]); err != nil || digest != w.Inputs {
					t.Errorf("%s: Build wants %s (%v), Outdated %s", w.Language, digest, err, w.Inputs)
				}
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %q, want %s", got, tt.want)
			}
		})
	}
	for language, published := range names {
		if len(published) != 1 {
			t.Errorf("%s is published under %d names, and all architectures share one", language, len(published))
		}
	}
	ours, err := Published("shell", "")
	other, err2 := Published("shell", "debian:trixie-slim")
	if err != nil || err2 != nil || ours == other {
		t.Errorf("%s from one base, %s from another: %v, %v", ours, other, err, err2)
	}
	if _, err := Published("deps-node", ""); err == nil {
		t.Error("what installs dependencies is not published, and has a name")
	}
	if _, err := Outdated(t.Context(), (&fakeEngine{arch: "riscv64"}).client(t), ""); err == nil {
		t.Error("there are images for riscv64")
	}
}
