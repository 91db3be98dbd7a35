// Package reach finds by name what a change puts to use that it does not touch: the
// modules that its lines import, the functions that they call, the files that they
// start, and the settings that they switch.
//
// It promises to take any text, with work bounded by its length, and to look at names
// and indentation only. A name counts where the older text does not have it.
//
// It doesn't know types, and doesn't follow more than one file: what is reached is
// looked at as far as it calls itself, not what it reaches in turn.
package reach
