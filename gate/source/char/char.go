// Package char classifies the bytes that names in program text are made of.
//
// It promises one answer for everybody who cuts words out of a text. There are two
// classes, because two questions are asked: a reader of a language takes every letter of
// every script as part of a name ([IsWord]); a pattern means what \w and \b mean in a
// regular expression ([IsASCIIWord]). It looks at bytes, not at characters, and doesn't
// say whether a text is valid UTF-8.
package char

import "unicode/utf8"

// IsWord reports whether a byte can be part of a name: a letter, a digit, an underscore,
// or any part of a character beyond ASCII.
func IsWord(c byte) bool { return IsASCIIWord(c) || c >= utf8.RuneSelf }

// IsASCIIWord reports whether a byte is an ASCII letter, a digit or an underscore, as \w
// in a regular expression.
func IsASCIIWord(c byte) bool { return IsNameStart(c) || c >= '0' && c <= '9' }

// IsNameStart reports whether a name in ASCII can begin with a byte: a letter or an
// underscore, no digit.
func IsNameStart(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
