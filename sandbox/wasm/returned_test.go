package wasm

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero/api"
)

// mainModule exports main, which returns the i32 42.
const mainModule = header +
	"\x01\x05\x01\x60\x00\x01\x7f" + // types: () -> i32
	"\x03\x02\x01\x00" + // one function
	"\x07\x08\x01\x04main\x00\x00" + // exported as main
	"\x0a\x06\x01\x04\x00\x41\x2a\x0b" // i32.const 42

func TestReturnValueOfMainIsReported(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.wasm")
	if err := os.WriteFile(path, []byte(mainModule), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	args := Command("gate", Options{Module: path, Memory: 1 << 20, Clock: time.Now().Unix()})[2:]
	if code := Main(args, strings.NewReader(""), &stdout, &stderr); code != 0 || stdout.Len() != 0 || stderr.String() != "gate: \"main\" returned 42\n" {
		t.Errorf("exit code %d, %q, %q", code, stdout.String(), stderr.String())
	}
}

func TestValuesAreWrittenAsPeopleWriteThem(t *testing.T) {
	types := []api.ValueType{api.ValueTypeI32, api.ValueTypeI64, api.ValueTypeF32, api.ValueTypeF64, api.ValueTypeExternref}
	values := []uint64{api.EncodeI32(-1), api.EncodeI64(-2), api.EncodeF32(0.5), api.EncodeF64(1e9), 7}
	if got := returned(types, values); got != "-1, -2, 0.5, 1e+09, a externref" {
		t.Errorf("%q", got)
	}
	if got := returned(make([]api.ValueType, 10), make([]uint64, 10)); !strings.HasSuffix(got, ", and 2 more") {
		t.Errorf("%q", got)
	}
	if got := returned(nil, []uint64{1}); got != "" {
		t.Errorf("%q", got)
	}
}
