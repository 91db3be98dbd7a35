// Package decode finds text that is carried in another form and gives it back so
// that rules can look at it: base64, base32 and base85, hexadecimal digits,
// escapes, percent encoding, lists and rows of character codes, also compressed, in
// UTF-16, or changed by an exclusive or with a constant that the text names.
//
// It promises bounds on how much it decodes from one text and on how far
// compressed data may grow, and to say on which line each piece begins. What is
// not text after decoding, such as an image, is left out.
//
// It doesn't guess keys, break ciphers, or decode what it decoded: the caller
// decides about depth.
package decode
