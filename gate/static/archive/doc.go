// Package archive reads the members of an archive that a change brings in: zip
// with everything built on it (wheel, jar, egg, npz, office documents), tar, gzip
// and bzip2 of a tar or of one file, and ar as Debian packages use it. It also finds
// archives behind something else: a zip behind a script, a tar behind the script
// that unpacks it.
//
// Formats are told by content, never by name. Readers of archives disagree about
// damaged and ambiguous ones, so every reading counts: each copy of a name that is
// there twice, a member that the directory of a zip leaves out, a second tar behind
// the first.
//
// It promises that members, their number, their bytes and the bytes that
// compressed data grows to are bounded; that names are valid paths below the
// archive; and that what was not read is said: as a problem where the archive is
// the reason, as a bound where the package is.
//
// It writes nothing to a disk, follows no links, decrypts nothing, and doesn't open
// archives inside of archives: a member that is one is a member.
package archive
