package hook

import (
	"bytes"
	"maps"
	"slices"
)

// Phase is when a hook is called.
type Phase uint8

// The phases. Only in Before and Prompt does a refusal keep something from happening.
const (
	PhaseUnknown Phase = iota
	Before             // a tool is about to run
	After              // a tool has run
	Prompt             // the user has asked for something
	Other              // the session begins, ends, ...: nothing to decide
)

// Kind is what an action does.
type Kind uint8

// The kinds of actions.
const (
	KindUnknown Kind = iota
	KindCommand      // runs text in a shell
	KindEdit         // changes a file
	KindFetch        // gets something from an address
	KindText         // gives the agent text that a third party wrote
	KindCode         // runs text in a language that Path ends in, or that isn't said
	KindPlace        // puts a file, which is not in the call, at a path
)

// Action is one thing that a tool does. Everything in it is hostile.
type Action struct {
	Kind Kind
	// Text is the command, the address, or the text that was fetched or read.
	Text string
	// Path is the file of an edit, as the tool names it.
	Path string
	Edit Edit
}

// Event is one call of a hook.
type Event struct {
	Tool    string
	Name    string // of the event, as the tool has it
	Phase   Phase
	Call    string // the tool that the agent calls, "" for none
	Cwd     string // "" where the tool doesn't say
	Actions []Action
}

// Replacement is one piece of a file that another takes the place of.
type Replacement struct {
	Old, New string
	All      bool
}

// Edit is how a file changes. The zero value is the whole file, empty.
type Edit struct {
	Partial      bool   // it changes pieces; otherwise Content is the whole file
	Content      string // of the whole file, or what is put into it at a place that isn't known
	Replacements []Replacement
	Deleted      bool
}

// Apply returns a file as the edit leaves it. What can't be placed is put at the end, so
// that it is looked at nevertheless.
func (e Edit) Apply(present []byte) []byte {
	if e.Deleted {
		return nil
	}
	if !e.Partial {
		return []byte(e.Content)
	}
	out := bytes.Clone(present)
	for _, r := range e.Replacements {
		n := 1
		if r.All {
			n = -1
		}
		if r.Old == "" || !bytes.Contains(out, []byte(r.Old)) {
			out = appended(out, r.New)
			continue
		}
		out = bytes.Replace(out, []byte(r.Old), []byte(r.New), n)
	}
	if e.Content != "" {
		out = appended(out, e.Content)
	}
	return out
}

// Undo returns a file as it probably was before the edit; ok is false where that can't
// be said.
func (e Edit) Undo(present []byte) (before []byte, ok bool) {
	if !e.Partial || e.Content != "" || e.Deleted {
		return nil, false
	}
	out := bytes.Clone(present)
	for _, r := range slices.Backward(e.Replacements) {
		if r.New == "" || !bytes.Contains(out, []byte(r.New)) {
			return nil, false
		}
		out = bytes.Replace(out, []byte(r.New), []byte(r.Old), 1)
	}
	return out, true
}

func appended(text []byte, more string) []byte {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return append(text, more...)
}

func (o object) keys() []string { return slices.Sorted(maps.Keys(o)) }
