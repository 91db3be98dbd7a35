package debian

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestAptIsUsedOnSystemsLikeDebian(t *testing.T) {
	tests := map[string]struct {
		release string
		want    bool
	}{
		"Debian has apt":                     {"PRETTY_NAME=\"Debian GNU/Linux 12\"\nID=debian\n", true},
		"Ubuntu has apt":                     {"ID=ubuntu\nID_LIKE=debian\n", true},
		"a derivative says what it is like":  {"ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", true},
		"Fedora does not":                    {"ID=fedora\n", false},
		"a name that only contains debian":   {"ID=notdebian\n", false},
		"an empty file names no system":      {"", false},
		"a key that ends in ID is not ID":    {"VARIANT_ID=debian\n", false},
		"quotes of either kind are stripped": {"ID='debian'\n", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := parseRelease(tc.release).HasApt(); got != tc.want {
				t.Errorf("HasApt = %v, want %v", got, tc.want)
			}
		})
	}
}

func TestInstallWithoutRootNamesTheCommand(t *testing.T) {
	s := System{Root: false, Distro: "debian"}
	err := s.Install(t.Context(), io.Discard, "no-such-package-of-gate")
	if !errors.Is(err, ErrCannot) {
		t.Fatalf("Install = %v, want ErrCannot", err)
	}
	if want := Command("no-such-package-of-gate"); !strings.Contains(err.Error(), want) {
		t.Errorf("the error does not carry the command %q: %v", want, err)
	}
}

func TestInstallDoesNothingOnAnotherSystem(t *testing.T) {
	s := System{Root: true, Distro: "fedora"}
	if err := s.Install(t.Context(), io.Discard, "no-such-package-of-gate"); !errors.Is(err, ErrCannot) {
		t.Fatalf("Install = %v, want ErrCannot", err)
	}
	if err := s.Update(t.Context(), io.Discard); !errors.Is(err, ErrCannot) {
		t.Fatalf("Update = %v, want ErrCannot", err)
	}
}

func TestTailKeepsTheLastLines(t *testing.T) {
	if got := tail("a\nb\nc\n", 2); got != "b\nc\n" {
		t.Errorf("tail = %q", got)
	}
	if got := tail("a\n", 5); got != "a\n" {
		t.Errorf("tail = %q", got)
	}
}
