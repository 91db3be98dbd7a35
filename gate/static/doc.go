// Package static is the static layer: it reads every file of a change and
// reports what its rules find, without executing anything.
//
// The rules are data (package rules), read by package rule and run by package
// match over text that package lex has split; package region finds code that is
// embedded in other files. This package wires them to [gate.Stage] and decides
// what becomes of files that are not plain, small text.
//
// It promises that every target gets an outcome: findings, a gap where
// something could not be looked at, and a digest where the content could be
// read; that memory is bounded whatever the files are; and that equal input
// gives equal findings.
//
// It doesn't execute or import anything of the change, and it doesn't use the
// scanned tree's own rules.
package static
