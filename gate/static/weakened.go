package static

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/static/weakening"
)

// maxCompared is the largest program that is compared with its older version, in bytes: the
// most that a policy allows for a file, above which the layer says so.
const maxCompared = 10 << 20

// illustration matches paths of programs that show or test something and protect nothing.
var illustration = regexp.MustCompile(`(?i)(?:^|/)(?:examples?|samples?|demos?|fixtures?|testdata|benchmarks?|playground|tutorials?|docs?)/|(?:^|/)(?:functional|integration|acceptance|e2e|smoke)[-_]tests?\.\w+$`)

// development matches paths of settings for a developer's machine:
// cookies go over http there, and errors are shown.
var development = regexp.MustCompile(`(?i)(?:^|/)settings/(?:tests?|testing|ci|local)\.py$|(?:^|/)(?:test|testing|ci|local)_settings\.py$|(?:^|/)settings_(?:test|testing|ci|local)\.py$|(?:^|/)(?:application|appsettings)[-_.](?:dev|development|local|test|ci)\.\w+$|(?:^|/)(?:docker-)?compose[.-](?:dev|development|local|test|override)\.ya?ml$|(?:^|/)\.env\.(?:dev|development|local|test|example|sample)$|(?:^|/)config/environments/(?:development|test)\.rb$|(?:^|/)(?:\.devcontainer|dev|local|vagrant|molecule)/[^/]+\.(?:conf|ya?ml|tf|ini)$|(?:^|/)(?:settings|config|conf)/(?:dev|development)\.\w+$|(?:^|/)(?:dev|development)_settings\.\w+$|(?:^|/)settings[._](?:dev|development)\.\w+$`)

// built matches paths of programs that others wrote or a tool put together.
// A folder of bundles is one for scripts of pages only: packages of other languages have that name, too.
var built = regexp.MustCompile(`(?i)(?:^|/)(?:build/lib|vendor|third_party|node_modules|bower_components)/|(?:^|/)(?:dist|bundles?)/(?:.*/)?[^/]*\.(?:[cm]?js|d\.ts|css|html?|map)$`)

// weakenings reports which security checks the change takes away, and which weaknesses it
// brings: what a look at the files one by one doesn't see. Tests and what programs make
// neither protect anything nor cover for what does.
func (s *Scanner) weakenings(ctx context.Context, c *gate.Change, results []*file, found *gate.Findings) error {
	if c.Base == nil {
		return nil
	}
	at := map[string]*file{}
	var files []weakening.File
	for i, t := range c.Targets {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !weakening.Knows(t.Language) || t.Parent != "" || t.Kind == gate.ChangeNone || !protects(t) || isBulk(t) && !isSmallJSON(t) || built.MatchString(t.Path) {
			continue
		}
		f := weakening.File{Path: t.Path, Language: t.Language, Memory: c.Memory}
		if t.Kind != gate.ChangeAdded {
			base, err := bounded.ReadFile(c.Base, olderPath(t), maxCompared)
			if errors.Is(err, fs.ErrNotExist) || bounded.IsTooLarge(err) {
				continue
			}
			if err != nil {
				results[i].gap("the base's version can't be read, so no one knows which checks are gone: %v", err)
				continue
			}
			f.Base = base
		}
		if t.Exists() {
			head, err := c.Read(t, maxCompared)
			if err != nil {
				continue // the layer says so where it reads the file
			}
			f.Head = head
		}
		at[t.Path] = results[i]
		files = append(files, f)
	}
	for _, x := range s.weakened.Compare(files, (&neighbours{c, files}).of) {
		if f := at[x.Path]; f != nil {
			reportWeakened(f, x, found)
		}
	}
	return ctx.Err()
}

// protects reports whether a file may hold what protects a program: no test, and where a
// program is only compared line by line also what builds and installs it.
func protects(t *gate.Target) bool {
	switch t.Role {
	case gate.RoleSource, gate.RoleInfra:
		return true
	case gate.RoleCI, gate.RoleManifest:
		return weakening.ByLine(t.Language) && !ofTests.MatchString(t.Path)
	}
	return false
}

// ofTests matches paths of manifests and settings that only tests use.
var ofTests = regexp.MustCompile(`(?i)(?:^|/)(?:tests?|__tests__|testing|testdata|e2e|specs?|fixtures?)/`)

// maxSettings is how large a file of JSON may be that holds settings, in bytes: larger ones hold data.
const maxSettings = 64 << 10

// isSmallJSON reports whether a file is JSON as people write it, such as a manifest.
func isSmallJSON(t *gate.Target) bool {
	return t.Language == gate.LanguageJSON && (t.Role == gate.RoleSource || t.Role == gate.RoleInfra || t.Role == gate.RoleManifest) && t.Size <= maxSettings
}

// reportWeakened reports one of them.
func reportWeakened(f *file, x weakening.Finding, found *gate.Findings) {
	effect := x.Rule.In(f.target.Role)
	if effect.Off {
		return
	}
	if illustration.MatchString(f.target.Path) || development.MatchString(f.target.Path) {
		effect.Severity = min(effect.Severity, gate.SeverityNote)
	}
	message, evidence := x.Rule.Message, x.Evidence
	if x.Detail != "" {
		message += ", " + x.Detail
	}
	switch {
	case f.costs.masked != nil && *f.costs.masked:
		evidence = notShown
	case x.Rule.Redact:
		evidence = withoutTexts.ReplaceAllString(evidence, `"***"`)
	}
	one := gate.Finding{
		Rule: x.Rule.ID, Layer: gate.LayerStatic, Severity: effect.Severity, Line: x.Line, EndLine: x.End, Message: message,
		Evidence: gate.Clip(strings.ToValidUTF8(evidence, "\uFFFD"), gate.MaxEvidence),
	}
	if !slices.ContainsFunc(found.Of(f.target.Path), func(o gate.Finding) bool { return o.Rule == one.Rule && o.Line == one.Line }) {
		found.AddNew(f.target.Path, one)
	}
}

// withoutTexts matches the literals of a statement.
var withoutTexts = regexp.MustCompile("\"[^\"]*\"|'[^']*'|`[^`]*`")
