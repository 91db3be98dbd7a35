// Package spelling undoes the ways in which languages let the same text be written
// otherwise: escapes of any dialect (\x63, \u{63}, \143, \099, %63, &#99;), line ends
// within a word, literals that are beside each other or are put together by an
// operator, interpolations that are empty or hold a constant, comments between
// letters, and names that are given a constant in the same text.
//
// It knows no grammar. It takes the union of all dialects, so that it needs no lexer
// for a language to read what is spelled in it, and nothing that a lexer could be
// confused with hides from it. The price is that a reading is no program: it is for
// rules that look for commands, which hardly come about by chance.
//
// It promises that every line of a reading knows the line of the text that it comes
// from, and to take time linear in the text.
package spelling
