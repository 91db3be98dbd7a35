// Package tokens reads the statements of a text as tokens, so that two ways to format
// one statement are the same.
//
// What two texts with the same tokens may differ in: blanks, line ends where the
// language makes nothing of them, comments, a comma before a closing bracket, and the
// quotes of strings that mean the same in both. Names, values, operators and their order
// are always part of the tokens.
//
// It promises to take any input, with work that grows with its size, and to lean to one
// side: where a lexer could be mistaken about a comment, the comment is part of the
// tokens; where a line end could end a statement, it is.
//
// It knows Python, JavaScript, TypeScript, Go and shell. It doesn't parse, and says of no
// other language that it could read it.
package tokens
