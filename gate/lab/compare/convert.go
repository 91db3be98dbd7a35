package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/lab/eval"
)

// program is one line of a file of malicious programs. Index is GROUP_NUMBER.
type program struct {
	Index string `json:"index"`
	Code  string `json:"code"`
}

// extension is what a file of a language is called.
func extension(l gate.Language) string {
	return map[gate.Language]string{
		gate.LanguagePython: ".py", gate.LanguageShell: ".sh", gate.LanguageGo: ".go",
		gate.LanguageJavaScript: ".js", gate.LanguageTypeScript: ".ts",
	}[l]
}

// convert writes every program of the JSON lines below from as a file of its own.
// The group of a program is its category: what it does is not known here.
func convert(from, to, about string) error {
	files, err := filepath.Glob(filepath.Join(from, "*.jsonl"))
	if err != nil || len(files) == 0 {
		return errors.Join(fmt.Errorf("%s: no NAME.LANGUAGE.jsonl there", from), err)
	}
	var samples []eval.Sample
	for _, name := range files {
		parts := strings.Split(filepath.Base(name), ".")
		language := gate.Language(parts[max(0, len(parts)-2)])
		if extension(language) == "" {
			return fmt.Errorf("%s: %q is no language that can be converted", name, language)
		}
		more, err := convertFile(name, to, language)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		samples = append(samples, more...)
	}
	return writeCorpus(to, "malicious programs", about, samples)
}

func convertFile(name, to string, language gate.Language) ([]eval.Sample, error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var samples []eval.Sample
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var p program
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return nil, fmt.Errorf("line %d: %w", len(samples)+1, err)
		}
		group, _, _ := strings.Cut(p.Index, "_")
		s := eval.Sample{
			Path:     fmt.Sprintf("%s/%04d%s", language, len(samples)+1, extension(language)),
			Language: language, Label: eval.Malicious, Category: "group-" + strings.ToLower(group),
		}
		if err := put(filepath.Join(to, filepath.FromSlash(s.Path)), []byte(p.Code)); err != nil {
			return nil, err
		}
		samples = append(samples, s)
	}
	return samples, lines.Err()
}

// put writes a file and the folders above it.
func put(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}

func writeCorpus(dir, name, about string, samples []eval.Sample) error {
	return put(filepath.Join(dir, eval.CorpusFile), eval.Marshal(name, about, samples))
}
