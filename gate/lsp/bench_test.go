package lsp

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate/lsp/protocol"
)

// functions are what a program of each language is made of here: names, branches, loops,
// strings, comments and calls of what rules look at.
func functions() map[string]string {
	return map[string]string{
		"service.py": `
def load_%[1]d(path, retries=3):
    """Read the settings of part %[1]d, and log what is wrong with them."""
    values = {}
    with open(os.path.join(ROOT, path, "part-%[1]d.json"), encoding="utf-8") as f:
        data = json.load(f)
    for key, value in sorted(data.items()):
        if not isinstance(value, str) or key.startswith("_"):
            log.warning("part %%s: %%s is left out", path, key)
            continue
        values[key] = value.strip().lower()  # names are compared without case
    try:
        done = subprocess.run(["git", "log", "-1", "--format=%%H", "--", path], check=True, capture_output=True)
        values["commit"] = done.stdout.decode().strip()
    except subprocess.CalledProcessError as err:
        if retries > 0:
            return load_%[1]d(path, retries - 1)
        raise SettingsError(f"part {path}: {err}") from err
    return values
`,
		"service.ts": `
export async function load%[1]d(path: string, retries = 3): Promise<Settings> {
  // Read the settings of part %[1]d, and log what is wrong with them.
  const values: Record<string, string> = {};
  const data = JSON.parse(await fs.readFile(join(ROOT, path, "part-%[1]d.json"), "utf8"));
  for (const [key, value] of Object.entries(data).sort()) {
    if (typeof value !== "string" || key.startsWith("_")) {
      log.warn(` + "`part ${path}: ${key} is left out`" + `);
      continue;
    }
    values[key] = value.trim().toLowerCase();
  }
  try {
    const { stdout } = await run("git", ["log", "-1", "--format=%%H", "--", path]);
    values.commit = stdout.trim();
  } catch (err) {
    if (retries > 0) return load%[1]d(path, retries - 1);
    throw new SettingsError(` + "`part ${path}: ${err}`" + `);
  }
  return values;
}
`,
		"service.go": `
// load%[1]d reads the settings of part %[1]d, and logs what is wrong with them.
func load%[1]d(ctx context.Context, path string, retries int) (map[string]string, error) {
	values := map[string]string{}
	data, err := os.ReadFile(filepath.Join(root, path, "part-%[1]d.json"))
	if err != nil {
		return nil, fmt.Errorf("part %%s: %%w", path, err)
	}
	for key, value := range parse(data) {
		if value == "" || strings.HasPrefix(key, "_") {
			slog.Warn("left out", "part", path, "key", key)
			continue
		}
		values[key] = strings.ToLower(strings.TrimSpace(value))
	}
	out, err := exec.CommandContext(ctx, "git", "log", "-1", "--format=%%H", "--", path).Output()
	if err != nil && retries > 0 {
		return load%[1]d(ctx, path, retries-1)
	}
	values["commit"] = string(out)
	return values, nil
}
`,
		"service.sh": `
# load_%[1]d reads the settings of part %[1]d, and logs what is wrong with them.
load_%[1]d() {
  local path="$1" retries="${2:-3}"
  local file="$ROOT/$path/part-%[1]d.conf"
  while IFS='=' read -r key value; do
    case "$key" in
      ''|_*) echo "part $path: $key is left out" >&2; continue ;;
    esac
    printf '%%s=%%s\n' "$key" "$(echo "$value" | tr '[:upper:]' '[:lower:]')"
  done < "$file"
  if ! commit=$(git log -1 --format=%%H -- "$path"); then
    if [ "$retries" -gt 0 ]; then
      load_%[1]d "$path" $((retries - 1))
      return
    fi
    return 1
  fi
  echo "commit=$commit"
}
`,
	}
}

// begins is how a program of each language begins.
func begins() map[string]string {
	return map[string]string{
		"service.py": "import json\nimport logging\nimport os\nimport subprocess\n\nROOT = os.getcwd()\nlog = logging.getLogger(__name__)\n\n\nclass SettingsError(Exception):\n    pass\n",
		"service.ts": "import fs from \"node:fs/promises\";\nimport { join } from \"node:path\";\nimport { log, run, ROOT, Settings, SettingsError } from \"./base\";\n",
		"service.go": "package service\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"log/slog\"\n\t\"os\"\n\t\"os/exec\"\n\t\"path/filepath\"\n\t\"strings\"\n)\n",
		"service.sh": "#!/usr/bin/env bash\nset -euo pipefail\nROOT=$(pwd)\n",
	}
}

// program is a program of about so many lines.
func program(name string, lines int) string {
	var b strings.Builder
	b.WriteString(begins()[name])
	for i := 0; strings.Count(b.String(), "\n") < lines; i++ {
		fmt.Fprintf(&b, functions()[name], i)
	}
	return b.String()
}

// BenchmarkTyping measures what a key costs in a text of 2,000 lines that the base has:
// from the change that the editor sends to the diagnostics, without the time that the text
// has to rest. "cpu" is in processor time, of the editor as well.
func BenchmarkTyping(b *testing.B) {
	for _, name := range []string{"service.py", "service.ts", "service.go", "service.sh"} {
		b.Run(name, func(b *testing.B) {
			text := program(name, 2000)
			e := open(b, project(b, map[string]string{name: text}).Dir, Options{Wait: 1}, nil)
			e.edit(name, text)
			e.diagnostics(name, 1)
			middle := protocol.Position{Line: 1003}
			version := 1
			var took, busy []time.Duration
			for b.Loop() {
				version++
				start, began := time.Now(), processorTime()
				e.change(name, version, protocol.Change{Range: &protocol.Range{Start: middle, End: middle}, Text: "\n"})
				e.diagnostics(name, version)
				took, busy = append(took, time.Since(start)), append(busy, processorTime()-began)
			}
			slices.Sort(took)
			slices.Sort(busy)
			ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
			b.ReportMetric(ms(took[len(took)/2]), "median-ms")
			b.ReportMetric(ms(took[len(took)*95/100]), "p95-ms")
			b.ReportMetric(ms(busy[len(busy)/2]), "cpu-ms")
			b.ReportMetric(ms(busy[len(busy)*95/100]), "cpu-p95-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}
