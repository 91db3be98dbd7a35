// Package arch holds the shape of the project: which package may import which,
// and what every source file keeps to. The rules are in this package, each with
// its reason; the tests beside them apply the rules to the checkout.
//
// It promises that a rule which cannot be checked fails instead of passing:
// every rule has a sample that breaks it. Besides imports and source files these are
// the policy's keys, the counts and links in pages, the comments of packages, the
// layout, and how much one type and the command do. It checks shape only; whether the code
// is right is the business of the other tests and of the linters.
package arch
