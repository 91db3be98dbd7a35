// Package cache keeps results on the disk of one machine, so that what was looked
// at already, under the very same conditions, is not looked at again.
//
// An entry is found by a key that its user derives from everything that the result
// depends on; the package knows nothing of what is in it.
//
// Package housekeeping, below, shows and prunes a store for a user who asks. Package
// ledger keeps why the runs of the last scan were reused or not.
//
// What it promises: an entry is given back exactly as it was put in, or not at all.
// One that is cut, changed, renamed, too large, from the future or too old is a
// miss, and removed. Entries appear whole or not at all, also when gates run side by
// side or are killed. The folder is the user's alone (0700), and nothing in it that
// the package did not make is touched. Size, age and number of entries are bounded;
// what has not been used for longest goes first. A store that is read-only changes
// nothing on the disk. No failure of the cache is an error of a run: it is a miss,
// and a warning.
//
// What it does not promise: that an entry is true. The checksum is against accidents
// and mix-ups, and anyone who may write to the folder can compute it as well. So it
// belongs where only gate's own user can write, and users check what they get as they
// would check it from its source.
package cache
