// Package static is the static layer: it reads every file of a change and
// reports what its rules find, without executing anything.
//
// It is made of:
//
//	rules      what gate looks for: data, one folder a family
//	rule       the format of a rule, and reading it
//	match      runs the rules over a text
//	decode     finds text in another form: base64, hexadecimal, compressed
//	confusables  letters and words that look like others
//	constprop  constant texts that a program puts together, and what names mean
//	spelling   reads a text as what it spells, in any language
//	taint      from where a value comes, within one text
//	modules    joins the statements of several modules to one text
//	archive    the members of zip, tar, gzip and Debian packages
//	pyc        names and texts of compiled modules of Python
//	javaclass  what a compiled class of Java names
//	pickle     what loading a Python pickle calls
//	lookalike  names of packages that imitate popular ones
//	reading    how bytes become text, and as which languages it is read
//	loads      which files a program hands to an interpreter
//	parts      which files a tool reads as a part of another
//	moved      which lines of settings name an address, and where code reads one
//	swapped    which references a change moved to another owner or host
//	relocked   entries of lock files that get other content under the same name and version
//	active     what a text itself switches off
//	given      what a line gives a script: arguments, input, inputs of an action
//	runners    functions that run a text that they are given, and who gives them one
//	reach      what a change puts to use that it does not touch
//	untested   which tests a change switches off
//	plain      writes what a shell script downloads and runs in one form
//	misread    comments and strings that are read once more as code
//	precedent  what the base does already
//	weakening  which security checks a change takes away
//	guard      how a file runs gate itself, before and after a change
//
// Package gate/source/lex splits a text before rules see it, and package
// gate/source/embedded finds code that is embedded in other files. This package wires
// them to [gate.Stage] and decides how files are treated that are not plain, small
// text.
//
// It promises that every target gets an outcome: findings, a gap where
// something could not be looked at, and a digest where the content could be
// read; that memory is bounded whatever the files are; and that equal input
// gives equal findings.
//
// It doesn't execute or import anything of the change, and it doesn't use the
// scanned tree's own rules.
package static
