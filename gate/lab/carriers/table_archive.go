package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"
)

// archiveCarriers are archives with a file that runs from where it is, or once it is
// unpacked.
func archiveCarriers() []carrier {
	raw := func(c code) []byte { return []byte(c.text()) }
	install := func(c code) []byte {
		return []byte(`{"name": "tools", "version": "1.0.0", "scripts": {"postinstall": ` + jsonString(c.line()) + "}}\n")
	}
	out := []carrier{
		{name: "zip-sh", path: "tools.zip", family: command, binary: func(c code) []byte { return zipped("run.sh", raw(c)) }},
		{name: "zip-stored", path: "tools.zip", family: python, binary: func(c code) []byte { return zippedAs(zip.Store, "run.py", raw(c)) }},
		{name: "zip-json", path: "tools.zip", family: command, binary: func(c code) []byte { return zipped("package.json", install(c)) }},
		{name: "whl", path: "tools-1.0-py3-none-any.whl", family: python, binary: func(c code) []byte { return zipped("tools/__init__.py", raw(c)) }},
		{name: "egg", path: "tools-1.0-py3.egg", family: python, binary: func(c code) []byte { return zipped("tools/__init__.py", raw(c)) }},
		{name: "whl-pth", path: "tools-1.0-py3-none-any.whl", family: python, binary: func(c code) []byte { return zipped("tools.pth", []byte(c.line()+"\n")) }},
		{name: "pyz", path: "tool.pyz", family: python, mode: 0o755, binary: func(c code) []byte {
			return append([]byte("#!/usr/bin/env python3\n"), zipped("__main__.py", raw(c))...)
		}},
		{name: "zip-shebang", path: "bin/tool", family: python, mode: 0o755, binary: func(c code) []byte {
			return append([]byte("#!/usr/bin/env python3\n"), zipped("__main__.py", raw(c))...)
		}},
		{name: "zip-py", path: "run.py", family: python, binary: func(c code) []byte { return zipped("__main__.py", raw(c)) }},
		{name: "zip-picture", path: "doc/logo.png", family: python, binary: func(c code) []byte { return zipped("__main__.py", raw(c)) }},
		{name: "jar", path: "tools.jar", family: command, binary: func(c code) []byte { return zipped("hooks/run.sh", raw(c)) }},
		{name: "vsix", path: "tools.vsix", family: javascript, binary: func(c code) []byte { return zipped("extension/main.js", raw(c)) }},
		{name: "nupkg", path: "tools.nupkg", family: command, binary: func(c code) []byte { return zipped("tools/install.sh", raw(c)) }},
		{name: "tar", path: "tools.tar", family: command, binary: func(c code) []byte { return tarred("run.sh", raw(c)) }},
		{name: "tgz", path: "tools.tgz", family: command, binary: func(c code) []byte { return gzipped("", tarred("package/package.json", install(c))) }},
		{name: "tar-gz", path: "tools-1.0.tar.gz", family: python, binary: func(c code) []byte { return gzipped("", tarred("tools-1.0/setup.py", raw(c))) }},
		{name: "crate", path: "tools-1.0.crate", family: command, binary: func(c code) []byte { return gzipped("", tarred("tools-1.0/run.sh", raw(c))) }},
		{name: "gz", path: "run.sh.gz", family: command, binary: func(c code) []byte { return gzipped("run.sh", raw(c)) }},
		{name: "gz-no-ext", path: "tools.gz", family: python, binary: func(c code) []byte { return gzipped("run.py", raw(c)) }},
		{name: "zip-zip", path: "tools.zip", family: command, binary: func(c code) []byte { return zipped("inner.zip", zipped("run.sh", raw(c))) }},
		{name: "tgz-zip", path: "tools.tgz", family: python, binary: func(c code) []byte {
			return gzipped("", tarred("inner.whl", zipped("tools/__init__.py", raw(c))))
		}},
		{name: "zip-no-ext", path: "tools", family: command, binary: func(c code) []byte { return zipped("run.sh", raw(c)) }},
		{name: "zip-behind", path: "tools.bin", family: command, binary: func(c code) []byte {
			return append(bytes.Repeat([]byte("\x00\x01data"), 500), zipped("run.sh", raw(c))...)
		}},
		{name: "zip-encrypted", path: "tools.zip", family: command, unreadable: "the members are encrypted", odd: "an archive that needs a password", binary: func(c code) []byte {
			return encryptedFlag(zippedAs(zip.Store, "run.sh", scrambled(raw(c))))
		}},
		{name: "tar-xz", path: "tools.tar.xz", family: command, unreadable: "gate does not read this compression", odd: "an archive that gate does not open", binary: func(c code) []byte {
			return append([]byte("\xfd7zXZ\x00\x00\x04"), scrambled(bytes.Repeat([]byte(c.text()), 20))...)
		}},
		{name: "7z", path: "tools.7z", family: command, unreadable: "gate does not read this compression", odd: "an archive that gate does not open", binary: func(c code) []byte {
			return append([]byte("7z\xbc\xaf\x27\x1c\x00\x04"), scrambled(bytes.Repeat([]byte(c.text()), 20))...)
		}},
	}
	for i := range out {
		out[i].runs, out[i].syntax = "once it is unpacked, imported or started", noSyntax()
	}
	return out
}

// made is when the members of archives were made: output has to be the same every time.
func made() time.Time { return time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC) }

func zipped(name string, data []byte) []byte { return zippedAs(zip.Deflate, name, data) }

func zippedAs(method uint16, name string, data []byte) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	m, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: made()})
	if err == nil {
		_, err = m.Write(data)
	}
	if err != nil || w.Close() != nil {
		return nil // a buffer takes everything
	}
	return b.Bytes()
}

func tarred(name string, data []byte) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(data)), ModTime: made()})
	if err == nil {
		_, err = w.Write(data)
	}
	if err != nil || w.Close() != nil {
		return nil // a buffer takes everything
	}
	return b.Bytes()
}

func gzipped(name string, data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Name = name
	if _, err := w.Write(data); err != nil || w.Close() != nil {
		return nil // a buffer takes everything
	}
	return b.Bytes()
}

// scrambled hides text as encryption and compression do.
func scrambled(data []byte) []byte {
	out, x := make([]byte, len(data)), uint32(2463534242)
	for i, c := range data {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		out[i] = c ^ byte(x)
	}
	return out
}

// encryptedFlag marks the only member of an archive as encrypted, in both headers
// (APPNOTE 4.4.4).
func encryptedFlag(data []byte) []byte {
	for signature, offset := range map[string]int{"PK\x03\x04": 6, "PK\x01\x02": 8} {
		if i := bytes.Index(data, []byte(signature)); i >= 0 {
			data[i+offset] |= 1
		}
	}
	return data
}

// binaryCarriers are data that runs when it is loaded.
func binaryCarriers() []carrier {
	out := []carrier{
		{name: "pickle", path: "model.pkl", family: command, runs: "pickle.load", binary: func(c code) []byte { return pickled(c.line()) }},
		{name: "pickle-ext", path: "state.pickle", family: command, runs: "pickle.load", binary: func(c code) []byte { return pickledBinary(c.line()) }},
		{name: "pickle-joblib", path: "model.joblib", family: command, runs: "joblib.load", binary: func(c code) []byte { return pickledBinary(c.line()) }},
		{name: "pickle-dat", path: "cache.dat", family: command, runs: "pickle.load", binary: func(c code) []byte { return pickledBinary(c.line()) }},
		{name: "pickle-torch", path: "model.pt", family: command, runs: "torch.load", binary: func(c code) []byte {
			return zippedAs(zip.Store, "model/data.pkl", pickledBinary(c.line()))
		}},
		{name: "pyc", path: "__pycache__/tool.cpython-311.pyc", family: command, place: fixed, runs: "import tool", binary: func(c code) []byte { return compiled(c.line()) }},
		{name: "pyc-free", path: "tool.pyc", family: command, runs: "import tool", binary: func(c code) []byte { return compiled(c.line()) }},
		{name: "elf", path: "bin/tool", mode: 0o755, family: command, runs: "./bin/tool", unreadable: "a native program is not taken apart", odd: "a native program", binary: func(c code) []byte {
			head := append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 9)...)
			head = binary.LittleEndian.AppendUint16(head, 2)
			head = binary.LittleEndian.AppendUint16(head, 62)
			return append(append(head, make([]byte, 100)...), scrambled([]byte(strings.Repeat(c.line(), 20)))...)
		}},
		{name: "so", path: "lib/tool.so", family: command, runs: "dlopen", unreadable: "a native program is not taken apart", odd: "a native program", binary: func(c code) []byte {
			return append(append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 100)...), scrambled([]byte(strings.Repeat(c.line(), 20)))...)
		}},
		{name: "exe", path: "tool.exe", family: command, runs: "tool.exe", unreadable: "a native program is not taken apart", odd: "a native program", binary: func(c code) []byte {
			head := append([]byte("MZ\x90\x00\x03"), make([]byte, 55)...)
			head = binary.LittleEndian.AppendUint32(head, 64) // where the PE header is
			head = append(append(head, "PE\x00\x00\x64\x86"...), make([]byte, 200)...)
			return append(head, scrambled([]byte(strings.Repeat(c.line(), 20)))...)
		}},
	}
	for i := range out {
		out[i].syntax = noSyntax()
	}
	return out
}

// pickled calls os.system in the first protocol, which is text.
func pickled(line string) []byte { return fmt.Appendf(nil, "cos\nsystem\n(S'%s'\ntR.", line) }

// pickledBinary calls os.system in the fourth protocol.
func pickledBinary(line string) []byte {
	b := []byte("\x80\x04\x8c\x05posix\x8c\x06system\x93X")
	b = binary.LittleEndian.AppendUint32(b, uint32(len(line)))
	return append(append(b, line...), "\x85R."...)
}

// compiledTemplate is `import os; os.system("@@@@")`, compiled by Python 3.11.
const compiledTemplate = "pw0NCgAAAAAAAAAAAAAAAOMAAAAAAAAAAAAAAAADAAAAAAAAAPMuAAAAlwBkAGQBbABaAAIAZQBqAQAAAAAAAAAAZAKmAQAAqwEAAAAAAAAAAAEAZAFTACkD6QAAAABOegRAQEBAKQLaAm9z2gZzeXN0ZW2pAPMAAAAA+gd0b29sLnB5+gg8bW9kdWxlPnIIAAAAAQAAAHMlAAAA8AMBAQHYAAmACYAJgAmIOYgyjDmQVtELHNQLHNALHNALHNALHHIGAAAA"

// compiled is a compiled Python module that starts a command.
func compiled(line string) []byte {
	data, err := base64.StdEncoding.DecodeString(compiledTemplate)
	if err != nil {
		return nil // ours
	}
	// A short ASCII string is a byte for its kind, one for its length, and itself.
	before, behind, _ := bytes.Cut(data, []byte("\x04@@@@"))
	return slices.Concat(before, []byte{byte(len(line))}, []byte(line), behind)
}
