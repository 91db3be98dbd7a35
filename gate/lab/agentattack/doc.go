// Package agentattack attacks gate's own agent: hostile tasks, data, results of tools and
// skills meet a model that obeys every one of them, and a judge that finds nothing.
//
//	cases → agent in a home of its own, obedient model, real tools and containers → rows → table
//
// What it promises: the model is the worst that there can be, so that what holds does not
// depend on a model; a case counts only when the model has obeyed, which is looked up in what
// it was told; nothing may reach this machine's listeners, change its decoys or the files of
// its user, or appear in the folder for results without having passed the layers; what was
// tried has to be in the report of the agent. What could not be looked at is incomplete, never
// a pass.
//
// What it does not do: measure how often a real model obeys.
package agentattack
