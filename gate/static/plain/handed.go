package plain

import (
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// takesCommands are programs that run the text of a word as commands, whatever comes before it.
var takesCommands = map[string]bool{"eval": true, "trap": true, "watch": true, "ssh": true, "parallel": true, "su": true, "tmux": true, "screen": true, "script": true, "flock": true}

// commandOption matches options that commands follow.
var commandOption = regexp.MustCompile(`^-[A-Za-z]{0,5}c$|^--?[\w-]*(?:cmd|command|exec|script|shell|hook)$`)

// handed reads the commands in a quoted word that something runs.
func (r *reader) handed(words []word) {
	for i, w := range words {
		if w.end-w.start < 2 || i == 0 || !(takesCommands[words[0].value] || takesCommands[words[min(1, i-1)].value] || commandOption.MatchString(words[i-1].value)) {
			continue
		}
		quote := r.src[w.start]
		if quote != '"' && quote != '\'' || r.src[w.end-1] != quote || !mayFetch(r.src[w.start:w.end]) || !strings.ContainsAny(w.value, " \t|") {
			continue
		}
		if r.handled++; r.handled > maxNames {
			return
		}
		r.out.edits = slices.DeleteFunc(r.out.edits, func(e edit) bool { return e.start > w.start && e.end < w.end })
		whole, here, name, open := r.src, r.here, r.name, r.open
		r.src, r.here, r.name, r.open = whole[:w.end-1], nil, "", nil
		r.list(w.start+1, 0)
		r.src, r.here, r.name, r.open = whole, here, name, open
	}
}
