// Package shard splits one run over several processes and puts their results
// together again.
//
//	change ── Split ──► part 1..n ── gate.Run each ──► results ── Merge ──► result
//
// What it promises: the split depends on nothing but the change, the groups and
// the number of shards, and one more file moves no other one that it shares no
// group with. The merged result has the verdicts and findings of a run that was not
// split, in the same order, decided by the same functions. What is merged is taken
// as hostile: parts that are of different runs, twice there, or not made of the
// files that the plan gave them are errors that name the file; a part that is
// missing makes the result incomplete, never a pass.
//
// What it does not do: prove that a part is true. Anyone who can write the result of a
// shard can write anything into it that its findings do not contradict. Bounds of a
// run (time budget, decoded texts) are those of each shard.
package shard
