// Package strlit reads string literals of Python, JavaScript and Go, whose quotes and
// escapes are alike.
//
// Two kinds of readers need different answers. What computes with the value of a literal
// must not be wrong about it: [Unquote] and [Unescape] say when a text is none, and give
// no value then. What looks for commands in a literal would rather have most of it:
// [TrimQuotes] and [UnescapeLoosely] take any text, also one that is cut.
//
// It doesn't find the literals (package lex does), and it doesn't know prefixes such as
// Python's r and f.
package strlit
