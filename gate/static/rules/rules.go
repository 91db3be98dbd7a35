// Package rules holds the rules that gate ships: data only, one folder per
// family, described in README.md beside this file. Package rule reads them.
package rules

import "embed"

// FS holds every family: rules.yaml and samples.yaml in a folder of its own.
//
//go:embed */rules.yaml */samples.yaml
var FS embed.FS
