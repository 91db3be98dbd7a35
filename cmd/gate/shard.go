package main

import (
	"github.com/aigate/gate/gate/lab/attack"
)

const shardUsage = "look only at part `I/N` of what there is, such as 2/4; gate merge puts the results together"

// part is the attacks of --shard; info is nil for all.
func (f *attackFlags) part(suite attack.Suite) (mine attack.Suite, info *attack.Shard, err error) {
	part, err := partOf(f.shard)
	if err != nil || part.Whole() {
		return suite, nil, err
	}
	mine, info = suite.Shard(part, f.selected(), f.runtimes)
	return mine, info, nil
}
