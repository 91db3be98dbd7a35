// Package taint follows values through one text of a program: from where
// something sensitive is read to where it leaves, through variables, functions,
// callbacks, containers and formatted texts.
//
// A [Graph] holds the definitions of a text: which names get which expressions,
// in which function and block. [Graph.Trace] asks backwards from an expression
// which definitions reach it. Statements are recognised from tokens, without a
// parser, so that any text has a graph: Python by its indentation, JavaScript,
// TypeScript and Go by their braces, shell by its words.
//
// It promises to take any input, never to panic, to need time and memory
// proportional to the text for building a graph and a bounded amount for a
// question, and, where a bound is reached, to say so instead of "no".
//
// It doesn't know types, other files (package modules joins them before), or which branch is taken; of two
// assignments on different branches both reach what follows. What it finds is a
// path that a reader can check line by line, not a proof.
package taint
