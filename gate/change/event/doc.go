// Package event reads the webhook event that started a workflow: which
// repository, which pull request, and between which commits the change lies.
//
// What it promises: the payload is hostile (branch names, titles and bodies are
// the author's) and is bounded and checked field by field; an event that says
// nothing about a change, or belongs to another repository, is an error and
// never a pass.
//
// What it does not do: read files, talk to git or to GitHub, or believe what a
// title or body says.
package event
