// Package linediff says which lines of a text differ from an older one.
//
// It promises that what it calls unchanged is: those lines are in both texts, in
// the same order, byte for byte, line ends included. Its work is bounded
// whatever the texts are; where the bound is reached it calls lines changed that
// a longer search might have matched, never the other way round.
//
// It does not promise the smallest difference, nor the one that git shows,
// where several are right.
package linediff
