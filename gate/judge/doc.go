// Package judge is the semantic layer: a local language model, served by Ollama,
// reads each file and says whether it is malicious.
//
// Attackers write for this layer, so nothing that the model says is believed
// before program code has checked it:
//
//	select → render → split → ask → decode → check → (second reading) → findings
//
// What it promises: the judge only raises, it never clears what another layer
// found; a file that was not judged completely, for whatever reason, is a
// [gate.Gap] with that reason; code is shown to the model with every line marked
// by a code word that does not occur in it, with invisible characters made
// visible and chat-control tokens broken; a prompt is never truncated without
// that being noticed; names, paths, titles and commit messages never reach the
// prompt; everything that comes back is bounded in size and time; equal input
// gives equal requests.
//
// What it does not promise: that a model's opinion is right. It does not pull
// models unless [Judge.Pull] is called, does not talk to hosted models, and does not execute anything.
package judge
