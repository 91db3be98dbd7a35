package pickle

import (
	"bytes"
	"strings"
)

// maxBegins bounds how many places of one file are tried as the beginning of a pickle.
const maxBegins = 20000

// Inside reads a pickle that begins somewhere in a file, behind a header of another
// format or among the records of a database. It returns nil where there is none that
// loading would make dangerous: anything else may be chance.
func Inside(data []byte) *Report {
	tried := 0
	for at := 0; at+2 < len(data) && tried < maxBegins; {
		i := bytes.IndexByte(data[at:], 0x80)
		if i < 0 {
			break
		}
		at += i + 1
		if at+1 >= len(data) || data[at] < 2 || data[at] > 5 || strings.IndexByte(firstOps, data[at+1]) < 0 {
			continue
		}
		tried++
		if r := from(data, at-1); r != nil {
			return r
		}
	}
	return textInside(data)
}

// firstOps are the opcodes that follow the version of a pickle.
const firstOps = "\x95c}](X\x8cKNq)\x94UTGJMI\x88\x89\x8b\x8fBC"

// textInside reads a pickle of protocol 0 or 1, which has no mark of its own: the
// names of what it calls have lines of their own.
func textInside(data []byte) *Report {
	tried := 0
	for _, name := range []string{"system", "popen", "exec", "eval", "execfile", "Popen", "call", "run", "check_output", "check_call", "getoutput", "import_module", "__import__", "getattr", "spawn", "compile"} {
		mark := []byte("\n" + name + "\n")
		for at := 0; tried < maxBegins; {
			i := bytes.Index(data[at:], mark)
			if i < 0 {
				break
			}
			at += i + 1
			tried++
			begin := at - 1
			for begin > 0 && isModule(data[begin-1]) {
				begin--
			}
			for ; begin < at-1; begin++ { // letters of a header may precede it
				if data[begin] != 'c' && data[begin] != 'i' {
					continue
				}
				if r := from(data, begin); r != nil {
					return r
				}
			}
			if r := instance(data, at); r != nil {
				return r
			}
		}
	}
	return nil
}

// maxArguments is how far in front of the name of an instance its arguments begin, in
// bytes.
const maxArguments = 256

// instance reads a pickle that makes an instance: its arguments are in front of what
// is called, behind a mark.
func instance(data []byte, name int) *Report {
	for at := name; at > max(0, name-maxArguments); at-- {
		if data[at-1] != '(' {
			continue
		}
		if r := from(data, at-1); r != nil {
			return r
		}
	}
	return nil
}

// isModule reports whether a byte is part of the name of a module.
func isModule(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.'
}

// from reads the pickle that begins at a byte, nil where that is not dangerous.
func from(data []byte, at int) *Report {
	m := newMachine(data[at:], int64(len(data)-at))
	err := m.run()
	if m.called == 0 || m.report.Worst() != Dangerous {
		return nil
	}
	return merge(nil, m.report, err)
}
