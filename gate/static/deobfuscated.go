package static

import (
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/match"
	"github.com/aigate/gate/gate/static/spelling"
)

// deobfuscated returns what the rules find in a text that is read as what it spells, in its
// own language and as commands. Only what is dangerous counts: no one spells a harmful
// command by chance, and the rest is in the text as well.
func (x texts) deobfuscated(t text) []gate.Finding {
	var out []gate.Finding
	readings, unread := spelling.Readings(t.language, t.content)
	for _, bound := range unread {
		t.costs.unread.add("what is spelled otherwise in it was not put together to the end: at most " + bound)
	}
	for _, r := range readings {
		focus := r.Focus()
		found := dangerousOnly(x.scan(t.reading(focus)))
		if len(focus.Content) < len(r.Content) {
			found = x.confirmed(t.reading(r), found)
		}
		out = append(out, found...)
		commands := r.Near().Commands()
		for _, lang := range []gate.Language{gate.LanguageShell, gate.LanguagePowerShell} {
			as := t.reading(commands)
			as.language = lang
			out = append(out, x.commandsIn(as, commands)...)
		}
	}
	return out
}

// confirmed leaves out the flows among findings of a part of a text that the whole text does
// not have: where pieces of long lines are left out, functions end somewhere else, and the
// one-letter names of a bundle are taken for each other.
func (x texts) confirmed(whole text, found []gate.Finding) []gate.Finding {
	flows := map[string]bool{}
	for _, f := range found {
		if len(f.Flow) > 0 {
			flows[f.Rule] = true
		}
	}
	if len(flows) == 0 {
		return found
	}
	whole.costs.rules = flows
	there := x.scan(whole)
	return slices.DeleteFunc(found, func(f gate.Finding) bool {
		return len(f.Flow) > 0 && !slices.ContainsFunc(there, func(o gate.Finding) bool { return o.Rule == f.Rule && o.Line == f.Line })
	})
}

// reading is the text as it is read another way.
func (t text) reading(r spelling.Text) text {
	read := t
	read.content, read.first = r.Content, 0
	read.origin = because(t.origin, "escapes, pieces and names read as what they spell")
	read.deobfuscated, read.plainly, read.least = true, true, gate.SeverityDangerous
	read.lines = make([]int, len(r.Lines))
	for i, line := range r.Lines {
		read.lines[i] = t.line(line)
	}
	return read
}

// commandsIn returns what is dangerous in commands, as far as it is spelled otherwise.
func (x texts) commandsIn(t text, r spelling.Text) []gate.Finding {
	found := x.engine.Run(match.Text{Language: t.language, Role: t.role, Path: t.path, Content: t.content, Budget: t.costs.match, NewHost: t.newHost, Least: gate.SeverityDangerous, Only: t.costs.rules, Starts: t.starts()})
	found = slices.DeleteFunc(found, func(m match.Match) bool {
		return m.Severity != gate.SeverityDangerous || !r.Marked(m.Start, m.End)
	})
	return render(t, found)
}

// dangerousOnly leaves out what is not dangerous.
func dangerousOnly(found []gate.Finding) []gate.Finding {
	return slices.DeleteFunc(found, func(f gate.Finding) bool { return f.Severity != gate.SeverityDangerous })
}
