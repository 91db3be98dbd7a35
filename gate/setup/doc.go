// Package setup plans what "gate init" writes into a repository and into the settings of
// coding agents, writes it, and takes exactly that back.
//
//	Look → Plan → Apply → Record; Remove undoes a Record
//
// It promises that a file is never replaced in silence: a new file is made only where there is
// none, an existing one is only added to, and what cannot be added to safely is left alone,
// with the text to put there by hand. Links are not followed, and nothing leaves the folder
// that an edit names. Remove takes away what was added, and every other byte stays, with what
// others wrote since; only in JSON that was written anew the space around it may change.
//
// It does not ask and does not print: package setupcmd does. It does not know what the settings
// do; docs/hook.md and docs/mcp.md say that.
package setup
