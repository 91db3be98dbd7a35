// Package lazyregexp has the expressions of package regexp, compiled when they are first
// used: gate knows more than a thousand, a short run such as that of a hook needs a few, and
// compiling all of them would take longer than its work.
//
// The methods do what those of package regexp do. Files import it under the name regexp. Once
// an expression has been asked about more than a little text, an automaton ([dfa.Expr]) says
// first whether there is a match: most texts have none.
//
// It doesn't make a mistake in an expression harder to find: in the binary of a test, every
// expression is compiled at once, as package regexp does.
package lazyregexp
