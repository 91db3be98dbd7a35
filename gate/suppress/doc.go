// Package suppress decides which findings are accepted: by a comment
// beside the code, or by an entry in the baseline file.
//
// What it promises: a comment counts only where a lexer says that it is one, and
// only for the line that it belongs to; a baseline entry counts only for the
// rule, the path and the very text that it was written for, and for nothing more
// severe; both need a reason and end with their day of expiry. A dismissal counts for the
// tokens of its statements, in whatever format; only where its account has the right to,
// as far as the user asked; and never for what is dangerous or confirmed by another
// layer. Against a base
// commit, what the change itself brings suppresses nothing and is a finding. What
// suppresses nothing never does so silently. A suppressed finding stays in the
// result, with who silenced it and why.
//
// What it does not do: find the base commit or read files of its own choice,
// forget findings, or suppress what is about the change itself (a protected
// file, a suppression that the change adds, findings that did not fit).
package suppress
