// Package decode finds text that is carried in another form, such as base64,
// hexadecimal digits or escapes, also compressed, and gives it back so that
// rules can look at it.
//
// It promises bounds on how much it decodes from one text and on how far
// compressed data may grow, and to say on which line each piece stands. What is
// not text after decoding, such as an image, is left out.
//
// It doesn't look for keys, break ciphers, or decode what it decoded: the caller
// decides about depth.
package decode
