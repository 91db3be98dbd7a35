package static_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

// shadowCase is a change of a small project: an empty text takes a file away.
type shadowCase struct {
	base, head map[string]string
	want       string // the path of the finding, none if it is empty
}

func checkShadows(t *testing.T, cases map[string]shadowCase) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			base, head := fstest.MapFS{}, fstest.MapFS{}
			for p, text := range tc.base {
				base[p] = file(text)
			}
			maps.Copy(head, base)
			c := &gate.Change{Base: base, Head: head}
			for p, text := range tc.head {
				kind := gate.ChangeModified
				if base[p] == nil {
					kind = gate.ChangeAdded
				}
				if text == "" {
					delete(head, p)
					continue
				}
				head[p] = file(text)
				c.Targets = append(c.Targets, &gate.Target{
					Path: p, Language: gate.LanguageUnknown, Role: gate.RoleSource, Kind: kind, Mode: 0o644, Size: int64(len(text)),
				})
			}
			c.Files = slices.Sorted(maps.Keys(head))
			slices.SortFunc(c.Targets, func(a, b *gate.Target) int { return strings.Compare(a.Path, b.Path) })
			found := gate.NewFindings(c.Targets, nil)
			if _, err := newScanner(t, nil).Run(t.Context(), c, found); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, target := range c.Targets {
				for _, f := range found.Of(target.Path) {
					if f.Rule == "supply-chain/shadowing-module" && f.Severity == gate.SeveritySuspicious {
						got = append(got, target.Path)
					}
				}
			}
			if want := slices.DeleteFunc([]string{tc.want}, func(p string) bool { return p == "" }); !slices.Equal(got, want) {
				t.Errorf("found in %q, want %q", got, want)
			}
		})
	}
}

func plus(base map[string]string, more ...string) map[string]string {
	out := maps.Clone(base)
	for i := 0; i+1 < len(more); i += 2 {
		out[more[i]] = more[i+1]
	}
	return out
}

func TestANewFileToWhichAnImportOfJavaScriptNowLeadsIsSuspicious(t *testing.T) {
	const lodash = `{"name": "app", "dependencies": {"lodash": "^4.17.21"}}`
	app := map[string]string{"package.json": lodash, "src/a.js": "const _ = require('lodash');\n", "src/b.js": "import fs from 'node:fs';\n", "src/old/l.js": "export {};\n"}
	relative := map[string]string{"src/a.js": "const x = require('./x');\n", "src/x/index.js": "exports.a = 1;\n"}
	data := map[string]string{"src/a.js": "const x = require('./x');\n", "src/x.json": "{}\n"}
	typed := map[string]string{"src/a.ts": "import { x } from './x';\n", "src/x.ts": "export const x = 1;\n"}
	config := plus(app, "vite.config.js", "export default { resolve: { alias: {} } };\n", "tsconfig.json", `{"compilerOptions": {}}`)
	monorepo := plus(app, "package.json", `{"workspaces": ["packages/*"], "dependencies": {"lodash": "^4.17.21"}}`)
	entry := map[string]string{"package.json": `{"name": "app", "main": "lib/index.js"}`, "lib/index.js": "exports.a = 1;\n"}
	checkShadows(t, map[string]shadowCase{
		"a package in node_modules":                 {app, map[string]string{"node_modules/lodash/index.js": "x();\n", "node_modules/lodash/package.json": "{}"}, "node_modules/lodash/index.js"},
		"in node_modules of a folder":               {app, map[string]string{"src/node_modules/lodash/index.js": "x();\n"}, "src/node_modules/lodash/index.js"},
		"in node_modules of another folder":         {app, map[string]string{"examples/node_modules/lodash/index.js": "x();\n"}, ""},
		"in node_modules, which nothing imports":    {app, map[string]string{"node_modules/other/index.js": "x();\n"}, ""},
		"where node_modules is committed":           {plus(app, "node_modules/a/index.js", "1;\n"), map[string]string{"node_modules/lodash/index.js": "x();\n"}, ""},
		"a file before a folder":                    {relative, map[string]string{"src/x.js": "x();\n"}, "src/x.js"},
		"the folder has moved to a file":            {relative, map[string]string{"src/x.js": "x();\n", "src/x/index.js": ""}, ""},
		"a folder behind a file":                    {typed, map[string]string{"src/x/index.ts": "x();\n"}, ""},
		"a program before data":                     {data, map[string]string{"src/x.js": "x();\n"}, "src/x.js"},
		"data behind a program":                     {typed, map[string]string{"src/x.json": "{}\n"}, ""},
		"JavaScript beside TypeScript":              {typed, map[string]string{"src/x.js": "x();\n"}, "src/x.js"},
		"declarations beside a program":             {typed, map[string]string{"src/x.d.ts": "export {};\n"}, ""},
		"a file that nothing imports":               {typed, map[string]string{"src/a.js": "x();\n"}, ""},
		"an entry point in a folder with an index":  {relative, map[string]string{"src/x/package.json": `{"main": "y.js"}`, "src/x/y.js": "x();\n"}, "src/x/package.json"},
		"another entry point":                       {entry, map[string]string{"package.json": `{"name": "app", "main": "lib/main.js"}`, "lib/main.js": "x();\n"}, "package.json"},
		"the entry point has moved":                 {entry, map[string]string{"package.json": `{"name": "app", "main": "lib/main.js"}`, "lib/main.js": "x();\n", "lib/index.js": ""}, ""},
		"one more entry point":                      {entry, map[string]string{"package.json": `{"name": "app", "main": "lib/index.js", "module": "lib/main.mjs"}`, "lib/main.mjs": "x();\n"}, ""},
		"a dependency from a folder":                {app, map[string]string{"package.json": `{"dependencies": {"lodash": "file:./libs/lodash"}}`, "libs/lodash/index.js": "x();\n"}, "package.json"},
		"a new dependency from a folder":            {app, map[string]string{"package.json": `{"dependencies": {"lodash": "^4.17.21", "mine": "file:./libs/mine"}}`, "libs/mine/index.js": "x();\n"}, ""},
		"a package of the workspace":                {monorepo, map[string]string{"packages/l/package.json": `{"name": "lodash"}`}, "packages/l/package.json"},
		"of another name":                           {monorepo, map[string]string{"packages/l/package.json": `{"name": "mine"}`}, ""},
		"outside of the workspace":                  {monorepo, map[string]string{"tests/l/package.json": `{"name": "lodash"}`}, ""},
		"an alias of a bundler":                     {config, map[string]string{"vite.config.js": "export default { resolve: { alias: { lodash: './src/l.js' } } };\n", "src/l.js": "x();\n"}, "vite.config.js"},
		"an alias in parts, on lines":               {config, map[string]string{"vite.config.js": "export default {\n  resolve: {\n    alias: {\n      lodash: path.resolve(__dirname,\n        'src', 'l.js'),\n    },\n  },\n};\n", "src/l.js": "x();\n"}, "vite.config.js"},
		"an alias in a list":                        {config, map[string]string{"vite.config.js": "export default { resolve: { alias: [{ find: /^lodash$/, replacement: resolve('./src/l.js') }] } };\n", "src/l.js": "x();\n"}, "vite.config.js"},
		"an alias of a module of Node":              {config, map[string]string{"vite.config.js": "export default { resolve: { alias: { fs: './src/l.js' } } };\n", "src/l.js": "x();\n"}, "vite.config.js"},
		"an alias to a file of the base":            {config, map[string]string{"vite.config.js": "export default { resolve: { alias: { lodash: './src/old/l.js' } } };\n"}, ""},
		"an alias of a new name":                    {config, map[string]string{"vite.config.js": "export default { resolve: { alias: { '@': './ui' } } };\n", "ui/l.js": "x();\n"}, ""},
		"paths of TypeScript":                       {config, map[string]string{"tsconfig.json": `{"compilerOptions": {"baseUrl": "src", "paths": {"lodash": ["l"]}}}`, "src/l.ts": "x();\n"}, "tsconfig.json"},
		"a base folder of TypeScript":               {config, map[string]string{"tsconfig.json": `{"compilerOptions": {"baseUrl": "src"}}`, "src/lodash.ts": "x();\n"}, "src/lodash.ts"},
		"a file by that name without a base folder": {config, map[string]string{"src/lodash.ts": "x();\n"}, ""},
		"names of tests":                            {app, map[string]string{"jest.config.js": "module.exports = { moduleNameMapper: { '^lodash$': '<rootDir>/test/l.js' } };\n", "test/l.js": "x();\n"}, "jest.config.js"},
		"files for browsers":                        {app, map[string]string{"package.json": `{"name": "app", "dependencies": {"lodash": "^4.17.21"}, "browser": {"./src/a.js": "./src/c.js"}}`, "src/c.js": "x();\n"}, "package.json"},
		"imports of a package":                      {plus(app, "package.json", `{"imports": {"#l": "./src/a.js"}}`), map[string]string{"package.json": `{"imports": {"#l": "./src/c.js"}}`, "src/c.js": "x();\n"}, "package.json"},
	})
}

func TestANewFolderToWhichAnImportOfGoNowLeadsIsSuspicious(t *testing.T) {
	const mod = "module example.com/app\n\nrequire github.com/pkg/errors v0.9.1\n"
	const list = "# github.com/pkg/errors v0.9.1\n## explicit\ngithub.com/pkg/errors\n"
	app := map[string]string{"go.mod": mod, "main.go": "package main\n\nimport _ \"github.com/pkg/errors\"\n"}
	taken := map[string]string{"third/errors/go.mod": "module github.com/pkg/errors\n", "third/errors/e.go": "package errors\n"}
	vendored := plus(app, "vendor/modules.txt", list, "vendor/github.com/pkg/errors/e.go", "package errors\n")
	checkShadows(t, map[string]shadowCase{
		"a replacement by a folder":                 {app, plus(taken, "go.mod", mod+"\nreplace github.com/pkg/errors => ./third/errors\n"), "go.mod"},
		"a replacement by a folder of the base":     {plus(app, "third/errors/e.go", "package errors\n"), map[string]string{"go.mod": mod + "\nreplace github.com/pkg/errors => ./third/errors\n"}, ""},
		"a replacement of a new requirement":        {app, map[string]string{"go.mod": mod + "\nrequire example.com/new v1.0.0\n\nreplace example.com/new => ./new\n", "new/n.go": "package n\n"}, ""},
		"a workspace":                               {app, plus(taken, "go.work", "go 1.22\n\nuse (\n\t.\n\t./third/errors\n)\n"), "go.work"},
		"a workspace with a module of its own name": {app, map[string]string{"go.work": "go 1.22\n\nuse ./tool\n", "tool/go.mod": "module example.com/tool\n"}, ""},
		"a new vendor folder":                       {app, map[string]string{"vendor/modules.txt": list, "vendor/github.com/pkg/errors/e.go": "package errors\n", "vendor/github.com/pkg/errors/f.go": "package errors\n"}, "vendor/github.com/pkg/errors/e.go"},
		"a vendored file that changes alone":        {vendored, map[string]string{"vendor/github.com/pkg/errors/e.go": "package errors\n\nfunc New() {}\n"}, "vendor/github.com/pkg/errors/e.go"},
		"a new vendored file alone":                 {vendored, map[string]string{"vendor/github.com/pkg/errors/z.go": "package errors\n"}, "vendor/github.com/pkg/errors/z.go"},
		"a vendored file with its version":          {vendored, map[string]string{"vendor/modules.txt": strings.ReplaceAll(list, "0.9.1", "0.9.2"), "go.mod": strings.ReplaceAll(mod, "0.9.1", "0.9.2"), "vendor/github.com/pkg/errors/e.go": "package errors\n\nfunc New() {}\n"}, ""},
	})
}
