// Package lab is the laboratory: what measures gate and is no part of it. Only the
// command, the tools and the laboratory itself import what is below.
//
//	attack      attacks and their benign twins: which layer stops what, and is it contained
//	eval        precision and recall of the layers on labelled samples
//	replay      figures of a repository's own history: what gate would have said
//	attackrun   the attack suite against the layers of this machine: gate attack
//	agentattack hostile tasks, data and skills against gate agent: gate attack --agent
//	evidence    fits and measures the weights by which findings agree
//	evalrun     a corpus against the layers of this machine: gate eval
//	replayrun   the history against the layers of this machine: gate replay
//	hostwatch   effects on this machine of what runs in containers
//	progress    how far an experiment is
//	compare     gate beside other static tools on the same files
//	carriers    dangerous code in every place from which code runs, however disguised
//	realrun     changes of real projects: what runs of them here, and under their own tests
//	plantrun    attacks as commits of real histories: are they found as in an empty repository?
//	blindrun    a blind set of changes: how much is found, how often is it wrong?
//	judgebench  what reviews by a model cost on a machine
//	tinygguf    a tiny real language model, for tests without weights
//
// It promises nothing about detection in general: a figure is about the samples that
// it was measured on. The package itself has no code.
package lab
