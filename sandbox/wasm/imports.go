package wasm

import (
	"context"
	"fmt"
	"os"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// oldWASI is the name that WASI had before it was preview 1; its functions are
// nearly the same.
const oldWASI = "wasi_unstable"

// provide makes everything that a module imports: WASI as it is, and every other
// function as one that answers zeros and is told about. Memories, tables and other
// values of a host cannot be made up.
func provide(ctx context.Context, r wazero.Runtime, module wazero.CompiledModule) error {
	if m := module.ImportedMemories(); len(m) > 0 {
		at, name, _ := m[0].Import()
		return fmt.Errorf("it needs the memory %q of its host %q", name, at)
	}
	builders := map[string]wazero.HostModuleBuilder{}
	known := map[Foreign]bool{}
	for _, name := range []string{wasi_snapshot_preview1.ModuleName, oldWASI} {
		b := r.NewHostModuleBuilder(name)
		wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(b)
		host, err := b.Compile(ctx)
		if err != nil {
			return fmt.Errorf("provide WASI: %w", err)
		}
		for f := range host.ExportedFunctions() {
			known[Foreign{name, f}] = true
		}
		builders[name] = b
	}
	told := 0
	for _, f := range module.ImportedFunctions() {
		at, name, _ := f.Import()
		foreign := Foreign{at, name}
		if known[foreign] {
			continue
		}
		known[foreign] = true
		if told++; told <= maxForeign {
			tell(foreign)
		}
		if builders[at] == nil {
			builders[at] = r.NewHostModuleBuilder(at)
		}
		results := len(f.ResultTypes())
		zeros := api.GoFunc(func(_ context.Context, stack []uint64) { clear(stack[:results]) })
		builders[at].NewFunctionBuilder().WithGoFunction(zeros, f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	for name, b := range builders {
		if _, err := b.Instantiate(ctx); err != nil {
			return fmt.Errorf("provide what it imports of %q: %w", name, err)
		}
	}
	return nil
}

// tell names a foreign function to the recorder.
func tell(f Foreign) {
	if opened, err := os.Open(f.path()); err == nil {
		_ = opened.Close()
	}
}
