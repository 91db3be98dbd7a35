// Package guard compares how a file runs gate, before and after a change: as a step of a
// CI system, a hook of git or pre-commit, or a target of a Makefile.
//
// It promises to report a change by which gate runs less often, looks at less, or no longer
// fails what it blocks: [Compare]. What makes gate run more or look at more is no loss, and
// neither is another released version of it. A text that can't be read has no uses, so all
// that it had are lost.
//
// It doesn't expand variables, and it doesn't know what a program does that is put in
// gate's place under another name: rules find that. It knows the keys of CI systems by
// name and not by schema, so it takes a key of that name for one anywhere above the command.
package guard
