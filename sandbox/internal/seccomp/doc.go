// Package seccomp makes the system call profile of the sandbox out of the
// default profile of Moby: the same format, resolved for a container without
// capabilities on 64-bit x86 and ARM, with less in it.
//
// Only tests import it. Its result is the file seccomp.json that package sandbox
// embeds, so that gate builds where Moby's package does not, and so that a
// change of Moby's default shows up as a difference to be read.
//
// It promises to only ever take away: a call that Moby denies without
// capabilities is denied here.
package seccomp
