package static

import (
	"bytes"
	"path"
	"strings"
)

// pythonBytecode is what package reading calls a compiled module of Python.
const pythonBytecode = "Python bytecode"

// emptyModule is a module of WebAssembly without any section: there is nothing in it.
const emptyModule = "\x00asm\x01\x00\x00\x00"

// compiled names the format of a compiled program for a machine that is no
// processor, or of a version of Python that package reading doesn't know; empty for
// anything else.
func compiled(name string, first []byte) string {
	for _, f := range [...]struct{ magic, format string }{
		{"dex\n", "Dalvik bytecode"},
		{"\x1bLua", "Lua bytecode"},
		{"\x1bLJ", "LuaJIT bytecode"},
		{"YARB", "Ruby bytecode"},
		{"BC\xc0\xde", "LLVM bitcode"},
		{"\xde\xc0\x17\x0b", "LLVM bitcode"},
		{"FasdUAS", "compiled AppleScript"},
		{";ELC", "Emacs Lisp bytecode"},
	} {
		if bytes.HasPrefix(first, []byte(f.magic)) && bytes.IndexByte(first, 0) >= 0 {
			return f.format
		}
	}
	switch {
	case strings.EqualFold(path.Base(name), "vbaProject.bin") && bytes.HasPrefix(first, []byte("\xd0\xcf\x11\xe0")):
		return "macros of an office document"
	case bytes.HasPrefix(first, []byte("\xd0\xcf\x11\xe0")) && isOldOffice(name):
		return "an office document whose macros can't be read"
	case bytes.HasPrefix(first, []byte("FOR1")) && len(first) > 12 && string(first[8:12]) == "BEAM":
		return "Erlang bytecode"
	case len(first) > 8 && first[2] == '\r' && first[3] == '\n' && bytes.IndexByte(first, 0) >= 0 &&
		(strings.EqualFold(path.Ext(name), ".pyc") || strings.EqualFold(path.Ext(name), ".pyo")):
		return pythonBytecode
	}
	return ""
}

// isLinked reports whether linkers and loaders take a file of that name as machine code,
// whatever format it has: the Go command links each .syso beside the sources.
func isLinked(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".syso", ".o", ".obj", ".so", ".dll", ".dylib", ".pyd", ".node", ".exe", ".ko", ".efi":
		return true
	}
	return false
}

// isOldOffice reports whether programs open a file of that name as a document of the binary formats of
// Office, or install it: macros are among its records, and macros of Excel 4.0 among its cells.
func isOldOffice(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".doc", ".dot", ".xls", ".xlt", ".xla", ".xlm", ".xlw", ".ppt", ".pot", ".pps", ".ppa", ".pub", ".mdb", ".msg", ".msi", ".msp", ".wiz":
		return true
	}
	return false
}
