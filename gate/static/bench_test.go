package static_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static"
)

// corpus is benign code, much like what programs are made of: every tenth
// function does something that rules look at.
func corpus(lang gate.Language, kib int) []byte { return mixed(lang, kib, 10) }

// mixed is code in which every so many functions do something that rules look at.
func mixed(lang gate.Language, kib, every int) []byte {
	shapes := map[gate.Language][2]string{
		gate.LanguagePython: {
			"def total_%d(rows, limit=10):\n    \"\"\"Add up what rows hold.\"\"\"\n    out = {}\n    for key, value in sorted(rows.items()):\n        if value > limit:  # too many\n            out[key] = value * 2 + len(key)\n    return out\n\n",
			"def fetch_%d(url):\n    with open(os.path.join(base, \"cache\"), \"w\") as f:\n        f.write(requests.get(url, timeout=5).text)\n    return subprocess.run([\"git\", \"status\"], check=True)\n\n",
		},
		gate.LanguageJavaScript: {
			"export function total%d(rows, limit = 10) {\n  // add up what rows hold\n  const out = new Map();\n  for (const [key, value] of Object.entries(rows)) {\n    if (value > limit) out.set(key, `${value} of ${limit}`);\n  }\n  return out;\n}\n\n",
			"export async function fetch%d(url) {\n  const r = await fetch(url, { headers: { accept: 'text/plain' } });\n  await fs.promises.writeFile(path.join(base, 'cache'), await r.text());\n  return execFile('git', ['status']);\n}\n\n",
		},
		gate.LanguageGo: {
			"// total%d adds up what rows hold.\nfunc total(rows map[string]int, limit int) map[string]int {\n\tout := map[string]int{}\n\tfor key, value := range rows {\n\t\tif value > limit {\n\t\t\tout[key] = value*2 + len(key)\n\t\t}\n\t}\n\treturn out\n}\n\n",
			"func fetch%d(ctx context.Context, url string) error {\n\tresp, err := http.Get(url)\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer resp.Body.Close()\n\treturn exec.CommandContext(ctx, \"git\", \"status\").Run()\n}\n\n",
		},
		gate.LanguageShell: {
			"total_%d() {\n  local sum=0\n  # add up what is given\n  for n in \"$@\"; do\n    sum=$((sum + n))\n  done\n  echo \"$sum\"\n}\n\n",
			"fetch_%d() {\n  curl -fsSL -o \"$1\" \"$2\" || return 1\n  tar xzf \"$1\" -C build\n  rm -rf build/tmp\n}\n\n",
		},
	}
	var b strings.Builder
	for i := 0; b.Len() < kib<<10; i++ {
		shape := shapes[lang][0]
		if i%every == every-1 {
			shape = shapes[lang][1]
		}
		fmt.Fprintf(&b, shape, i)
	}
	return []byte(b.String())
}

// languages are those of the benchmarks, and of the mix in equal parts.
var languages = []gate.Language{gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageGo, gate.LanguageShell}

// BenchmarkKeywords measures text in which hardly anything is looked at closer: the
// pass over the keywords of all rules, and what it leads to once in a thousand
// functions.
func BenchmarkKeywords(b *testing.B) { throughput(b, 1000) }

// BenchmarkScan measures the whole static layer on one core.
func BenchmarkScan(b *testing.B) { throughput(b, 10) }

// throughput scans each language, and the mix of all.
func throughput(b *testing.B, every int) {
	var all []source
	for _, lang := range languages {
		one := source{lang, mixed(lang, 64, every)}
		all = append(all, one)
		b.Run(string(lang), func(b *testing.B) { benchmark(b, one) })
	}
	b.Run("mixed", func(b *testing.B) { benchmark(b, all...) })
}

// source is the content of files.
type source struct {
	lang gate.Language
	data []byte
}

// benchmark scans sixteen files of each content on one core. Beside the time on
// the wall it shows megabytes for each second of processor time, which other
// programs on the machine change less.
func benchmark(b *testing.B, sources ...source) {
	tree := fstest.MapFS{}
	var targets []*gate.Target
	var size int64
	for _, s := range sources {
		for i := range 16 {
			name := fmt.Sprintf("%s%d", s.lang, i)
			tree[name] = &fstest.MapFile{Data: s.data}
			size += int64(len(s.data))
			targets = append(targets, &gate.Target{Path: name, Language: s.lang, Role: gate.RoleSource, Kind: gate.ChangeAdded})
		}
	}
	s, err := static.New(static.Options{Policy: gate.DefaultPolicy(), Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	run(b, s, tree, targets...) // compiles what is needed
	b.SetBytes(size)
	before := processorTime()
	for b.Loop() {
		run(b, s, tree, targets...)
	}
	if took := processorTime() - before; took > 0 {
		b.ReportMetric(float64(size)*float64(b.N)/1e6/took.Seconds(), "MB/cpu-s")
	}
}

// BenchmarkNew measures what starting with all rules costs.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := static.New(static.Options{Policy: gate.DefaultPolicy()}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFirstFile measures what the first file of a language costs beside New:
// the words of all rules for it.
func BenchmarkFirstFile(b *testing.B) {
	own, err := static.LoadRules()
	if err != nil {
		b.Fatal(err)
	}
	tree := fstest.MapFS{"a.py": {Data: []byte("print(1)\n"), Mode: 0o644}}
	for b.Loop() {
		s, err := static.New(static.Options{Policy: gate.DefaultPolicy(), Rules: own})
		if err != nil {
			b.Fatal(err)
		}
		run(b, s, tree, &gate.Target{Path: "a.py", Language: gate.LanguagePython, Mode: 0o644})
	}
}
