package wasm

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	"github.com/tetratelabs/wazero/sys"
)

// Main is the hidden mode: args are those behind it. It returns the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parse(args)
	if err == nil {
		var code int
		if code, err = run(context.Background(), o, stdin, stdout, stderr, mounts()); err == nil {
			return code
		}
	}
	fmt.Fprintln(stderr, "gate:", err)
	if _, trapped := errors.AsType[*trap](err); trapped {
		return ExitTrap
	}
	return ExitUnusable
}

// trap is the end of a module that broke a rule of the machine.
type trap struct{ err error }

func (t *trap) Error() string { return "the module was ended: " + t.err.Error() }
func (t *trap) Unwrap() error { return t.err }

// folders are what a module sees of files: paths of its own to folders.
type folder struct{ guest, dir string }

// mounts are the folders of a container. The workspace is also where a module
// without a notion of folders looks.
func mounts() []folder {
	return []folder{{"/", "/workspace"}, {"/workspace", "/workspace"}, {"/input", "/input"}, {"/output", "/output"}, {"/tmp", "/tmp"}}
}

// maxCalled bounds how many functions of a library are called.
const maxCalled = 32

// run interprets a module and returns the code with which it exits.
func run(ctx context.Context, o Options, stdin io.Reader, stdout, stderr io.Writer, folders []folder) (code int, err error) {
	binary, err := readModule(o.Module)
	if err != nil {
		return 0, err
	}
	if err := checkCounts(binary); err != nil {
		return 0, fmt.Errorf("it is no module that can be run: %w", err)
	}
	config := wazero.NewRuntimeConfigInterpreter().WithMemoryLimitPages(uint32(min(o.Memory/pageBytes, 1<<16))).WithCloseOnContextDone(true)
	r := wazero.NewRuntimeWithConfig(ctx, config)
	defer func() { err = errors.Join(err, r.Close(ctx)) }()
	defer func() { // the interpreter's own mistakes are the module's end, too
		if v := recover(); v != nil {
			err = &trap{fmt.Errorf("the interpreter broke: %v", v)}
		}
	}()
	module, err := r.CompileModule(ctx, binary)
	if err != nil {
		return 0, fmt.Errorf("it is no module that can be run: %w", err)
	}
	if err := provide(ctx, r, module); err != nil {
		return 0, err
	}
	files := wazero.NewFSConfig()
	for _, f := range folders {
		files = files.(sysfs.FSConfig).WithSysFSMount(confine(f.dir), f.guest)
	}
	mc := wazero.NewModuleConfig().WithName("").WithArgs(append([]string{o.Module}, o.Args...)...).
		WithStdin(stdin).WithStdout(stdout).WithStderr(stderr).WithFSConfig(files).
		WithRandSource(rand.Reader).WithSysNanotime().WithSysNanosleep().WithStartFunctions()
	for _, e := range environment() {
		mc = mc.WithEnv(e[0], e[1])
	}
	mc = clock(mc, o.Clock)
	m, err := r.InstantiateModule(ctx, module, mc)
	if err != nil {
		return ended(err)
	}
	return call(ctx, m, stderr)
}

// call starts a program, or everything of a library that wants no arguments. What such a
// function returns is told on standard error, since nothing else of it can be seen.
func call(ctx context.Context, m api.Module, stderr io.Writer) (int, error) {
	if f := m.ExportedFunction("_start"); f != nil {
		_, err := f.Call(ctx)
		return ended(err)
	}
	names := []string{"_initialize"}
	var rest []string
	for name, def := range m.ExportedFunctionDefinitions() {
		if len(def.ParamTypes()) == 0 && name != "_initialize" {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	for _, name := range append(names, rest[:min(len(rest), maxCalled)]...) {
		f := m.ExportedFunction(name)
		if f == nil || len(f.Definition().ParamTypes()) > 0 {
			continue
		}
		values, err := f.Call(ctx)
		if err != nil {
			return ended(err)
		}
		if len(values) > 0 {
			fmt.Fprintf(stderr, "gate: %.100q returned %s\n", name, returned(f.Definition().ResultTypes(), values))
		}
	}
	return 0, nil
}

// maxReturned bounds how many values of one function are told.
const maxReturned = 8

// returned are the values of a function as people write them.
func returned(types []api.ValueType, values []uint64) string {
	var out []string
	for i, v := range values[:min(len(values), len(types), maxReturned)] {
		switch types[i] {
		case api.ValueTypeI32:
			out = append(out, strconv.FormatInt(int64(api.DecodeI32(v)), 10))
		case api.ValueTypeI64:
			out = append(out, strconv.FormatInt(int64(v), 10))
		case api.ValueTypeF32:
			out = append(out, strconv.FormatFloat(float64(api.DecodeF32(v)), 'g', -1, 32))
		case api.ValueTypeF64:
			out = append(out, strconv.FormatFloat(api.DecodeF64(v), 'g', -1, 64))
		default:
			out = append(out, "a "+api.ValueTypeName(types[i]))
		}
	}
	if more := len(values) - maxReturned; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}

// ended tells an exit from a trap.
func ended(err error) (int, error) {
	var exit *sys.ExitError
	switch {
	case err == nil:
		return 0, nil
	case errors.As(err, &exit):
		return int(exit.ExitCode() & 0xff), nil
	}
	return 0, &trap{err}
}

func readModule(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the module: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxModule+1))
	if err != nil {
		return nil, fmt.Errorf("read the module: %w", err)
	}
	if len(data) > MaxModule {
		return nil, fmt.Errorf("read the module: it is larger than %d MiB", MaxModule>>20)
	}
	return data, nil
}

// clock shows a time that starts at a given one, or the real one.
func clock(mc wazero.ModuleConfig, start int64) wazero.ModuleConfig {
	if start == 0 {
		return mc.WithSysWalltime()
	}
	began := time.Now()
	return mc.WithWalltime(func() (int64, int32) {
		now := time.Unix(start, 0).Add(time.Since(began))
		return now.Unix(), int32(now.Nanosecond())
	}, sys.ClockResolution(time.Microsecond))
}

// environment is that of this process, with the folder that a module is in. A module
// has one thread, and a Go program that is told to use more ends at once.
func environment() [][2]string {
	var out [][2]string
	for _, e := range os.Environ() {
		for i := 1; i < len(e); i++ {
			if e[i] == '=' {
				if e[:i] != "PWD" && e[:i] != "GOMAXPROCS" {
					out = append(out, [2]string{e[:i], e[i+1:]})
				}
				break
			}
		}
	}
	return append(out, [2]string{"PWD", "/workspace"})
}
