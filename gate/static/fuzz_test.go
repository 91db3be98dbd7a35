package static_test

import (
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/tools/testenv"
)

// FuzzAnyFileHasAnOutcome runs the whole layer, with every reader of it: the one
// of encodings, of imports and manifests, of embedded and encoded code, of flows.
func FuzzAnyFileHasAnOutcome(f *testing.F) {
	testenv.WithoutRace(f, "one file at a time through the whole layer")
	for _, p := range pathologicals() {
		switch p.shape {
		case "sources and sinks", "keys", "UTF-16", "bombs", "other names", "aliases of aliases", "many steps", "many cells", "many modules":
			f.Add(p.name, string(p.lang), []byte(p.text(300)))
		}
	}
	f.Add("lib.whl", "binary", []byte(packed(f, "setup.py", dangerous, "../x.so", "\x7fELF\x00")))
	f.Add("tool.py", "python", []byte("#!/usr/bin/env python3\n"+packed(f, "__main__.py", dangerous)))
	f.Add("data.pkl", "binary", []byte("\x80\x02cposix\nsystem\nU\x11touch marker-file\x85R."))
	s := newScanner(f, nil)
	f.Fuzz(func(t *testing.T, name, lang string, data []byte) {
		known := slices.ContainsFunc(dialects(), func(d dialect) bool { return string(d.lang) == lang }) ||
			slices.Contains([]gate.Language{gate.LanguageWorkflow, gate.LanguageText, gate.LanguageHTML, gate.LanguagePowerShell,
				gate.LanguageRuby, gate.LanguagePerl, gate.LanguagePHP, gate.LanguageC, gate.LanguageRust, gate.LanguageJava,
				gate.LanguageINI, gate.LanguageUnknown, gate.LanguageBinary}, gate.Language(lang))
		if !known || !fs.ValidPath(name) || name == "." || len(data) > 64<<10 {
			return
		}
		target := &gate.Target{Path: name, Language: gate.Language(lang), Role: gate.RoleSource, Kind: gate.ChangeAdded, Mode: 0o644}
		out := run(t, s, fstest.MapFS{target.Path: {Data: data, Mode: 0o644}}, target)
		if len(out.digests) != 1 {
			t.Fatalf("%d digests, gaps %q", len(out.digests), out.gaps)
		}
		for _, finding := range out.found[target.Path] {
			if finding.Rule == "" || finding.Line < 0 || finding.EndLine != 0 && finding.EndLine < finding.Line {
				t.Fatalf("%+v", finding)
			}
		}
	})
}
