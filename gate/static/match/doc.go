// Package match runs rules over text.
//
// One automaton finds the keywords of all rules in one pass; patterns are
// compiled when they are first needed and run only in the lines around a
// keyword; lexing happens only for text in which a keyword was found. Time is
// linear in the text for any input, memory is proportional to it.
//
// It promises that the same text gives the same matches in the same order, that
// an [Engine] may be used by many goroutines, and that a bound that is reached
// makes more matches, never fewer.
//
// It doesn't read files, know lines of other files, or decide about severities
// by policy: package scan does.
package match
