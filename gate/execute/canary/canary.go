package canary

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"strings"

	"github.com/aigate/gate/sandbox"
	"maps"
	"slices"
)

// Version is that of the scheme: which canaries there are, of what form, and where.
// It changes whenever one of them does, because a run says nothing about another.
const Version = 6

// Use says who reads a planted file without being asked to.
type Use int

// The uses of planted files.
const (
	UseSecret  Use = iota // no one does but the tool that it belongs to
	UseClients            // HTTP clients look into it before a request
	UseOwn                // a project reads it at every start
	UsePublic             // it holds no secret
	UsePrivate            // the person whose home it is, and the programs that they start for it
	UseGit                // git, in every command
)

// File is a planted file.
type File struct {
	Path string // absolute
	What string // "SSH key"
	Use  Use
	// Database says that SQLite reads it, which opens it for writing.
	Database bool
	data     []byte
}

// Set is the canaries of one run.
type Set struct {
	values []sandbox.Canary
	files  []File
	env    []string
	// metadata is the secret of the machine that a cloud's metadata service tells.
	metadata string
	clean    *strings.Replacer
	forms    []string // every text that is taken out
}

// Home is the home folder in the images.
const Home = "/tmp"

// New makes a set of new values. Files that the program's own folder has already
// are not put there: has reports them by absolute path.
func New(has func(path string) bool) *Set {
	s := &Set{}
	made := map[string]string{}
	value := func(id string, n int, letters string) string {
		if made[id] == "" {
			made[id] = text(n, letters)
			s.values = append(s.values, sandbox.Canary{ID: id, Value: made[id]})
		}
		return made[id]
	}
	for _, v := range variables {
		s.env = append(s.env, v.name+"="+fill(v.form, v.id, value))
	}
	for _, p := range plants {
		if has(p.path) {
			continue
		}
		data := []byte(fill(p.form, p.id, value))
		if p.build != nil {
			data = p.build(string(data))
		}
		s.files = append(s.files, File{Path: p.path, What: p.what, Use: p.use, Database: p.build != nil, data: data})
	}
	s.metadata = value("metadata key", 40, mixed)
	s.prepare()
	return s
}

// fill puts the value of a canary into a form, in place of the sign that says
// which letters it is made of.
func fill(form, id string, value func(id string, n int, letters string) string) string {
	for _, k := range kinds {
		for strings.Contains(form, k.sign) {
			name := id
			if k.suffix != "" {
				name += " " + k.suffix
			}
			form = strings.Replace(form, k.sign, k.before+value(name, k.length, k.letters), 1)
		}
	}
	return form
}

// text returns n random letters. They come from the system's generator: a program
// that could foresee them could leave them out of what it sends.
func text(n int, letters string) string {
	var b strings.Builder
	for range n {
		// The system's generator never fails; it ends the program.
		i, _ := rand.Int(rand.Reader, big.NewInt(int64(len(letters))))
		b.WriteByte(letters[i.Int64()])
	}
	return b.String()
}

// Canaries are the values, for the recorder.
func (s *Set) Canaries() []sandbox.Canary { return s.values }

// Metadata is the value for the answers of a metadata service; it is nowhere else.
func (s *Set) Metadata() string { return s.metadata }

// Env is what the environment of the program gets.
func (s *Set) Env() []string { return s.env }

// Plants are the files, for the sandbox.
func (s *Set) Plants() []sandbox.File {
	var out []sandbox.File
	for _, f := range s.files {
		out = append(out, sandbox.File{Path: f.Path, Data: f.data})
	}
	return out
}

// Planted returns the planted file with a path.
func Planted(path string) (File, bool) {
	for _, p := range plants {
		if p.path == path {
			return File{Path: p.path, What: p.what, Use: p.use, Database: p.build != nil}, true
		}
	}
	return File{}, false
}

// Environment returns the ids of the canaries in the environment, sorted.
func Environment() []string {
	ids := map[string]bool{}
	for _, v := range variables {
		fill(v.form, v.id, func(id string, _ int, _ string) string { ids[id] = true; return "" })
	}
	return slices.Sorted(maps.Keys(ids))
}

// Private is the kind of personal data that a canary is part of, such as "mail" or "document", ""
// for a secret.
func Private(id string) string {
	for _, p := range plants {
		if p.use == UsePrivate && p.id == id {
			kind, _, _ := strings.Cut(id, " ")
			return kind
		}
	}
	return ""
}

// Placeholder stands for a canary in everything that people see.
func Placeholder(id string) string { return fmt.Sprintf("<canary: %s>", id) }

// BelongsTo reports whether a canary is one that programs hand to this host in the
// course of their work: a GitHub token to GitHub.
func BelongsTo(id, host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, d := range services[strings.Split(id, " ")[0]] {
		if host == d || strings.HasSuffix(host, "."+d) {
			return true
		}
	}
	return false
}

// In returns the ids of the canaries in a planted file.
func In(path string) []string {
	for _, p := range plants {
		if p.path != path {
			continue
		}
		var ids []string
		fill(p.form, p.id, func(id string, _ int, _ string) string { ids = append(ids, id); return "" })
		return ids
	}
	return nil
}
