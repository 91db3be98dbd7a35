package debian

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// lockWait is how long apt-get waits for another package manager, in seconds.
// Ubuntu's unattended upgrades of a machine that has just booted take minutes.
const lockWait = "600"

// System is what the decisions of this package depend on, so that they can be
// tested without root and without apt-get.
type System struct {
	Root   bool   // may install packages
	Distro string // ID of os-release: "debian", "ubuntu", …; "" when unknown
	Like   string // ID_LIKE of os-release
}

// Detect looks at the machine that it runs on.
func Detect() System {
	text, err := os.ReadFile("/etc/os-release")
	if err != nil { // not Linux, or a very bare one: nothing to install with
		return System{Root: os.Geteuid() == 0}
	}
	s := parseRelease(string(text))
	s.Root = os.Geteuid() == 0
	return s
}

// parseRelease reads the two fields of os-release(5) that matter here.
func parseRelease(text string) System {
	var s System
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.Trim(value, `"'`)
		switch key {
		case "ID":
			s.Distro = value
		case "ID_LIKE":
			s.Like = value
		}
	}
	return s
}

// HasApt reports whether the system is Debian, Ubuntu or made from them.
func (s System) HasApt() bool {
	for _, id := range append(strings.Fields(s.Like), s.Distro) {
		if id == "debian" || id == "ubuntu" {
			return true
		}
	}
	return false
}

// Command is what a person types to install packages.
func Command(packages ...string) string {
	return "sudo apt-get update && sudo apt-get install -y " + strings.Join(packages, " ")
}

// ErrCannot is wrapped by the errors of [System.Check]: the machine is not one
// on which this package installs anything.
var ErrCannot = errors.New("cannot install packages here")

// Check returns nil when packages can be installed, and otherwise an error that
// says why not and what to type instead.
func (s System) Check(packages ...string) error {
	switch {
	case !s.HasApt():
		return fmt.Errorf("install %s: %w: this is neither Debian nor Ubuntu; install them with the system's package manager",
			strings.Join(packages, ", "), ErrCannot)
	case !s.Root:
		return fmt.Errorf("install %s: %w without root; run: %s",
			strings.Join(packages, ", "), ErrCannot, Command(packages...))
	}
	return nil
}

// Missing returns those packages that are not installed.
func Missing(ctx context.Context, packages ...string) []string {
	var missing []string
	for _, p := range packages {
		out, err := exec.CommandContext(ctx, "dpkg-query", "-W", "-f=${db:Status-Status}", p).Output()
		if err != nil || string(out) != "installed" {
			missing = append(missing, p)
		}
	}
	return missing
}

// Available reports whether apt knows an installable version of a package.
// Before the first `apt-get update` of a machine it may know nothing.
func Available(ctx context.Context, pkg string) bool {
	out, err := exec.CommandContext(ctx, "apt-cache", "policy", pkg).Output()
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(out)) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "Candidate:"); ok {
			return strings.TrimSpace(v) != "(none)"
		}
	}
	return false
}

// Update refreshes apt's package lists.
func (s System) Update(ctx context.Context, progress io.Writer) error {
	if err := s.Check("package lists"); err != nil {
		return err
	}
	return apt(ctx, progress, "update", "-q")
}

// Install installs those of the packages that are missing, with their hard
// dependencies only. It writes what it does, and what apt-get says when that
// goes wrong, to progress.
func (s System) Install(ctx context.Context, progress io.Writer, packages ...string) error {
	missing := Missing(ctx, packages...)
	if len(missing) == 0 {
		return nil
	}
	if err := s.Check(missing...); err != nil {
		return err
	}
	fmt.Fprintf(progress, "installing %s with apt-get\n", strings.Join(missing, ", "))
	install := append([]string{"install", "-y", "-q", "--no-install-recommends"}, missing...)
	if err := apt(ctx, progress, install...); err == nil {
		return nil
	}
	// Lists that were never fetched, or that name versions which the mirror has
	// replaced since.
	if err := s.Update(ctx, progress); err != nil {
		return err
	}
	if err := apt(ctx, progress, install...); err != nil {
		return fmt.Errorf("%w; what failed can be seen with: %s", err, Command(missing...))
	}
	return nil
}

// apt runs apt-get without any question and shows its output only when it
// fails: thousands of lines of it bury what matters.
func apt(ctx context.Context, progress io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, "apt-get", append([]string{"-o", "DPkg::Lock::Timeout=" + lockWait}, args...)...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "NEEDRESTART_SUSPEND=1", "LC_ALL=C.UTF-8")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		fmt.Fprintf(progress, "apt-get %s:\n%s", strings.Join(args, " "), tail(out.String(), 25))
		return fmt.Errorf("apt-get %s: %w", args[0], err)
	}
	return nil
}

// tail returns the last n lines of text.
func tail(text string, n int) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[max(0, len(lines)-n-1):], "")
}
