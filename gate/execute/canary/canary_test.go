package canary

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/sandbox"
)

func nothing(string) bool { return false }

func TestSetsHaveValuesOfTheirOwn(t *testing.T) {
	seen := map[string]string{}
	ids := map[string]bool{}
	for range 2 {
		s := New(nothing)
		if len(s.Canaries()) < 20 {
			t.Errorf("%d canaries", len(s.Canaries()))
		}
		for _, c := range s.Canaries() {
			if other := seen[c.Value]; other != "" {
				t.Errorf("%s has the value of %s", c.ID, other)
			}
			seen[c.Value] = c.ID
			ids[c.ID] = true
			if len(c.Value) < 20 || strings.ContainsFunc(c.Value, func(r rune) bool { return !strings.ContainsRune(mixed, r) }) {
				t.Errorf("%s is %q", c.ID, c.Value)
			}
		}
	}
	if len(seen) != 2*len(ids) {
		t.Errorf("%d values for %d ids", len(seen), len(ids))
	}
}

func TestCanariesAreSomewhereAndPlacesHaveOne(t *testing.T) {
	s := New(nothing)
	var all strings.Builder
	all.WriteString(s.Metadata() + "\n")
	for _, e := range s.Env() {
		all.WriteString(e + "\n")
	}
	for _, p := range s.Plants() {
		f, ok := Planted(p.Path)
		if !ok || slices.ContainsFunc(kinds, func(k kind) bool { return strings.Contains(string(p.Data), k.sign) }) {
			t.Errorf("%s: %.200q", p.Path, p.Data)
		}
		if has := len(In(p.Path)) > 0; has == (f.Use == UsePublic) {
			t.Errorf("%s holds a canary: %v", p.Path, has)
		}
		all.Write(p.Data)
	}
	for _, c := range s.Canaries() {
		if !strings.Contains(all.String(), c.Value) {
			t.Errorf("%s is nowhere", c.ID)
		}
	}
	for _, want := range []string{"AWS_SECRET_ACCESS_KEY=", "GITHUB_TOKEN=ghp_", "NPM_TOKEN=npm_", "aws_access_key_id = AKIA", "-----BEGIN OPENSSH PRIVATE KEY-----"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("nothing looks like %q", want)
		}
	}
}

func TestAFileOfTheProjectStaysAsItIs(t *testing.T) {
	s := New(func(p string) bool { return p == "/workspace/.env" })
	if slices.ContainsFunc(s.Plants(), func(f sandbox.File) bool { return f.Path == "/workspace/.env" }) {
		t.Error("planted over it")
	}
}

// TestCanariesAreRemovedCompletely takes every value, encodes it as thieves do, puts it
// wherever a result has text, and looks for it in what is shown.
func TestCanariesAreRemovedCompletely(t *testing.T) {
	s := New(nothing)
	for _, c := range s.Canaries() {
		reversed := []byte(c.Value)
		slices.Reverse(reversed)
		for name, form := range map[string]string{
			"plain": c.Value, "hex": hex.EncodeToString([]byte(c.Value)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(c.Value))),
			"reversed": string(reversed), "lower": strings.ToLower(c.Value),
			"base64": base64.StdEncoding.EncodeToString([]byte(c.Value)), "base64 url": base64.RawURLEncoding.EncodeToString([]byte("x" + c.Value)),
			"base64 in a text": base64.StdEncoding.EncodeToString([]byte("ab" + c.Value + "tail")),
		} {
			core := form[3 : len(form)-4] // what does not depend on neighbours
			text := "before " + form + " after " + form
			r := sandbox.Result{Stdout: sandbox.Stream{Data: []byte(text)}, Stderr: sandbox.Stream{Data: []byte(text)}, Reason: text}
			r.Behaviour.Events = []sandbox.Event{{Object: text, Args: []string{text}, Data: []byte(text)}}
			r.Behaviour.Captures = []sandbox.Capture{{Path: text, Data: []byte(text)}}
			printed := s.Clean(&r)
			if (name == "plain") != slices.Contains(printed, c.ID) && c.Value != strings.ToLower(c.Value) {
				t.Errorf("%s, %s: printed %q", c.ID, name, printed)
			}
			e, x := r.Behaviour.Events[0], r.Behaviour.Captures[0]
			for where, got := range map[string]string{
				"stdout": string(r.Stdout.Data), "stderr": string(r.Stderr.Data), "reason": r.Reason, "object": e.Object,
				"argument": e.Args[0], "data": string(e.Data), "path": x.Path, "capture": string(x.Data),
			} {
				if strings.Contains(got, core) || !strings.Contains(got, "<canary: "+c.ID) || !strings.HasPrefix(got, "before ") {
					t.Errorf("%s, %s: %s is %q", c.ID, name, where, got)
				}
			}
		}
	}
}

func TestTheBeginningOfAValueAtACutIsTakenOut(t *testing.T) {
	s := New(nothing)
	v := s.Canaries()[1].Value
	r := sandbox.Result{Stdout: sandbox.Stream{Data: []byte("text " + v[:15]), Truncated: true}}
	s.Clean(&r)
	if got := string(r.Stdout.Data); got != "text " {
		t.Errorf("%q", got)
	}
}

func TestATokenBelongsToItsOwnServiceOnly(t *testing.T) {
	for _, tt := range []struct {
		id, host string
		want     bool
	}{
		{"github token", "api.github.com", true}, {"github token", "API.github.com.", true}, {"github token", "evilgithub.com", false},
		{"github token", "github.com.example.com", false}, {"aws key", "s3.amazonaws.com", true}, {"ssh rsa key", "github.com", false}, {"", "", false},
	} {
		if got := BelongsTo(tt.id, tt.host); got != tt.want {
			t.Errorf("%s to %s: %v", tt.id, tt.host, got)
		}
	}
}

func BenchmarkClean(b *testing.B) {
	s := New(nothing)
	data := []byte(strings.Repeat("an ordinary line of output, with nothing in it\n", 5000))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		s.Clean(&sandbox.Result{Stdout: sandbox.Stream{Data: data}})
	}
}
