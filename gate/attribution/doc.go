// Package attribution says which targets of a change an AI wrote, as far as
// marks show it: who committed, what the commits and the pull request say, and
// the records that some tools leave for single lines. The marks are a table of
// data (signals.go).
//
// It promises that a mark only ever adds scrutiny: no text, record or account
// makes a target count as written by people when another mark says otherwise;
// what cannot be known, because a history is cut, squashed or cannot be read,
// is "unknown" and counts as AI; every claim shows its evidence. Everything it
// reads is hostile, and bounded.
//
// It does not prove anything: marks can be forged, and they can be removed, so
// what it finds is a lower bound. Anyone who cannot live with that sets `changes:
// all`. It does not judge the style of code either.
package attribution
