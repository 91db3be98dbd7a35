// Package weakening compares two versions of programs, and says which security checks the
// newer one lost and which weaknesses it gained.
//
// It reads Python, JavaScript, TypeScript and Go as functions (package gate/source/tokens
// gives it statements), finds the function of the base that each function of the head
// comes from, also where it was renamed or moved to another file of the change, and looks
// at the statements that went and came:
//
//	text        what patterns match more often, or less often, than before
//	guards      blocks that deny something ("if …: raise …") and are gone, no longer deny or
//	            end their function, or are under a new condition
//	conditions  what lets more through than it did: a clause fewer, "or" for "and", a reversed
//	            test, a comparison that accepts more
//	order       what comes before a check, after it, or in an error handler
//	results     new ways to answer "allowed"
//	numbers     limits, lifetimes and costs that moved in the wrong direction
//	lists       what is refused, and is on the list no more
//
// What to look for are rules: the key "change" of package gate/static/rule. A check that
// moved is not lost: what the rest of the change adds is asked first whether it covers
// what is gone.
//
// Pages and templates have no functions: their statements are their lines.
//
// It promises to take any input with work that is bounded by its size, and that equal
// input gives equal findings. It doesn't parse: expressions are compared as tokens, and
// whether two checks do the same is judged by the words in them. Without a base it finds
// nothing.
package weakening
