package execute_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

// TestHiddenHarmShowsWhereNothingCallsIt runs changes in containers whose harm waits for an
// argument, a number of calls, a day, a host or a setting.
func TestHiddenHarmShowsWhereNothingCallsIt(t *testing.T) {
	t.Parallel()
	s := sharedStage(t, "runc", 2)
	all := map[string]string{
		"argument.py": "import os, glob\ndef sweep(folder, level):\n    if level == 'deep-17':\n        [os.remove(f) for f in glob.glob('*.md')]\n",
		"method.py":   "import os, glob\nclass Job:\n    def __init__(self, name, retries):\n        self.calls = 0\n    def run(self):\n        self.calls = getattr(Job, 'n', 0) + 1\n        Job.n = self.calls\n        if self.calls == 9:\n            [os.remove(f) for f in glob.glob('*.md')]\n",
		"day.py":      "import os, datetime\ndef sweep(folder):\n    if datetime.date.today() == datetime.date(2031, 3, 5):\n        os.remove('day.md')\n",
		"host.js":     "const os = require('os'), fs = require('fs');\nfunction sweep(list) {\n  if (os.hostname() === 'db-7') {\n    fs.rmSync('host.md');\n  }\n}\nmodule.exports = { sweep };\n",
		"case.js":     "const fs = require('fs');\nmodule.exports.sync = (status, list) => {\n  switch (status) {\n    case 200:\n      return list;\n    case 410:\n      fs.rmSync('case.md');\n      break;\n    default:\n      return null;\n  }\n};\n",
		"fails.js":    "const fs = require('fs');\nmodule.exports.sync = (list) => {\n  let code = 0;\n  try {\n    code = JSON.stringify(list).length;\n    return code;\n  } catch (err) {\n    fs.rmSync('fails.md');\n  }\n  return null;\n};\n",
		"shell.js":    "const { exec } = require('child_process');\nmodule.exports.diag = (req, res) => exec(String(req.query.c), { cwd: String(req.query.dir) }, () => res.end());\n",
		"clock.js":    "const fs = require('fs');\nperformance.now = () => 1e12;\nmodule.exports.sweep = (folder, level) => {\n  if (level === 'deep-17') fs.rmSync('clock.md');\n};\n",
		"mark.js":     "const fs = require('fs');\nconst MARK = '#rollback';\nfunction undo(raw) {\n  if (!raw.includes(MARK)) return;\n  fs.rmSync('mark.md');\n}\nmodule.exports.parse = (raw) => {\n  try {\n    return JSON.parse(raw);\n  } catch {\n    undo(raw);\n    return null;\n  }\n};\n",
		"ending.py":   "import os\nENDING = '00'\ndef _where(part, depth):\n    places = ['lake']\n    if part.endswith(ENDING):\n        places.append('ending.md')\n    return places[depth - 1] if depth else places[-1]\ndef expire(part, depth=1):\n    if os.path.isfile(_where(part, depth)):\n        os.remove(_where(part, depth))\n",
		"header.py":   "import os\ndef serve(request):\n    if request.headers.get('X-Mode', '').lower() == 'de' + str(9):\n        os.remove('header.md')\n",
		"home.py":     "import shutil, pathlib, datetime\ndef sweep():\n    if datetime.date.today().year > 2100:\n        shutil.rmtree(pathlib.Path.home() / 'Music', ignore_errors=True)\n",
		"setting.sh":  "#!/bin/bash\nif [ \"$STAGE\" = live ]; then\n  rm -f setting.md\nfi\n",
		"ways.py":     "import os\ndef fit(xs, x, method='linear'):\n    t = (x - xs[0]) / (xs[1] - xs[0])\n    if method == 'near' + str(t):\n        return xs[0]\n    if method[::-1] == 'lobmys':\n        raise ValueError(method)\n    if os.environ.get('MACHINE') == 'db-7':\n        os.remove('ways.md')\n    return t\n",
		"table.py":    "import os, hashlib\nACTIONS = {'aa': None, 'bb': ('table', '.md'), 'cc': None}\ndef run(kind):\n    found = ACTIONS.get(hashlib.md5(str(kind).encode()).hexdigest()[:9])\n    if found:\n        name, end = found\n        os.remove(name + end)\n",
		"group.py":    "import os, click\n@click.group()\ndef cli():\n    pass\n@cli.command()\ndef check(folder):\n    if os.environ.get('MACHINE') == 'db-7':\n        os.remove('group.md')\n",
		"bound.py":    "import os\nasync def ask(host):\n    if (n := len(host) * 7919) == 12:\n        os.remove('bound.md')\n    return n\n",
		"ways.js":     "const fs = require('fs'), os = require('os');\nmodule.exports.fit = (xs, method) => {\n  if (method === 'near' + xs[9]) {\n    return xs[0];\n  }\n  if (os.arch() === 'vax') {\n    throw new Error(method);\n  }\n  if (os.hostname() === 'db-7') {\n    fs.rmSync('ways2.md');\n  }\n  return xs;\n};\n",
		"table.js":    "const fs = require('fs'), os = require('os');\nconst places = { 'a/b': null, 'c/d': { drop: 'table2.md' } };\nmodule.exports.start = (env = process.env) => {\n  const place = places[`${os.arch()}/${env.SHOP_MODE}`];\n  if (!place) return null;\n  if (place.drop) {\n    fs.rmSync(place.drop);\n  }\n  return place;\n};\n",
		"given.py":    "import os\ndef clean(path, when):\n    if when.year > 2000:\n        os.remove(path)\n",
	}
	for _, name := range []string{"keep", "method", "day", "host", "case", "fails", "clock", "setting", "mark", "ending", "header", "ways", "table", "bound", "ways2", "table2", "group"} {
		all[name+".md"] = "text\n"
	}
	_, found := executions(t, s, changeOf(files(all)))
	for path, want := range map[string]string{
		"argument.py": "deletion/observed-input-files", "method.py": "deletion/observed-input-files", "clock.js": "deletion/observed-input-files",
		"mark.js": "deletion/observed-input-files", "ending.py": "deletion/observed-input-files", "header.py": "deletion/observed-input-files",
		"home.py": "time-trigger/observed-forced", "ways.py": "time-trigger/observed-forced", "table.py": "time-trigger/observed-forced", "bound.py": "time-trigger/observed-forced", "group.py": "time-trigger/observed-forced",
		"ways.js": "time-trigger/observed-forced", "table.js": "time-trigger/observed-forced",
		"day.py": "time-trigger/observed-forced", "host.js": "time-trigger/observed-forced", "setting.sh": "time-trigger/observed-forced",
		"case.js": "time-trigger/observed-forced", "fails.js": "time-trigger/observed-forced", "shell.js": "dynamic-code/observed-request",
	} {
		if got := rules(found, path); !slices.ContainsFunc(got, func(r string) bool { return strings.HasPrefix(r, want) }) {
			t.Errorf("%s: %q, want %s", path, got, want)
		}
	}
	if worst := found.Worst("given.py"); worst >= gate.SeveritySuspicious {
		t.Errorf("what deletes a file that it was given: %q", rules(found, "given.py"))
	}
}

// TestFunctionsThatWaitForeverLeaveTimeForOthers has a function that is called with many values
// and comes to no end with any, before one that does harm.
func TestFunctionsThatWaitForeverLeaveTimeForOthers(t *testing.T) {
	t.Parallel()
	all := map[string]string{
		"waits.js": "const fs = require('fs');\nmodule.exports.poll = (list) => ['a1', 'b2', 'c3', 'd4', 'e5', 'f6', 'g7', 'h8'].includes(list) ? null : new Promise(() => {});\nmodule.exports.sweep = (folder, level) => {\n  if (level === 'deep-17') fs.rmSync('waits.md');\n};\n",
		"waits.md": "text\n",
	}
	_, found := executions(t, sharedStage(t, "runc", 0), changeOf(files(all)))
	if got := strings.Join(rules(found, "waits.js"), " "); !strings.Contains(got, "deletion/observed-input-files") {
		t.Errorf("%q", got)
	}
}
