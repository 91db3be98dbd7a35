// Package report turns the events of a run into documents: text for a terminal,
// json, markdown, html, sarif, junit and lines.
//
// Every format is a [gate.Handler] and a pure function of the [gate.Result] that
// closes a run (and of its [Options]), so a saved result that [Decode] read
// gives, through [gate.Replay], the very document that the run gave.
//
//	github   publishes a result to GitHub
//	story    which findings describe one harm, and its sentence
//	webpage  how a self-contained HTML page is written
//
// [Output] is the handler that a command line asks for: a report, the saved result and
// the progress of the run, with the files written at the end.
//
// What it promises: everything in a result is treated as hostile. No format lets
// a file name, a line of code, a program's output or a model's answer become
// markup, a link, a mention, a terminal sequence or a row of another
// table; characters that cannot be seen are shown as escapes. Nothing is left
// out silently: where a format folds or cuts, it says what and how much. A
// document is written as a whole or, when that fails, the run fails.
//
// What it does not do: decide anything (package gate has), or talk to a network.
package report
