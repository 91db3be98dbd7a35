// Package workspace is what the programs of a change find in their container: the
// files of the change, read once.
//
// What it promises: every container of a run gets the same bytes, whatever happens
// to the files meanwhile; nothing of .git and no .env enters; a link that leads out
// of the tree stays outside; a file that was left out has a reason.
//
// What it does not do: decide which files are listed, or write anything to disk.
package workspace
