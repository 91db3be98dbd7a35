// Package strict reads the YAML that policies, rules, corpora and attacks are
// written in.
//
// It promises that nothing is lost in silence: each file is one document, each
// key is known and unique, aliases are refused, and every mistake is
// reported with file, line, column, what was expected and the word that was
// probably meant. Mistakes are collected, up to a bound, so that a user who
// corrects a file sees all of them at once.
//
// It doesn't know what the keys mean, doesn't open files and doesn't bound
// their size: who calls it does.
package strict
