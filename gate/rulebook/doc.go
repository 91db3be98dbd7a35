// Package rulebook is the catalogue of all rules: those of every layer, those about
// suppressions, and those that a team wrote itself. It is what `gate rules` shows and
// checks, and where reports take the documentation of rules from.
//
// It promises that every rule is described by the layer that applies it, once, and that a
// new rule which it writes passes its own samples. Errors carry their exit code
// ([exit.Error]).
//
// It applies no rules and prints nothing: [Book] returns what is known, and the commands
// print it.
package rulebook
