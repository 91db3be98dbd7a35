// Package lookalike tells names of packages that look like those of popular ones:
// a letter too few, too many, swapped or replaced, digits for letters, other
// separators, the words in another order, or an ending that sounds official.
//
// The lists are the names without scope that are downloaded most, by the public
// counts of the registries in November 2026: npm.txt from the npm registry, by
// downloads a month, and pypi.txt from PyPI, by rank. The first names of each
// list are those that an impostor would choose; all of them are known to be
// themselves. Popular modules of Go are listed by hand in go.txt, because their
// paths have no registry, and popular crates of Rust by hand in crates.txt.
//
// It promises that a name on a list is never told to look like another, and to
// take time bounded by the lists for any name. It doesn't know who registered a
// name, and asks no registry.
package lookalike
