// Package policy reads gate's configuration from YAML into a [gate.Policy].
//
// What it promises: a file is taken whole or not at all; an unknown key, a
// duplicate, a bad value, an alias or a second document is an [Error] that names
// file, line, column and what is allowed; keys that reach outside of the
// repository (hosts, images, runtimes, egress) are taken from trusted sources
// only, and what was ignored is said. The keys are a table (keys.go) from which
// the reference in docs/policy.md is generated.
//
// What it does not do: find or read files, or decide which commit's file counts.
package policy
