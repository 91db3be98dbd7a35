// Package lex splits source text into code, strings and comments, and finds out
// which physical lines make one logical line.
//
// It promises to take any input, to look at every byte once or a small constant
// number of times, never to panic, and to cover the text with sorted spans that
// don't overlap. It is tolerant: an unterminated string ends with its line
// where the language has it so, else with the file.
//
// It doesn't parse: no syntax tree, no names, no types, and no error for text
// that is not valid in its language.
package lex
