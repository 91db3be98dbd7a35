// Package canary finds planted secrets in hostile bytes. A canary is a random
// value that lies where attackers look; anyone who sends it somewhere has read it
// there and means to keep it. Attackers seldom send what they took as it is, so
// the value is looked for in the shapes that programs give to bytes on their
// way out.
//
// What it promises:
//
//   - A part of [Part] characters is found, wherever the data was cut before.
//   - Plain (in any letter case, with anything but letters and digits between
//     the characters, so also as UTF-16 and over the labels of a DNS name),
//     reversed, rot13, XORed with one byte, base64 in both alphabets, base32 in
//     both alphabets and any case, hex with any separators. Each at every
//     alignment, of the reversed value as well, and base64 and hex read
//     backwards.
//   - The same below one step of base64, hex, percent-encoding, backslash
//     escapes or lists of decimal bytes, and below one step of gzip, zlib or
//     raw deflate, in either order. Below base32 only compressed data is
//     looked for.
//   - Time is linear in the input and memory is bounded, whatever the input. Where
//     a bound kept it from looking, [Stream.Incomplete] says so: nothing found is
//     then no answer.
//
// What it does not: undo encryption, other compressions, deeper nesting, or a
// value that was cut into pieces shorter than Part with other letters and digits
// in between. Raw deflate has no mark of its own and is tried only where a
// payload starts: at the beginning, after an empty line, where encoded text
// begins.
package canary
