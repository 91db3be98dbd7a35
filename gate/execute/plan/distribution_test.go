package plan

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/workspace"
)

func TestAProgramOfPythonFindsWhatIsKnownOfItsPackage(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		want  string // what is added, "path: text", joined by lines
	}{
		"name, version and entry points": {map[string]string{
			"pyproject.toml": "[project]\nname = \"My.Tool\"\nversion = \"1.2.3\"\n[project.scripts]\ntool = \"my_tool.cli:main\"\n[project.entry-points.pytest11]\nmine = \"my_tool.plugin\"\n",
			"a.py":           "def f(): pass\n",
		}, "my_tool-1.2.3.dist-info/METADATA: Metadata-Version: 2.1\nName: My.Tool\nVersion: 1.2.3\n\nmy_tool-1.2.3.dist-info/entry_points.txt: [console_scripts]\ntool = my_tool.cli:main\n[pytest11]\nmine = my_tool.plugin\n"},
		"a src layout, the version of the package itself": {map[string]string{
			"p/pyproject.toml": "[project]\nname = \"tool\"\ndynamic = [\"version\"]\n", "p/src/tool/__init__.py": "__version__ = \"4.5\"\n", "p/src/tool/a.py": "def f(): pass\n",
		}, "p/src/tool-4.5.dist-info/METADATA: Metadata-Version: 2.1\nName: tool\nVersion: 4.5\n"},
		"Poetry, no version that is known": {map[string]string{"pyproject.toml": "[tool.poetry]\nname = \"tool\"\nversion = \"$VERSION\"\n", "a.py": "def f(): pass\n"},
			"tool-0.0.0.dist-info/METADATA: Metadata-Version: 2.1\nName: tool\nVersion: 0.0.0\n"},
		"a name that leads elsewhere":      {map[string]string{"pyproject.toml": "[project]\nname = \"../../x\"\n", "a.py": "def f(): pass\n"}, ""},
		"an entry point of several lines":  {map[string]string{"pyproject.toml": "[project]\nname = \"x\"\nversion = \"1\"\n[project.scripts]\na = \"b:c\\n[pytest11]\"\n", "a.py": "def f(): pass\n"}, "x-1.dist-info/METADATA: Metadata-Version: 2.1\nName: x\nVersion: 1\n\nx-1.dist-info/entry_points.txt: [console_scripts]\n"},
		"settings of tools only":           {map[string]string{"pyproject.toml": "[tool.black]\nline-length = 100\n", "a.py": "def f(): pass\n"}, ""},
		"a file that is no TOML":           {map[string]string{"pyproject.toml": "[project\n", "a.py": "def f(): pass\n"}, ""},
		"one that is written down already": {map[string]string{"pyproject.toml": "[project]\nname = \"x\"\nversion = \"1\"\n", "a.py": "def f(): pass\n", "x-1.dist-info/METADATA": "Name: x\n"}, ""},
		"no pyproject.toml above the file": {map[string]string{"other/pyproject.toml": "[project]\nname = \"x\"\n", "a.py": "def f(): pass\n"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tree := fstest.MapFS{}
			c := &gate.Change{Head: tree}
			for p, text := range tt.files {
				tree[p] = &fstest.MapFile{Data: []byte(text)}
				c.Files = append(c.Files, p)
				if strings.HasSuffix(p, "a.py") {
					c.Targets = []*gate.Target{{Path: p, Language: gate.LanguagePython, Kind: gate.ChangeModified}}
				}
			}
			slices.Sort(c.Files)
			units := Make(workspace.Load(c, nil, workspace.Limits{Bytes: 1 << 20, Files: 100}), c.Targets, nil, nil).Units
			var got []string
			for _, f := range units[0].Extra {
				got = append(got, f.Path+": "+string(f.Data))
			}
			if s := strings.Join(got, "\n"); s != tt.want {
				t.Errorf("added %q, want %q", s, tt.want)
			}
		})
	}
}
