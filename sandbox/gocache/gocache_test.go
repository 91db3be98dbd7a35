package gocache

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// said is the conversation in which the go command asks for these things.
func said(requests ...any) io.Reader {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for _, r := range requests {
		_ = e.Encode(r) // writing to memory cannot fail
	}
	return &b
}

// answers are what a cache says to a conversation, after its first word.
func answers(t *testing.T, c cache, requests ...any) []response {
	t.Helper()
	var out bytes.Buffer
	if err := serve(c, said(requests...), &out); err != nil {
		t.Fatal(err)
	}
	var all []response
	for d := json.NewDecoder(&out); d.More(); {
		var r response
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	if len(all) == 0 || strings.Join(all[0].KnownCommands, " ") != "get put close" {
		t.Fatalf("the first word is %+v", all)
	}
	return all[1:]
}

// id is an identifier of the go command's.
func id(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// put is a request, with the body that follows.
func put(action, body string) []any {
	q := []any{request{ID: 1, Command: "put", ActionID: id(action), OutputID: id(body), BodySize: int64(len(body))}}
	if body == "" {
		return q
	}
	return append(q, []byte(body))
}

func get(action string) request { return request{ID: 2, Command: "get", ActionID: id(action)} }

// imaged is a cache whose image has what "compile" came to, and cannot be written.
func imaged(t *testing.T) cache {
	t.Helper()
	image := t.TempDir()
	if r := answers(t, cache{image: t.TempDir(), own: image}, put("compile", "object code")...); len(r) != 1 || r[0].Err != "" {
		t.Fatalf("%+v", r)
	}
	return cache{image: image, own: t.TempDir()}
}

func TestGoCacheDoesNotRebuildWhatTheImageHas(t *testing.T) {
	c := imaged(t)
	before := listing(t, c.image)
	r := answers(t, c, get("compile"), get("link"))
	if r[0].Miss || r[0].ID != 2 || !strings.HasPrefix(r[0].DiskPath, c.image) || !bytes.Equal(r[0].OutputID, id("object code")) || r[0].Size != 11 || r[0].Time == nil {
		t.Errorf("%+v", r[0])
	}
	if !r[1].Miss {
		t.Errorf("%+v", r[1])
	}
	r = answers(t, c, append(append(put("link", "a program"), put("nothing", "")...), get("link"), get("nothing"))...)
	for i, one := range r {
		if one.Miss || one.Err != "" || !strings.HasPrefix(one.DiskPath, c.own) {
			t.Errorf("%d: %+v", i, one)
		}
	}
	if got := listing(t, c.image); got != before {
		t.Errorf("the image has changed:\n%s", got)
	}
}

// listing are the files below a folder, with their times.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		fmt.Fprintln(&b, p, info.Size(), info.ModTime())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestADamagedEntryIsNotThere(t *testing.T) {
	for name, damage := range map[string]func(a, d string) error{
		"no data":            func(_, d string) error { return os.Remove(d) },
		"shorter data":       func(_, d string) error { return os.WriteFile(d, []byte("object"), 0o600) },
		"other data":         func(_, d string) error { return os.WriteFile(d, []byte("object cod!"), 0o600) },
		"longer data":        func(_, d string) error { return os.WriteFile(d, []byte("object code."), 0o600) },
		"data behind a link": func(_, d string) error { return swap(d, func() error { return os.Symlink(d+"-old", d) }) },
		"a folder of data":   func(_, d string) error { return swap(d, func() error { return os.Mkdir(d, 0o700) }) },
		"an empty entry":     func(a, _ string) error { return os.WriteFile(a, nil, 0o600) },
		"an entry behind a link": func(a, _ string) error {
			return swap(a, func() error { return os.Symlink(a+"-old", a) })
		},
		"an entry of another action": func(a, _ string) error {
			return os.WriteFile(a, entryText("another", "object code", 11, 1), 0o600)
		},
		"a negative size": func(a, _ string) error { return os.WriteFile(a, entryText("compile", "object code", -1, 1), 0o600) },
		"a huge size":     func(a, _ string) error { return os.WriteFile(a, entryText("compile", "object code", 1<<62, 1), 0o600) },
		"a negative time": func(a, _ string) error { return os.WriteFile(a, entryText("compile", "object code", 11, -1), 0o600) },
		"a longer entry": func(a, _ string) error {
			return os.WriteFile(a, append(entryText("compile", "object code", 11, 1), '\n'), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := imaged(t)
			if err := damage(file(c.image, id("compile"), "a"), file(c.image, id("object code"), "d")); err != nil {
				t.Fatal(err)
			}
			if r := answers(t, c, get("compile")); !r[0].Miss || r[0].DiskPath != "" {
				t.Errorf("%+v", r[0])
			}
		})
	}
}

// swap puts something else in the place of a file, which is beside it then.
func swap(name string, make func() error) error {
	if err := os.Rename(name, name+"-old"); err != nil {
		return err
	}
	return make()
}

func entryText(action, output string, size, when int64) []byte {
	return fmt.Appendf(nil, "v1 %x %x %20d %20d\n", id(action), id(output), size, when)
}

func TestGoCacheDropsWrongEntries(t *testing.T) {
	wrong := request{ID: 1, Command: "put", ActionID: id("a"), OutputID: id("b"), BodySize: 3}
	for name, requests := range map[string][]any{
		"another digest":      {wrong, []byte("abc")},
		"another size":        {request{ID: 1, Command: "put", ActionID: id("a"), OutputID: id("abcd"), BodySize: 3}, []byte("abcd")},
		"a negative size":     {request{ID: 1, Command: "put", ActionID: id("a"), OutputID: id(""), BodySize: -1}},
		"a short action":      {request{ID: 1, Command: "put", ActionID: []byte("a"), OutputID: id("")}},
		"no action":           {request{ID: 1, Command: "put", OutputID: id("")}},
		"an unknown command":  {request{ID: 1, Command: "trim"}},
		"no command whatever": {request{ID: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			c := cache{image: t.TempDir(), own: t.TempDir()}
			before := listing(t, c.own)
			if r := answers(t, c, requests...); len(r) != 1 || r[0].Err == "" || r[0].ID != 1 {
				t.Errorf("%+v", r)
			}
			if got := listing(t, c.own); got != before {
				t.Errorf("it was kept:\n%s", got)
			}
		})
	}
}

func TestAConversationIsBounded(t *testing.T) {
	for name, in := range map[string]io.Reader{
		"a request without end": io.MultiReader(strings.NewReader(`{"Command":"`), endless{}),
		"a body without end":    io.MultiReader(said(put("a", "abc")[0]), strings.NewReader(`"`), endless{}),
		"more than is kept":     said(request{Command: "put", ActionID: id("a"), OutputID: id("b"), BodySize: maxBody + 1}),
		"no request":            strings.NewReader("get me something"),
	} {
		t.Run(name, func(t *testing.T) {
			if err := serve(cache{image: t.TempDir(), own: t.TempDir()}, in, io.Discard); err == nil {
				t.Error("it was answered to its end")
			}
		})
	}
}

// endless is text that does not end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

func TestTheModeTakesAbsoluteFoldersOnly(t *testing.T) {
	for _, one := range []struct {
		args []string
		own  string
		code int
	}{
		{[]string{"/image"}, "/own", 0},
		{[]string{"image"}, "/own", 2},
		{[]string{"/image"}, "own", 2},
		{[]string{"/image"}, "", 2},
		{nil, "/own", 2},
		{[]string{"/image", "/other"}, "/own", 2},
	} {
		getenv := func(string) string { return one.own }
		if code := Main(one.args, getenv, strings.NewReader(""), io.Discard, io.Discard); code != one.code {
			t.Errorf("%q with %q ends with %d", one.args, one.own, code)
		}
	}
}

func FuzzServe(f *testing.F) {
	f.Add([]byte(`{"ID":1,"Command":"get","ActionID":"AAAA"}`))
	f.Add([]byte(`{"ID":1,"Command":"put","BodySize":3}"YWJj"{"Command":"close"}`))
	text, _ := io.ReadAll(said(append(put("compile", "abc"), get("compile"))...))
	f.Add(text)
	f.Fuzz(func(t *testing.T, in []byte) {
		c := cache{image: t.TempDir(), own: filepath.Join(t.TempDir(), "own")}
		var out bytes.Buffer
		_ = serve(c, bytes.NewReader(in), &out)
		for d := json.NewDecoder(&out); d.More(); {
			var r response
			if err := d.Decode(&r); err != nil {
				t.Fatal(err)
			}
			if r.DiskPath != "" && !strings.HasPrefix(r.DiskPath, c.own+"/") {
				t.Errorf("it names %q", r.DiskPath)
			}
		}
		if left, err := os.ReadDir(c.image); err != nil || len(left) > 0 {
			t.Errorf("the image has %v, %v", left, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(entryText("compile", "object code", 11, 1))
	f.Add([]byte("v1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, ok := parse(text, id("compile"))
		if !ok {
			return
		}
		if len(e.output) != sha256.Size || e.size < 0 || e.when.Before(time.Unix(0, 0)) {
			t.Errorf("%q is %+v", text, e)
		}
	})
}
