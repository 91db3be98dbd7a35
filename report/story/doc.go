// Package story tells what the findings of a file mean together: findings that describe the
// same harm belong together, and a harm has one sentence.
//
// A harm is a set of findings that share a sink, a source, a step of a flow or a line, or
// that are in text which the harm decodes. The strongest finding leads; the others are
// its evidence. Findings join the strongest harm that they touch, and never make two
// harms one: a common line in the middle does not hide a second harm.
//
// What it promises: it is pure, every finding is in exactly one harm, what decides
// and what does not are never one, and a suppressed finding stands alone, as does what is
// wrong with a suppression. The time that it takes grows with the findings and their
// lines, not with their square. Sentences are short; what they take from the change is made of letters, digits and a few
// signs, and is marked as taken from the change.
//
// What it does not do: decide. Verdicts are made of the findings themselves, before.
package story
