// Package modules joins what a program spreads over several files: it works out which
// statements of other modules the names of a file lead to, and puts them in front of it
// as if all were one text.
//
// A module is read once, into a summary: its statements at the top, which names each
// gives a value, what the module imports, and under which names it exports what. [Program.Link]
// follows the names that some statements of a file use into the modules that they come
// from, and no further than a value is followed within one text. What it returns is a
// text for the same rules that look at single files, with the file and the line of each
// of its lines, so that there is one definition of what a source or a sink is.
//
// It knows the imports of Python and of JavaScript and TypeScript, as far as they are
// written out, and the packages of Go. It follows them within the tree only.
//
// It promises to take any text, to need time and memory bounded by the constants here, to
// read nothing but the tree that it is given, and, where a bound is reached, to say so.
//
// It doesn't know which import wins where a program changes the search path, what a bundler
// is told about names of modules, or what is imported under a computed name.
package modules
