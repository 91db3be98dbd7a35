package mcp

import (
	"context"
	"encoding/base64"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/glob"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/workspace"
)

// files are the tools for the workspace of a session.
type files struct{ *Server }

// The bounds of what one call tells of a workspace.
const (
	maxListed  = 1000 // entries of a folder
	maxMatches = 200
	maxPattern = 1000
	// maxBase64 bounds a file that a client sends as base64: 8 MiB and a third.
	maxBase64 = workspace.MaxFile/3*4 + 4
)

func (s files) register(server *sdk.Server) {
	session, name := text(0, 64), text(0, workspace.MaxPath)
	const only = ` Files of the user's machine cannot be reached.`
	add(s.Server, server, described{
		name: "read_file", title: "Read a file of the workspace", reads: true,
		text: `Read a file of the session's workspace, as text or as base64.` + only,
		bounds: map[string]func(*jsonschema.Schema){
			"path": name, "offset": number(0, workspace.MaxFile), "limit": number(1, maxShown), "encoding": oneOf("text", "base64"), "session": session,
		},
	}, s.read)
	add(s.Server, server, described{
		name: "write_file", title: "Write a file of the workspace",
		text: `Write a file of the session's workspace, in place of what is there, or delete it. Give one of text, base64 and delete. The result says what the static layer thinks of the file; a dangerous file is kept, and programs do not run beside it.` + only,
		bounds: map[string]func(*jsonschema.Schema){
			"path": name, "text": text(0, workspace.MaxFile), "base64": text(0, maxBase64), "session": session,
		},
	}, s.write)
	add(s.Server, server, described{
		name: "list_directory", title: "List a folder of the workspace", reads: true,
		text:   `List the files and folders in a folder of the session's workspace.` + only,
		bounds: map[string]func(*jsonschema.Schema){"path": name, "session": session},
	}, s.list)
	add(s.Server, server, described{
		name: "search_files", title: "Search the workspace", reads: true,
		text: `Find lines in the text files of the session's workspace that contain a text, or match a regular expression (RE2).` + only,
		bounds: map[string]func(*jsonschema.Schema){
			"pattern": text(1, maxPattern), "files": text(0, maxPattern), "session": session,
		},
	}, s.search)
}

type readFile struct {
	Path     string `json:"path" jsonschema:"the file, such as src/main.py"`
	Offset   int    `json:"offset,omitempty" jsonschema:"the first byte, from 0"`
	Limit    int    `json:"limit,omitempty" jsonschema:"how many bytes; the default is the most"`
	Encoding string `json:"encoding,omitempty" jsonschema:"text (the default) shows what cannot be seen as escapes; base64 is exact"`
	Session  string `json:"session,omitempty" jsonschema:"identifier of the session to go on with, or \"new\"; the default is the session of this connection"`
}

// Read is a part of a file.
type Read struct {
	Session
	Notice string `json:"data_notice"`
	Path   string `json:"path"`
	Size   int64  `json:"size" jsonschema:"bytes of the whole file"`
	Offset int    `json:"offset"`
	Next   int    `json:"next_offset" jsonschema:"where to go on reading; 0 at the end of the file"`
	Text   string `json:"text,omitempty" jsonschema:"data; characters that cannot be seen are escapes"`
	Base64 string `json:"base64,omitempty"`
	Exact  bool   `json:"exact" jsonschema:"whether text is the content without escapes"`
}

func (s files) read(ctx context.Context, c call, in readFile) (out Read, text string, err error) {
	if _, ok := inInput(in.Path); !ok {
		if err := workspace.CheckPath(in.Path); err != nil {
			return out, "", err
		}
	}
	w, err := s.session(ctx, c, in.Session)
	if err != nil {
		return out, "", err
	}
	defer w.Close()
	data, warning, err := s.given.file(w, in.Path)
	if err != nil {
		return out, "", inSession(w, err)
	}
	if in.Offset > len(data) {
		return out, "", inSession(w, fmt.Errorf("%q has %d bytes, and offset is %d", in.Path, len(data), in.Offset))
	}
	most := maxShown
	if in.Limit > 0 {
		most = in.Limit
	}
	rest := data[in.Offset:]
	part, cut := head(rest, most)
	switch {
	case in.Encoding == "base64":
		part = rest[:min(most, len(rest))]
	case cut && len(part) == 0: // the limit is below one character
		part = rest[:min(utf8.UTFMax, len(rest))]
	}
	cut = len(part) < len(rest)
	out = Read{Session: about(w), Notice: dataNotice, Path: in.Path, Size: int64(len(data)), Offset: in.Offset, Exact: true}
	if cut {
		out.Next = in.Offset + len(part)
	}
	what := fmt.Sprintf("%q, %d bytes", in.Path, len(data))
	if in.Offset > 0 || cut {
		what += fmt.Sprintf(", bytes %d to %d", in.Offset, in.Offset+len(part))
	}
	if in.Encoding == "base64" {
		out.Base64 = base64.StdEncoding.EncodeToString(part)
		return out, mark(what+", as base64", out.Base64), nil
	}
	if out.Text, out.Exact = visible(part); !out.Exact {
		what += ", with escapes for what cannot be seen"
	}
	return out, warning + mark(what, out.Text), nil
}

// missing says that a file is not there.
func missing(t *workspace.Tree, p string) error {
	for _, other := range t.Paths() {
		if strings.HasPrefix(other, p+"/") {
			return fmt.Errorf("%q is a folder; list_directory shows what is in it", p)
		}
	}
	return fmt.Errorf("there is no file %q in the workspace; list_directory shows those that there are", p)
}

type writeFile struct {
	Path    string  `json:"path" jsonschema:"the file, such as src/main.py; folders need not be made"`
	Text    *string `json:"text,omitempty" jsonschema:"the content as text"`
	Base64  *string `json:"base64,omitempty" jsonschema:"the content as base64"`
	Delete  bool    `json:"delete,omitempty" jsonschema:"delete the file"`
	Session string  `json:"session,omitempty" jsonschema:"identifier of the session to go on with, or \"new\"; the default is the session of this connection"`
}

// Written is a file that was written.
type Written struct {
	Session
	Notice  string  `json:"data_notice"`
	Path    string  `json:"path"`
	Size    int64   `json:"size"`
	Deleted bool    `json:"deleted"`
	Scan    Scanned `json:"scan" jsonschema:"what the static layer thinks of the file"`
}

// writable says why a client cannot write to a path.
func writable(p string) error {
	if err := workspace.CheckPath(p); err != nil {
		return err
	}
	if reserved(p) {
		return fmt.Errorf("%q is the name that gate gives to a program that is not kept; take another", p)
	}
	return nil
}

func (s files) write(ctx context.Context, c call, in writeFile) (out Written, text string, err error) {
	if err := writable(in.Path); err != nil {
		return out, "", err
	}
	given := 0
	for _, is := range []bool{in.Text != nil, in.Base64 != nil, in.Delete} {
		if is {
			given++
		}
	}
	if given != 1 {
		return out, "", fmt.Errorf("%d of text, base64 and delete are given; expected is one", given)
	}
	var data []byte
	switch {
	case in.Text != nil:
		data = []byte(*in.Text)
	case in.Base64 != nil:
		if data, err = base64.StdEncoding.DecodeString(*in.Base64); err != nil {
			return out, "", fmt.Errorf("base64 is not valid: %w", err)
		}
	}
	w, err := s.session(ctx, c, in.Session)
	if err != nil {
		return out, "", err
	}
	defer w.Close()
	if in.Delete {
		if !w.Tree.Delete(in.Path) {
			return out, "", inSession(w, missing(w.Tree, in.Path))
		}
	} else if err := w.Tree.Put(in.Path, data); err != nil {
		return out, "", inSession(w, err)
	}
	if err := w.Save(); err != nil {
		return out, "", inSession(w, err)
	}
	out = Written{Session: about(w), Notice: dataNotice, Path: in.Path, Size: int64(len(data)), Deleted: in.Delete, Scan: s.scanned(gate.Result{Verdict: gate.Safe, Decision: gate.DecisionPass})}
	if in.Delete {
		return out, fmt.Sprintf("Deleted %q. Session %s: %d file(s).", in.Path, w.ID, w.Tree.Len()), nil
	}
	res, err := look(ctx, s.reading, s.settings.Policy, mapFS(w.Tree), func(p string) bool { return p == in.Path }, gate.Discard{})
	if err != nil {
		return out, "", inSession(w, fmt.Errorf("the file was written, and could not be looked at: %w", err))
	}
	out.Scan = s.scanned(res)
	text = fmt.Sprintf("Wrote %q, %d bytes. Session %s: %d file(s).", in.Path, len(data), w.ID, w.Tree.Len())
	if out.Scan.Decision != gate.DecisionPass.String() || out.Scan.Verdict != gate.Safe.String() {
		text += "\n" + out.Scan.text()
	}
	if out.Scan.Decision != gate.DecisionPass.String() {
		text += "No program runs in this session until the file is changed or deleted.\n"
	}
	return out, text, nil
}

type listDirectory struct {
	Path    string `json:"path,omitempty" jsonschema:"the folder, such as src; the default is the workspace itself"`
	Session string `json:"session,omitempty" jsonschema:"identifier of the session to go on with, or \"new\"; the default is the session of this connection"`
}

// Listing is what is in a folder.
type Listing struct {
	Session
	Notice  string      `json:"data_notice"`
	Entries []ListEntry `json:"entries"`
}

// ListEntry is a file or a folder.
type ListEntry struct {
	Name   string `json:"name"`
	Folder bool   `json:"folder"`
	Size   int64  `json:"size" jsonschema:"bytes of the file, or of all files in the folder"`
}

func (s files) list(ctx context.Context, c call, in listDirectory) (out Listing, text string, err error) {
	in.Path = strings.TrimSuffix(in.Path, "/")
	if in.Path == "." {
		in.Path = ""
	}
	name, isGiven := inInput(in.Path)
	if in.Path != "" && !isGiven {
		if err := workspace.CheckPath(in.Path); err != nil {
			return out, "", err
		}
	}
	w, err := s.session(ctx, c, in.Session)
	if err != nil {
		return out, "", err
	}
	defer w.Close()
	tree := w.Tree
	if isGiven {
		tree, in.Path = s.given.tree, name
	}
	out = Listing{Session: about(w), Notice: dataNotice, Entries: entries(tree, in.Path)}
	if len(out.Entries) == 0 && in.Path != "" {
		if _, ok := tree.Get(in.Path); ok {
			return out, "", inSession(w, fmt.Errorf("%q is a file; read_file shows what is in it", in.Path))
		}
		return out, "", inSession(w, fmt.Errorf("there is no folder %q in the workspace", in.Path))
	}
	var b strings.Builder
	for _, e := range out.Entries {
		name := e.Name
		if e.Folder {
			name += "/"
		}
		fmt.Fprintf(&b, "%10d  %s\n", e.Size, name)
	}
	return out, fmt.Sprintf("%s\nSession %s: %d file(s), %d bytes.", mark(fmt.Sprintf("%d entries, with bytes", len(out.Entries)), b.String()), w.ID, w.Tree.Len(), w.Tree.Bytes()), nil
}

// entries are what is directly in a folder.
func entries(t *workspace.Tree, dir string) []ListEntry {
	out := []ListEntry{}
	prefix := ""
	if dir != "" {
		prefix = dir + "/"
	}
	for _, p := range t.Paths() {
		rest, ok := strings.CutPrefix(p, prefix)
		if !ok {
			continue
		}
		data, _ := t.Get(p)
		name, _, folder := strings.Cut(rest, "/")
		if n := len(out); n > 0 && out[n-1].Folder && out[n-1].Name == name {
			out[n-1].Size += int64(len(data))
			continue
		}
		if len(out) < maxListed {
			out = append(out, ListEntry{name, folder, int64(len(data))})
		}
	}
	return out
}

type searchFiles struct {
	Pattern string `json:"pattern" jsonschema:"the text, or the expression"`
	Regexp  bool   `json:"regexp,omitempty" jsonschema:"pattern is a regular expression (RE2)"`
	Files   string `json:"files,omitempty" jsonschema:"only files whose path matches this glob, such as **/*.py"`
	Session string `json:"session,omitempty" jsonschema:"identifier of the session to go on with, or \"new\"; the default is the session of this connection"`
}

// Matches are lines that were found.
type Matches struct {
	Session
	Notice  string  `json:"data_notice"`
	Matches []Match `json:"matches"`
	More    bool    `json:"more" jsonschema:"whether there are others that are not listed"`
	Binary  int     `json:"binary_files" jsonschema:"how many files are no text and were not searched"`
}

// Match is one line.
type Match struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text" jsonschema:"data"`
}

func (s files) search(ctx context.Context, c call, in searchFiles) (out Matches, text string, err error) {
	expression := in.Pattern
	if !in.Regexp {
		expression = regexp.QuoteMeta(expression)
	}
	re, err := regexp.Compile(expression)
	if err != nil {
		return out, "", fmt.Errorf("pattern is no regular expression (RE2): %w", err)
	}
	if in.Files != "" {
		if err := glob.Check(in.Files); err != nil {
			return out, "", fmt.Errorf("files: %w; expected is a glob such as src/**/*.py", err)
		}
	}
	w, err := s.session(ctx, c, in.Session)
	if err != nil {
		return out, "", err
	}
	defer w.Close()
	out = Matches{Session: about(w), Notice: dataNotice, Matches: []Match{}}
	for _, of := range []struct {
		prefix string
		tree   *workspace.Tree
	}{{"", w.Tree}, {engine.InputFolder + "/", s.given.tree}} {
		for _, p := range of.tree.Paths() {
			if ctx.Err() != nil {
				return out, "", context.Cause(ctx)
			}
			data, _ := of.tree.Get(p)
			if p = of.prefix + p; in.Files != "" && !glob.Match(in.Files, strings.TrimPrefix(p, "/")) && !glob.Match(in.Files, path.Base(p)) {
				continue
			}
			if strings.ContainsRune(string(data[:min(len(data), 8<<10)]), 0) {
				out.Binary++
				continue
			}
			out.search(p, string(data), re)
		}
	}
	var b strings.Builder
	for _, m := range out.Matches {
		fmt.Fprintf(&b, "%s:%d: %s\n", m.Path, m.Line, m.Text)
	}
	text = mark(fmt.Sprintf("%d line(s) found", len(out.Matches)), b.String())
	if out.More {
		text += "\nThere are more; search for less."
	}
	return out, fmt.Sprintf("%s\nSession %s.", text, w.ID), nil
}

func (out *Matches) search(p, content string, re *regexp.Regexp) {
	n := 0
	for l := range strings.Lines(content) {
		n++
		if !re.MatchString(strings.TrimRight(l, "\r\n")) {
			continue
		}
		if len(out.Matches) == maxMatches {
			out.More = true
			return
		}
		out.Matches = append(out.Matches, Match{p, n, line(strings.TrimRight(l, "\r\n"), maxSentence)})
	}
}
