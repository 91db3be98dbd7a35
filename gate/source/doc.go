// Package source is about text of programs, read once for all who look at it: a
// library that stages may import, because it knows none of them.
//
//	char         which bytes names are made of
//	dfa          whether a regular expression matches, faster than package regexp says it
//	lex          splits a text into code, strings and comments, per language
//	tokens       reads statements as tokens, so that their format doesn't matter
//	strlit       reads string literals
//	embedded     finds code that is embedded in other files
//	placeholder  works out the placeholders of templated settings
//	build        works out what build files run: variables, functions of text
//	interpreter  which programs run text, and how a first line names one
//	workflow     what workflows of GitHub, the settings of other CI systems and of bots may do
//	attributes   in which encoding git checks files out
//	stub         which files stand for content that is kept elsewhere
//	owners       who has to review which files
//	versions     which lines of a file mean something else than in an older version
//
// What is below promises to take any input, with work bounded by its size. It doesn't
// judge what it reads. The package itself has no code.
package source
