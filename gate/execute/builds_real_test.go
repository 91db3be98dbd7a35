package execute_test

import (
	"testing"

	"github.com/aigate/gate/gate"
)

const cleanBackend = `import pathlib


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    pathlib.Path(wheel_directory, "site-1.0-py3-none-any.whl").write_bytes(b"PK")
    return "site-1.0-py3-none-any.whl"
`

// TestBuildsOfPythonProjectsRun shows that what an installer would run of a project runs.
func TestBuildsOfPythonProjectsRun(t *testing.T) {
	t.Parallel()
	const settings = "[build-system]\nrequires = []\nbuild-backend = \"make\"\nbackend-path = [\"build-tools\"]\n"
	const note = "open(os.path.expanduser('~/.bashrc'), 'a').write('x')"
	const setup = "import os\nfrom setuptools import setup\nfrom setuptools.command.build_py import build_py\n\nclass Build(build_py):\n    def run(self):\n        super().run()\n        "
	for name, tt := range map[string]struct {
		files   map[string]string
		targets []string
		want    bool
	}{
		"a command of a setup.py":         {map[string]string{"setup.py": setup + note + "\n\nsetup(name='site', py_modules=['pages'], cmdclass={'build_py': Build})\n", "pages.py": "x = 1\n"}, []string{"setup.py"}, true},
		"its benign twin":                 {map[string]string{"setup.py": setup + "open(os.path.join(os.getcwd(), 'made.txt'), 'w').write('x')\n\nsetup(name='site', py_modules=['pages'], cmdclass={'build_py': Build})\n", "pages.py": "x = 1\n"}, []string{"setup.py"}, false},
		"a back end that the change uses": {map[string]string{"pyproject.toml": settings, "build-tools/make.py": "import os\n" + cleanBackend + "    " + note + "\n\n\ndef build_sdist(sdist_directory, config_settings=None):\n    " + note + "\n"}, []string{"pyproject.toml"}, true},
		"a back end that builds":          {map[string]string{"pyproject.toml": settings, "build-tools/make.py": cleanBackend}, []string{"pyproject.toml", "build-tools/make.py"}, false},
	} {
		for _, runtime := range []string{"runc", "runsc"} {
			t.Run(name+" on "+runtime, func(t *testing.T) {
				t.Parallel()
				out, found := executions(t, sharedStage(t, runtime, 0), changeOf(files(tt.files), tt.targets...))
				for _, path := range tt.targets {
					seen := false
					for _, f := range found.Of(path) {
						seen = seen || f.Rule == "persistence/observed-start-file"
						if !tt.want && f.Severity >= gate.SeveritySuspicious {
							t.Errorf("%s: %s %s", path, f.Rule, f.Evidence)
						}
					}
					if seen != tt.want {
						t.Errorf("%s: seen %v, want %v: %+v", path, seen, tt.want, out.Executions[path].Units)
					}
					if e := out.Executions[path]; e.Status != exited {
						t.Errorf("%s: %s: %s", path, e.Status, e.Reason)
					}
				}
			})
		}
	}
}
