package plan

import (
	"testing"

	"github.com/aigate/gate/gate"
)

func TestAManifestIsReadAsNpmReadsIt(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
		broken           bool
	}{
		{"scripts", `{"scripts": {"postinstall": "a"}}`, "a", false},
		{"keys in other cases are other keys", `{"scripts": {"postinstall": "a", "POSTINSTALL": "b"}, "SCRIPTS": {"postinstall": "c"}}`, "a", false},
		{"only a key in another case", `{"Scripts": {"postinstall": "a"}}`, "", false},
		{"of equal keys the last counts", `{"scripts": {"postinstall": "a"}, "scripts": {"postinstall": "b", "postinstall": "c"}}`, "c", false},
		{"the last takes all with it", `{"scripts": {"postinstall": "a"}, "scripts": {}}`, "", false},
		{"escapes", `{"\u0073cripts": {"post\u0069nstall": "\u0061"}}`, "a", false},
		{"a mark of the byte order", "\uFEFF" + `{"scripts": {"postinstall": "a"}}`, "a", false},
		{"a script that is none", `{"scripts": {"n": 1, "postinstall": "a"}}`, "a", false},
		{"a name that is none", `{"name": 1, "scripts": {"postinstall": "a"}}`, "a", false},
		{"a comma too many", `{"scripts": {"postinstall": "a",},}`, "a", true},
		{"comments", "{// one\n/* two */ \"scripts\": {\"postinstall\": \"a//b\"}}", "a//b", true},
		{"no JSON", `x: |`, "", true},
		{"a list", `[]`, "", true},
		{"nothing", "", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := ReadManifest(tt.text)
			if m.Scripts["postinstall"] != tt.want || (m.Broken != "") != tt.broken {
				t.Errorf("%q, broken %q", m.Scripts["postinstall"], m.Broken)
			}
		})
	}
}

func TestAChangeOfScriptsIsOneOfTheirLines(t *testing.T) {
	const text = "{\n  \"name\": \"x\",\n  \"scripts\": {\n    \"test\": \"a\"\n  },\n  \"version\": \"1\"\n}\n"
	for _, tt := range []struct {
		name, text string
		changed    gate.LineSet
		want       bool
	}{
		{"a script", text, gate.OnlyLines(gate.LineRange{4, 4}), true},
		{"the end of them", text, gate.OnlyLines(gate.LineRange{5, 5}), true},
		{"the version", text, gate.OnlyLines(gate.LineRange{6, 6}), false},
		{"the name", text, gate.OnlyLines(gate.LineRange{1, 2}), false},
		{"a new file", text, gate.LineSet{}, true},
		{"a second key, in other letters", `{"scripts": {},` + "\n" + `"\u0073cripts": {"test": "a"}}`, gate.OnlyLines(gate.LineRange{2, 2}), true},
		{"none has scripts", "{\n\"name\": 1}", gate.LineSet{}, false},
		{"it cannot be told", `{"name": 1,}`, gate.OnlyLines(), true},
		{"no object", "[]", gate.OnlyLines(), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := scriptsEdited(tt.text, tt.changed); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

func FuzzManifest(f *testing.F) {
	f.Add(`{"scripts": {"postinstall": "a",},}`)
	f.Add("\uFEFF{// x\n}")
	f.Fuzz(func(t *testing.T, text string) {
		m := ReadManifest(text)
		if len(m.Scripts) > len(text) {
			t.Error("more scripts than there is text")
		}
	})
}

func TestManifestNamesProgramsThatTheKernelStarts(t *testing.T) {
	for _, tt := range []struct {
		line  string
		other bool
	}{
		{"#!/usr/bin/env -S python3 -c \"import os\"", true},
		{"#!/bin/sh -c id", true},
		{"#!/usr/bin/env -S node -e 1", true},
		{"#!/usr/bin/node --require=./x.js", true},
		{"#!/bin/bash -ec x", true},
		{"#!/bin/sh", false},
		{"#!/bin/sh -e", false},
		{"#! /bin/bash -euo pipefail", false},
		{"#!/usr/bin/env -S bash -eu", false},
		{"#!/usr/bin/env python3", false},
		{"#!/usr/bin/python3 -u", false},
		{"#!/usr/bin/env -S uv run --script", false},
	} {
		if got := carriesCode.MatchString(tt.line) && !plainFlags.MatchString(tt.line); got != tt.other {
			t.Errorf("%s is another program: %v, want %v", tt.line, got, tt.other)
		}
	}
}
