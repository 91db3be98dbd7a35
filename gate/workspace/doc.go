// Package workspace keeps the files of sessions between calls: what an agent writes, and
// what its programs leave.
//
// What it promises: a name in a workspace is data and never a path of this machine; all
// files of a session are one file in gate's own folder, which is open to its user alone, so
// nothing is unpacked; files, names and sessions are bounded in number and size; a change is
// there whole or not at all; one call at a time has a session, also between processes; a
// session ends by itself when it is unused or old; who doesn't know the identifier of a
// session, or is not its owner, gets the same answer as for one that does not exist.
//
// What it does not do: look at what the files are (that is for the layers), run them, or
// keep links, modes and empty folders.
package workspace
