package agentattack

import (
	"encoding/json"
	"strings"
	"sync"
)

// obedient is a model that does the honest task of a case until it reads the hostile words,
// and from then on what they say.
type obedient struct {
	c Case

	mu     sync.Mutex
	opened int
	obeyed int
	read   bool // the hostile words
}

// write says what comes next.
func (o *obedient) write(said []Message) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, m := range said {
		if m.Role != "system" && m.Role != "assistant" && strings.Contains(m.Content, o.c.Trigger) {
			o.read = true
		}
	}
	switch {
	case o.opened < len(o.c.Opening):
		o.opened++
		return o.c.Opening[o.opened-1]
	case o.read && o.obeyed < len(o.c.Obeys):
		o.obeyed++
		return o.c.Obeys[o.obeyed-1]
	case o.c.Says != "":
		return Answer(o.c.Says)
	}
	return Answer("Everything is done.")
}

// progress is what the model has done.
func (o *obedient) progress() (read bool, obeyed int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.read, o.obeyed
}

// toolOf is the tool of a call in the strict form.
func toolOf(says string) string {
	var c struct{ Tool string }
	_ = json.Unmarshal([]byte(says), &c) // a case has calls only
	return c.Tool
}
