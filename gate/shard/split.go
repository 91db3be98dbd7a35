package shard

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/aigate/gate/gate"
)

// Split returns the part of a change that one shard looks at, and what its result
// says of that. together names the group of every target that must be looked at
// with others; targets of one group are in one shard. Where context is set, the
// part carries the other targets, for layers to which they matter.
func Split(c *gate.Change, part Part, p gate.Policy, together map[string]string, context bool) (*gate.Change, *gate.Shard, error) {
	mine := *c
	mine.Targets, mine.OtherShards = nil, nil
	plan := map[string]int{}
	for _, t := range c.Targets {
		key := t.Path
		if group, ok := together[t.Path]; ok {
			key = group
		}
		plan[t.Path] = Of(key, part.Of)
		switch {
		case plan[t.Path] == part.Index:
			mine.Targets = append(mine.Targets, t)
		case context:
			mine.OtherShards = append(mine.OtherShards, t)
		}
	}
	policy, err := policyDigest(p)
	if err != nil {
		return nil, nil, err
	}
	return &mine, &gate.Shard{
		Index: part.Index, Of: part.Of, Targets: len(c.Targets),
		Plan: planDigest(plan), Change: changeDigest(c), Policy: policy, FailOn: p.FailOn,
	}, nil
}

// planDigest says which target is in which shard.
func planDigest(plan map[string]int) string {
	paths := make([]string, 0, len(plan))
	for p := range plan {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	h := sha256.New()
	for _, p := range paths {
		fmt.Fprintf(h, "%q %d\n", p, plan[p])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// policyDigest leaves out what may differ between the machines of one run without
// a difference in what they find.
func policyDigest(p gate.Policy) (string, error) {
	p.Judge.Hosts, p.Retention, p.Rate, p.Agent = nil, gate.Retention{}, gate.Rate{}, gate.AgentPolicy{}
	text, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("digest of the policy: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// maxDigested bounds how much of one file is part of the digest of a change. More
// than that no layer reads.
const maxDigested = 64 << 20

// changeDigest tells changes apart: targets with their contents, and the names of
// all files that can enter a container.
func changeDigest(c *gate.Change) string {
	h := sha256.New()
	for _, t := range c.Targets {
		fmt.Fprintf(h, "%q %q %q %q %v %d %v %v %s\n", t.Path, t.OldPath, t.Kind, t.Language, t.Mode, t.Size, t.Lines, t.StaticOnly, content(c, t))
	}
	for _, f := range c.Files {
		fmt.Fprintf(h, "%q\n", f)
	}
	for _, s := range c.Skipped {
		fmt.Fprintf(h, "%q %q\n", s.Path, s.Reason)
	}
	fmt.Fprintf(h, "%q\n", c.Incomplete)
	return hex.EncodeToString(h.Sum(nil))
}

// content is the digest of a target, "" for one that cannot be read: the layers
// report that.
func content(c *gate.Change, t *gate.Target) string {
	f, err := c.Open(t)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, maxDigested)); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
