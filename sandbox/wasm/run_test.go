package wasm

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// guest is a Go program compiled for wasip1, once for all tests.
var guest = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "gate-wasm-test")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "guest.wasm")
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, "./testdata/guest")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("compile the guest: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := guest(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// interpret runs the guest in two folders and returns its code and output.
func interpret(t *testing.T, ctx context.Context, o Options, work string) (code int, out, complaint string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if o.Module == "" {
		if o.Module, err = guest(); err != nil {
			t.Fatal(err)
		}
	}
	if o.Memory == 0 {
		o.Memory = 64 << 20
	}
	code, err = run(ctx, o, strings.NewReader(""), &stdout, &stderr, []folder{{"/", work}, {"/workspace", work}, {"/tmp", t.TempDir()}})
	return code, stdout.String(), stderr.String(), err
}

func TestAModuleIsAProgramWithArgumentsEnvironmentAndACode(t *testing.T) {
	t.Setenv("MINE", "yes")
	t.Setenv("GOMAXPROCS", "3") // more than a module has
	code, out, complaint, err := interpret(t, t.Context(), Options{Args: []string{"hello", "a b", "$(id)"}}, t.TempDir())
	if err != nil || code != 7 || out != "hello a b|$(id) yes\n" || complaint != "to standard error\n" {
		t.Errorf("got %d %q %q %v", code, out, complaint, err)
	}
}

func TestAModuleHasTwoFoldersAndNoWayOut(t *testing.T) {
	work := t.TempDir()
	if err := os.WriteFile(filepath.Join(work, "in.txt"), []byte("given"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, out, _, err := interpret(t, t.Context(), Options{Args: []string{"files"}}, work)
	if want := "read \"given\" <nil>\nwrite: <nil>\nback \"made\" <nil>\n"; err != nil || out != want {
		t.Errorf("got %q %v, want %q", out, err, want)
	}
	for name, to := range map[string]string{"link": "/etc/passwd", "linkdir": "/etc"} {
		if err := os.Symlink(to, filepath.Join(work, name)); err != nil {
			t.Fatal(err)
		}
	}
	_, out, _, err = interpret(t, t.Context(), Options{Args: []string{"escape"}}, work)
	if err != nil || strings.Contains(out, "ESCAPED") || strings.Contains(out, "<nil>") || strings.Count(out, "\n") != 3 {
		t.Errorf("got %q %v", out, err)
	}
	if _, err := os.Lstat(filepath.Join(work, "mine")); err == nil {
		t.Error("it made a link")
	}
}

func TestAModuleHasNoNetworkAndStartsNothing(t *testing.T) {
	_, out, _, err := interpret(t, t.Context(), Options{Args: []string{"network"}}, t.TempDir())
	if err != nil || strings.Contains(out, "<nil>") || !strings.Contains(out, "dial: ") || !strings.Contains(out, "exec: ") {
		t.Errorf("got %q %v", out, err)
	}
}

func TestAModuleEndsWhenItsTimeDoes(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	_, _, _, err := interpret(t, ctx, Options{Args: []string{"loop"}}, t.TempDir())
	if ctx.Err() == nil {
		t.Errorf("an endless loop ended early: %v", err)
	}
}

func TestAModuleHasItsMemoryAndNoMore(t *testing.T) {
	code, _, complaint, err := interpret(t, t.Context(), Options{Args: []string{"memory"}, Memory: 32 << 20}, t.TempDir())
	if err == nil && code == 0 || !strings.Contains(complaint, "out of memory") {
		t.Errorf("got %d %.300q %v", code, complaint, err)
	}
}

func TestTheClockOfAModuleShifts(t *testing.T) {
	_, out, _, err := interpret(t, t.Context(), Options{Args: []string{"year"}, Clock: 1907755200}, t.TempDir())
	if err != nil || out != "year 2030\n" {
		t.Errorf("got %q %v", out, err)
	}
}

// section is one part of a module in the binary format.
func section(id byte, body string) string { return string([]byte{id, byte(len(body))}) + body }

const header = "\x00asm\x01\x00\x00\x00"

// importer is a module that imports a function without parameters and results from
// a host, and calls it at its start.
func importer(module, name string) string {
	imp := "\x01" + string(rune(len(module))) + module + string(rune(len(name))) + name + "\x00\x00"
	return header + section(1, "\x01\x60\x00\x00") + section(2, imp) + section(3, "\x01\x00") +
		section(7, "\x01\x06_start\x00\x01") + section(10, "\x01\x04\x00\x10\x00\x0b")
}

// modules are small ones by hand, and what Main makes of them.
var modules = map[string]struct {
	binary string
	code   int
	says   string
}{
	"nothing":              {"", ExitUnusable, "no module"},
	"text":                 {"#!/bin/sh\n", ExitUnusable, "no module"},
	"a header":             {header, 0, ""},
	"half of a section":    {header + "\x01\x7f\x01", ExitUnusable, "no module"},
	"a component":          {"\x00asm\x0d\x00\x01\x00", ExitUnusable, "no module"},
	"a trap":               {header + section(1, "\x01\x60\x00\x00") + section(3, "\x01\x00") + section(7, "\x01\x06_start\x00\x00") + section(10, "\x01\x03\x00\x00\x0b"), ExitTrap, "unreachable"},
	"a library":            {header + section(1, "\x01\x60\x00\x00") + section(3, "\x01\x00") + section(7, "\x01\x03run\x00\x00") + section(10, "\x01\x03\x00\x00\x0b"), ExitTrap, "unreachable"},
	"a host of its own":    {importer("env", "evil"), 0, ""},
	"WASI with more":       {importer("wasi_snapshot_preview1", "sock_open"), 0, ""},
	"memory of its host":   {header + section(2, "\x01\x03env\x03mem\x02\x00\x01"), ExitUnusable, "needs the memory"},
	"more memory than any": {header + section(5, "\x01\x00\xff\xff\xff\xff\x0f"), ExitUnusable, "no module"},
	"endless recursion":    {header + section(1, "\x01\x60\x00\x00") + section(3, "\x01\x00") + section(7, "\x01\x06_start\x00\x00") + section(10, "\x01\x04\x00\x10\x00\x0b"), ExitTrap, "stack overflow"},
}

func TestModulesAlwaysEndWithAnExitCode(t *testing.T) {
	for name, tt := range modules {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "m.wasm")
			if err := os.WriteFile(path, []byte(tt.binary), 0o644); err != nil {
				t.Fatal(err)
			}
			var out, complaint bytes.Buffer
			code := Main(Command("gate", Options{Memory: 1 << 20, Module: path})[2:], strings.NewReader(""), &out, &complaint)
			if code != tt.code || !strings.Contains(complaint.String(), tt.says) || tt.says == "" && complaint.Len() > 0 {
				t.Errorf("got %d %q, want %d %q", code, complaint.String(), tt.code, tt.says)
			}
		})
	}
}

func TestAHugeFileIsNotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.wasm")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, MaxModule+1); err != nil {
		t.Fatal(err)
	}
	if _, err := readModule(path); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Errorf("got %v", err)
	}
}

func TestForeignNamesComeBackAsTheyWere(t *testing.T) {
	f := Foreign{"wasi_snapshot_preview1", "sock_open"}
	if got, ok := ReadForeign(f.path()); !ok || got != f {
		t.Errorf("got %+v %v", got, ok)
	}
	for _, path := range []string{"/etc/passwd", foreignPrefix, foreignPrefix + "zz", foreignPrefix + "6161", "/x" + f.path()} {
		if got, ok := ReadForeign(path); ok {
			t.Errorf("%q is taken for %+v", path, got)
		}
	}
}

func FuzzModules(f *testing.F) {
	for _, m := range modules {
		f.Add([]byte(m.binary))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, binary []byte) {
		path := filepath.Join(t.TempDir(), "m.wasm")
		if err := os.WriteFile(path, binary, 0o644); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var out bytes.Buffer
		_, _ = run(ctx, Options{Module: path, Memory: 1 << 20}, strings.NewReader(""), &out, &out, []folder{{"/", dir}})
	})
}

func TestMalformedArgumentsAreRefused(t *testing.T) {
	for _, args := range [][]string{nil, {"1"}, {"x", "0", "m"}, {"-5", "0", "m"}, {"1048576", "-1", "m"}, {"1048576", "x", "m"}} {
		var out bytes.Buffer
		if code := Main(args, strings.NewReader(""), &out, &out); code != ExitUnusable {
			t.Errorf("%q: %d", args, code)
		}
	}
}
