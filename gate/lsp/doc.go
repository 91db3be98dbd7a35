// Package lsp is a language server: what the static layer finds in a text, while it is
// being written.
//
//	rpc       messages on a connection
//	protocol  the types of the Language Server Protocol
//	lspcmd    the flags of the command `gate lsp`
//
// What it promises: policy, rules, baseline and suppressions are those of the commit that
// was checked out when a folder was opened, and of the user's own configuration; what is
// written in the folder has no say. A text that could not be looked at has a diagnostic that
// says so, and never none: that it is outside of every folder, too large, or no longer known
// because a change of it did not fit. Nothing is written: quick fixes and dismissals are
// edits that the user chooses and the editor makes. A quick fix is offered only where the
// static layer finds that what it is for is gone and nothing new is there. A file runs only
// when the user asks, in the sandbox, and what it did is said of the text that ran. A scan of
// an older text is ended when a newer one arrives.
//
// What it does not do: enforce (CI does), judge (`gate scan` does), or look at a text
// together with other files.
package lsp
