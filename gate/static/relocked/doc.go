// Package relocked compares the entries of two versions of a lock file.
//
// [Find] reports an entry whose name and version stayed while its digest changed or went, and
// one that resolves to another package than its name says. It reads the lock files of npm, pnpm,
// Yarn, Bun, Deno, Cargo, Go, pip, Poetry, uv, PDM, Pipenv, Composer, Bundler, NuGet and Nix,
// requirements with hashes, and the pinned actions of workflows.
//
// It promises to be quiet about honest updates: version and digest change together, a digest of
// another algorithm is added, an index has more files of the same version, a manifest names the
// alias or the repository, and a commit of the same repository moves on.
//
// It asks no registry: whether the digest of a new version is the right one, it can't say. What
// it can't parse has no entries.
package relocked
