package eval

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/strict"
)

// CorpusFile is the file that makes a folder a corpus.
const CorpusFile = "corpus.yaml"

// Bounds of a corpus. A corpus may be a third party's.
const (
	maxCorpusFile  = 32 << 20
	maxSamples     = 50_000
	maxUp          = 8         // folders that root may go up
	MaxSampleBytes = 16 << 20  // of all files of one sample
	MaxSampleFiles = 2_000     // of one sample
	maxSampleDepth = 40        // folders below each other in one sample
	maxLines       = 1_000     // expected lines of one sample
	maxName        = 200       // bytes of a category
	maxLineNumber  = 1_000_000 // of an expected line
)

// Label says what a sample is. The zero value is not valid.
type Label string

// The labels, as results spell them: the words are older than the terms malicious and
// benign, which String gives and corpora use.
const (
	Malicious Label = "risky"
	Benign    Label = "innocent"
)

// String is the label in the term of the field.
func (l Label) String() string {
	switch l {
	case Malicious:
		return "malicious"
	case Benign:
		return "benign"
	}
	return string(l)
}

// labelWords are the words for a label in a corpus, the older ones of results included.
var labelWords = map[string]Label{"malicious": Malicious, "risky": Malicious, "benign": Benign, "innocent": Benign}

// Sample is one file or folder of a corpus.
type Sample struct {
	Path     string        // slash-separated, below the root of the corpus
	Base     string        // what the sample was before its change, of the same kind; "" says nothing
	As       string        // the path under which a file is looked at; "" is Path without ".sample"
	Language gate.Language // what the corpus says; the layers find out for themselves
	Label    Label
	Category string
	Lines    []int // of a malicious file: where a finding is expected; nil says nothing
	At       strict.Position
}

// Corpus is a labelled set of samples. It must be closed.
type Corpus struct {
	Name    string
	About   string
	Samples []Sample
	// Digest is the SHA-256 of corpus.yaml: two results with the same one were
	// asked the same questions. It says nothing about the files.
	Digest string

	root *os.Root
	up   string
}

// Root is the folder that holds the samples, as corpus.yaml names it: relative
// to the folder of the corpus, with / between folders.
func (c *Corpus) Root() string { return c.up }

// Close releases the folder of the corpus.
func (c *Corpus) Close() error { return c.root.Close() }

// Open reads the corpus in a folder and checks that every sample is there. All
// mistakes are in the error, each with file, line and column.
func Open(dir string) (*Corpus, error) {
	name := filepath.Join(dir, CorpusFile)
	data, err := readCorpusFile(name)
	if err != nil {
		return nil, err
	}
	r := &reader{strict.Reader{File: name}}
	c, up := r.corpus(data)
	if err := r.Err(); err != nil {
		return nil, err
	}
	if c.root, err = os.OpenRoot(filepath.Join(dir, filepath.FromSlash(up))); err != nil {
		return nil, fmt.Errorf("%s: the key \"root\": %w", name, err)
	}
	c.up = up
	sum := sha256.Sum256(data)
	c.Digest = hex.EncodeToString(sum[:])
	for _, s := range c.Samples {
		if err := c.there(s); err != nil {
			r.FailAt(s.At, "%v", err)
		}
	}
	if err := r.Err(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func readCorpusFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: a corpus is a folder with a %s (docs/detection.md has the format)", err, CorpusFile)
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxCorpusFile {
		return nil, fmt.Errorf("%s: a regular file of at most %d bytes is expected", name, maxCorpusFile)
	}
	return os.ReadFile(name)
}

// there reports why a sample can't be one.
func (c *Corpus) there(s Sample) error {
	info, err := c.root.Lstat(filepath.FromSlash(s.Path))
	if err == nil && s.Base != "" {
		older, err := c.root.Lstat(filepath.FromSlash(s.Base))
		if err != nil || older.IsDir() != info.IsDir() || !older.IsDir() && (!older.Mode().IsRegular() || older.Size() > MaxSampleBytes) {
			return fmt.Errorf("the base %q has to be a file if the sample is one, and a folder if it is a folder", s.Base)
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no file or folder %q", s.Path)
	case err != nil:
		return err
	case !info.Mode().IsRegular() && !info.IsDir():
		return fmt.Errorf("%q is neither a file nor a folder (%s)", s.Path, info.Mode().Type())
	case info.IsDir() && (s.As != "" || s.Lines != nil):
		return fmt.Errorf("%q is a folder; \"as\" and \"lines\" are for files", s.Path)
	case info.Mode().IsRegular() && info.Size() > MaxSampleBytes:
		return fmt.Errorf("%q has %d bytes; a sample has at most %d", s.Path, info.Size(), MaxSampleBytes)
	}
	return nil
}

// Languages returns the languages of the samples, sorted.
func (c *Corpus) Languages() []gate.Language {
	seen := map[gate.Language]bool{}
	var out []gate.Language
	for _, s := range c.Samples {
		if !seen[s.Language] {
			seen[s.Language] = true
			out = append(out, s.Language)
		}
	}
	slices.SortFunc(out, func(a, b gate.Language) int { return strings.Compare(string(a), string(b)) })
	return out
}

// Marshal writes a corpus file, one line for each sample.
func Marshal(name, about string, samples []Sample) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "name: %s\n", quoted(name))
	if about != "" {
		fmt.Fprintf(&b, "about: %s\n", quoted(about))
	}
	b.WriteString("samples:\n")
	for _, s := range samples {
		fmt.Fprintf(&b, "  - {path: %s, ", quoted(s.Path))
		if s.Base != "" {
			fmt.Fprintf(&b, "base: %s, ", quoted(s.Base))
		}
		if s.As != "" {
			fmt.Fprintf(&b, "as: %s, ", quoted(s.As))
		}
		fmt.Fprintf(&b, "language: %s, label: %s, category: %s", s.Language, s.Label, s.Category)
		if len(s.Lines) > 0 {
			fmt.Fprintf(&b, ", lines: [%s]", strings.Trim(strings.Join(strings.Fields(fmt.Sprint(s.Lines)), ", "), "[]"))
		}
		b.WriteString("}\n")
	}
	return b.Bytes()
}

// plain is a text that needs no quotes in YAML, also within { }.
var plain = regexp.MustCompile(`^[A-Za-z_./][A-Za-z0-9_./+-]*$`)

// quoted is a text as YAML reads it back. JSON's strings are among YAML's.
func quoted(s string) string {
	if plain.MatchString(s) && !slices.Contains([]string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}, strings.ToLower(s)) {
		return s
	}
	data, err := json.Marshal(s)
	if err != nil { // no string is beyond it
		return `""`
	}
	return string(data)
}
