package setup

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"
	"go.yaml.in/yaml/v3"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// addRepo adds an entry to the list "repos" of a configuration of pre-commit. It returns the
// new text and the block that was added, "" where gate is there already.
func addRepo(text []byte, entry func(indent string) string) (merged []byte, block string, err error) {
	repos, err := reposOf(text)
	if err != nil {
		return nil, "", err
	}
	if bytes.Contains(text, []byte("aigate/gate")) {
		return text, "", nil
	}
	first := repos.Content[0]
	const dash = len("- ")
	block = strings.ReplaceAll(entry(strings.Repeat(" ", max(0, first.Column-1-dash))), "\n", lineEnd(text))
	merged, block = insertLines(text, endOf(text, repos), block)
	after, err := reposOf(merged)
	if err != nil || len(after.Content) != len(repos.Content)+1 {
		return nil, "", errors.New("its list of repositories is written in a way that gate does not add to")
	}
	for i, one := range repos.Content {
		if !sameNode(one, after.Content[i]) {
			return nil, "", errors.New("its list of repositories is written in a way that gate does not add to")
		}
	}
	return merged, block, nil
}

// reposOf returns the list "repos", which has to be a block with something in it.
func reposOf(text []byte) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("it can't be read: %w", err)
	}
	if len(doc.Content) == 1 && doc.Content[0].Kind == yaml.MappingNode {
		members := doc.Content[0].Content
		for i := 0; i+1 < len(members); i += 2 {
			if list := members[i+1]; members[i].Value == "repos" && list.Kind == yaml.SequenceNode && list.Style&yaml.FlowStyle == 0 && len(list.Content) > 0 {
				return list, nil
			}
		}
	}
	return nil, errors.New("it has no list of repositories that gate could add to")
}

// endOf returns the first line (counted from 0) that does not belong to a list: the next line
// that begins further left with something else than a comment, or the end of the text.
func endOf(text []byte, list *yaml.Node) int {
	lines := strings.SplitAfter(string(text), "\n")
	dashes := list.Content[0].Column - len("- ") // counted from 1
	end := list.Content[len(list.Content)-1].Line
	for i := end; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], "\r\n")
		trimmed := strings.TrimLeft(line, " ")
		switch {
		case trimmed == "", strings.HasPrefix(trimmed, "#"):
			continue
		case len(line)-len(trimmed) < dashes-1, len(line)-len(trimmed) == dashes-1 && !strings.HasPrefix(trimmed, "-"):
			return end
		}
		end = i + 1
	}
	return end
}

// insertLines puts a block in front of a line. It returns the block as it is in the text then,
// with the line end that the line before it lacked.
func insertLines(text []byte, line int, block string) (merged []byte, put string) {
	lines := strings.SplitAfter(string(text), "\n")
	head := strings.Join(lines[:min(line, len(lines))], "")
	if head != "" && !strings.HasSuffix(head, "\n") {
		block = lineEnd(text) + block
	}
	return []byte(head + block + strings.Join(lines[min(line, len(lines)):], "")), block
}

// sameNode reports whether two values have the same content, whatever their position.
func sameNode(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Tag != b.Tag || a.Value != b.Value || len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		if !sameNode(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

var errNotAddedTo = errors.New("it is written in a way that gate does not add to")

// addTable adds a table to the end of a TOML text. The block is "" where the table is there.
func addTable(text []byte, keys []string, table string) (merged []byte, block string, err error) {
	if regexp.MustCompile(`(?m)^\s*["']?` + regexp.QuoteMeta(keys[0]) + `["']?\s*=`).Match(text) {
		return nil, "", errNotAddedTo // an inline table is closed, though not every parser says so
	}
	before := map[string]any{}
	if err := toml.Unmarshal(text, &before); err != nil {
		return nil, "", fmt.Errorf("it can't be read: %w", err)
	}
	if has(before, keys) {
		return text, "", nil
	}
	block = table
	switch {
	case len(bytes.TrimSpace(text)) == 0:
	case bytes.HasSuffix(text, []byte("\n")):
		block = "\n" + table
	default:
		block = "\n\n" + table
	}
	block = strings.ReplaceAll(block, "\n", lineEnd(text))
	merged = append(bytes.Clone(text), block...)
	after := map[string]any{}
	if err := toml.Unmarshal(merged, &after); err != nil || !has(after, keys) {
		return nil, "", errNotAddedTo
	}
	remove(after, keys)
	if !reflect.DeepEqual(prune(before), prune(after)) {
		return nil, "", errNotAddedTo
	}
	return merged, block, nil
}

func has(doc map[string]any, keys []string) bool {
	for i, key := range keys {
		value, ok := doc[key]
		if !ok || i == len(keys)-1 {
			return ok
		}
		if doc, ok = value.(map[string]any); !ok {
			return true // something else has the name
		}
	}
	return false
}

func remove(doc map[string]any, keys []string) {
	for _, key := range keys[:len(keys)-1] {
		doc, _ = doc[key].(map[string]any)
	}
	delete(doc, keys[len(keys)-1])
}

// prune leaves out tables in which nothing is.
func prune(doc map[string]any) map[string]any {
	for key, value := range doc {
		if table, ok := value.(map[string]any); ok && len(prune(table)) == 0 {
			delete(doc, key)
		}
	}
	return doc
}
