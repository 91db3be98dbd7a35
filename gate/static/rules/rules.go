// Package rules holds the rules that gate ships: data only, one folder per
// family, described in README.md beside this file. Package rule reads them.
package rules

import "embed"

// FS holds every family: rules.yaml and samples.yaml in a folder of its own.
//
//go:embed */rules.yaml */samples.yaml
var FS embed.FS

// Literals are the texts that every match of a pattern has, for all patterns of [FS]:
// [rule.WriteLiteralTable] writes them. go generate ./gate/static computes them again after a
// rule was changed.
//
//go:embed literals.txt
var Literals string
