package main

import (
	"fmt"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/shard"
)

const shardUsage = "look only at part `I/N` of what there is, such as 2/4; gate merge puts the results together"

// partOf reads --shard; "" is the whole.
func partOf(flag string) (shard.Part, error) {
	if flag == "" {
		return shard.Part{}, nil
	}
	return shard.Parse(flag)
}

// grouper is a layer that looks at some targets together, so that they have to be
// in one shard, and to which the other targets matter.
type grouper interface {
	Together(c *gate.Change) map[string]string
}

// part narrows a change to what a shard looks at; info is nil for the whole.
func (l *layers) part(c *gate.Change, w wiring) (mine *gate.Change, info *gate.Shard, err error) {
	if w.part.Whole() {
		return c, nil, nil
	}
	var together map[string]string
	context := false
	for _, s := range l.stages {
		if g, ok := s.(grouper); ok {
			together, context = g.Together(c), true
		}
	}
	mine, info, err = shard.Split(c, w.part, w.policy, together, context)
	if err != nil {
		return nil, nil, fmt.Errorf("split the change: %w", err)
	}
	info.Base, info.Head = w.base, w.head
	return mine, info, nil
}
