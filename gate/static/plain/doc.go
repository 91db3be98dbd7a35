// Package plain writes what a shell script downloads, and what runs it, in one plain form,
// so that a rule needs to know that form only:
//
//   - addresses that a program takes without a scheme get one: curl and wget take any word that
//     is no option as an address, and ask it over HTTP;
//   - a pipe has a blank on either side and is on one line, whatever line ends and comments
//     are in it;
//   - the name of a program is written out where an alias, a copy, a link, a pattern, a
//     substitution or a function of the same script stands for it;
//   - the file that a download ends in is named, whether an option, the address, a folder, a
//     pipe or a later copy names it;
//   - programs that fetch, and that few rules know, are written as curl;
//   - what a command reads without being told so (make its Makefile, pytest its conftest.py) is
//     named where it was downloaded before.
//
// It promises that every line stays where it is; that what has nothing to do with a download
// stays as it is; to take time linear in the text; and that any text is read, whether it is a
// script or not.
//
// The result is for rules, not for a shell: it says what happens and doesn't do the same.
// Nothing is run, and no address is asked.
package plain
