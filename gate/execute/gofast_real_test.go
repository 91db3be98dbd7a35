package execute_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/tools/testenv"
)

// goProject is a module of that many packages, each with a test, a command that imports
// them all, and modules that they depend on.
func goProject(packages, modules int) (tree map[string]string, proxy map[string][]byte) {
	const functions = 25
	body := func(b *strings.Builder, seed int) {
		for f := range functions {
			fmt.Fprintf(b, "\n// Table%[1]d lists words by length.\nfunc Table%[1]d(words []string) map[int][]string {\n\tout := map[int][]string{}\n\tfor i, w := range words {\n\t\tif i%%%[2]d == 1 {\n\t\t\tw = strings.ToUpper(w)\n\t\t}\n\t\tout[len(w)] = append(out[len(w)], fmt.Sprintf(\"%%s-%%d\", w, i))\n\t}\n\tfor k := range out {\n\t\tsort.Strings(out[k])\n\t}\n\treturn out\n}\n", f, seed+f+2)
		}
	}
	tree, proxy = map[string]string{}, map[string][]byte{}
	manifest, sums := strings.Builder{}, strings.Builder{}
	manifest.WriteString("module example.com/big\n\ngo 1.21\n\nrequire (\n")
	for m := range modules {
		name := fmt.Sprintf("example.com/dep%02d", m)
		files := map[string]string{"go.mod": "module " + name + "\n\ngo 1.21\n"}
		for sub := range 6 {
			var b strings.Builder
			fmt.Fprintf(&b, "package part%d\n\nimport (\n\t\"fmt\"\n\t\"sort\"\n\t\"strings\"\n)\n", sub)
			body(&b, m+sub)
			files[fmt.Sprintf("part%d/part.go", sub)] = b.String()
		}
		content, sum, modSum := moduleZip(name, "v1.0.0", files)
		fmt.Fprintf(&manifest, "\t%s v1.0.0\n", name)
		fmt.Fprintf(&sums, "%[1]s v1.0.0 %[2]s\n%[1]s v1.0.0/go.mod %[3]s\n", name, sum, modSum)
		at := "/" + name + "/@v/v1.0.0"
		proxy[at+".zip"], proxy[at+".mod"] = content, []byte(files["go.mod"])
		proxy[at+".info"] = []byte(`{"Version":"v1.0.0","Time":"2024-01-01T00:00:00Z"}`)
	}
	manifest.WriteString(")\n")
	tree["go.mod"], tree["go.sum"] = manifest.String(), sums.String()
	var command strings.Builder
	command.WriteString("package main\n\nimport (\n")
	for p := range packages {
		imports := fmt.Sprintf("\tdep \"example.com/dep%02d/part%d\"\n", p%modules, p%6)
		calls := "\tn := len(dep.Table1(words))\n"
		for i, other := range slices.Compact([]int{p - 1, p / 2, p / 3}) {
			if other >= 0 && other < p {
				imports += fmt.Sprintf("\tp%d \"example.com/big/p%03d\"\n", i, other)
				calls += fmt.Sprintf("\tif len(words) > 3 {\n\t\tn += p%d.Total(words[1:2])\n\t}\n", i)
			}
		}
		var b strings.Builder
		fmt.Fprintf(&b, "package p%03d\n\nimport (\n\t\"fmt\"\n\t\"sort\"\n\t\"strings\"\n\n%s)\n\n// Total counts.\nfunc Total(words []string) int {\n%s\treturn n\n}\n", p, imports, calls)
		body(&b, p)
		tree[fmt.Sprintf("p%03d/p.go", p)] = b.String()
		tree[fmt.Sprintf("p%03d/p_test.go", p)] = fmt.Sprintf("package p%03d\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {\n\tif Total([]string{\"a\"}) == 0 {\n\t\tt.Error(\"nothing was counted\")\n\t}\n}\n", p)
		fmt.Fprintf(&command, "\t_ \"example.com/big/p%03d\"\n", p)
	}
	fmt.Fprintf(&command, "\n\tlast \"example.com/big/p%03d\"\n)\n\nfunc main() {\n\tprintln(last.Total([]string{\"a\", \"b\"}))\n}\n", packages-1)
	tree["cmd/app/main.go"] = command.String()
	return tree, proxy
}

// moduleZip is a module as a proxy serves it, with the sums that go.sum has.
func moduleZip(name, version string, files map[string]string) (content []byte, sum, modSum string) {
	hash := func(names []string, text func(string) string) string {
		all := sha256.New()
		for _, n := range names {
			fmt.Fprintf(all, "%x  %s\n", sha256.Sum256([]byte(text(n))), n)
		}
		return "h1:" + base64.StdEncoding.EncodeToString(all.Sum(nil))
	}
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	prefix := name + "@" + version + "/"
	var names []string
	for _, f := range slices.Sorted(maps.Keys(files)) {
		names = append(names, prefix+f)
		// Writing to memory cannot fail.
		w, _ := z.Create(prefix + f)
		_, _ = io.WriteString(w, files[f])
	}
	_ = z.Close()
	return buf.Bytes(), hash(names, func(n string) string { return files[strings.TrimPrefix(n, prefix)] }),
		hash([]string{"go.mod"}, func(string) string { return files["go.mod"] })
}

// moduleProxy serves modules, at an address for which the go command uses the way out that
// it is given: it never does so for loopback.
func moduleProxy(t testing.TB, files map[string][]byte) string {
	t.Helper()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		n, ok := a.(*net.IPNet)
		if !ok || n.IP.IsLoopback() || n.IP.To4() == nil {
			continue
		}
		l, err := net.Listen("tcp", net.JoinHostPort(n.IP.String(), "0"))
		if err != nil {
			continue
		}
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			data, ok := files[r.URL.Path]
			if !ok {
				http.NotFound(w, r)
				return
			}
			_, _ = w.Write(data)
		}))
		_ = s.Listener.Close()
		s.Listener = l
		s.Start()
		t.Cleanup(s.Close)
		return s.URL
	}
	testenv.Missing(t, "no address besides loopback", "ip link")
	return ""
}

// uncompiled is an engine whose images do not say that they have compiled packages.
type uncompiled struct{ notClosed }

func (u uncompiled) Image(ctx context.Context, ref string) (sandbox.Image, error) {
	got, err := u.notClosed.Image(ctx, ref)
	got.Labels = maps.Clone(got.Labels)
	delete(got.Labels, "aigate.deps.compiled")
	return got, err
}

func TestAChangeThatRaisesAVersionOfAModuleRunsWithThatOfTheBase(t *testing.T) {
	testenv.WithoutRace(t, "it waits for an installer and for containers")
	base, modules := goProject(2, 1)
	buildDependenciesWith(t, base, map[string]string{"GOPROXY": moduleProxy(t, modules), "GONOSUMDB": "*"})
	head := maps.Clone(base)
	head["go.mod"] = strings.Replace(base["go.mod"], "dep00 v1.0.0", "dep00 v1.1.0", 1)
	head["go.sum"] = strings.ReplaceAll(base["go.sum"], "v1.0.0", "v1.1.0")
	head["p001/p.go"] = strings.Replace(base["p001/p.go"], "// Total counts.", "// Total counts words.", 1)
	s, err := execute.New(realOptions(t, "runc"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	c := changeOf(mapFS(head), "p001/p.go", "go.mod")
	c.Base = mapFS(base)
	out, found := executions(t, s, c)
	e := out.Executions["p001/p.go"]
	if e == nil || len(e.Units) == 0 || e.Units[0].ExitCode != 0 {
		t.Errorf("it was not run: %+v", e)
	}
	i := slices.IndexFunc(found.Of("p001/p.go"), func(f gate.Finding) bool { return f.Rule == "dependency/other-version" })
	if i < 0 || found.Of("p001/p.go")[i].Evidence != "example.com/dep00 v1.0.0 instead of v1.1.0" {
		t.Errorf("%+v", found.Of("p001/p.go"))
	}
}

// BenchmarkGoProject measures the time to the verdict on a change of one function in a
// project of 300 packages with 20 modules, where the image is there: with the packages that
// the image has compiled, and without them.
func BenchmarkGoProject(b *testing.B) {
	base, modules := goProject(300, 20)
	begun := time.Now()
	buildDependenciesWith(b, base, map[string]string{"GOPROXY": moduleProxy(b, modules), "GONOSUMDB": "*"})
	build := time.Since(begun).Seconds()
	b.Logf("image built in %.1f s", build)
	for _, changed := range []string{"p250/p.go", "cmd/app/main.go"} {
		head := maps.Clone(base)
		head[changed] = strings.NewReplacer("if i%253 == 1", "if i%7 == 1", `"a", "b"`, `"a", "c"`).Replace(base[changed])
		if head[changed] == base[changed] {
			b.Fatalf("%s is as it was", changed)
		}
		for _, compiled := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/compiled=%v", strings.ReplaceAll(changed, "/", "_"), compiled), func(b *testing.B) {
				o := realOptions(b, "runc")
				if !compiled {
					open := o.Open
					o.Open = func(ctx context.Context) (execute.Runner, error) {
						r, err := open(ctx)
						if err != nil {
							return nil, err
						}
						return uncompiled{r.(notClosed)}, nil
					}
				}
				s, err := execute.New(o)
				if err != nil {
					b.Fatal(err)
				}
				defer func() { _ = s.Close() }()
				for b.Loop() {
					c := changeOf(mapFS(head), changed)
					c.Base = mapFS(base)
					out, _ := executions(b, s, c)
					succeeded(b, out, changed)
				}
			})
		}
	}
}

// succeeded fails unless a file was run with success.
func succeeded(b *testing.B, out gate.Outcome, file string) {
	b.Helper()
	e := out.Executions[file]
	if e == nil || len(e.Units) == 0 || e.Units[0].ExitCode != 0 {
		b.Fatalf("%s was not run: %+v", file, e)
	}
	for _, u := range e.Units {
		b.Logf("%+v", u)
	}
}

// loud is an engine in which the go command says what it does.
type loud struct {
	engine interface {
		execute.Runner
		Image(ctx context.Context, ref string) (sandbox.Image, error)
	}
	said *strings.Builder
}

func (l loud) Image(ctx context.Context, ref string) (sandbox.Image, error) {
	return l.engine.Image(ctx, ref)
}

func (l loud) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	s.Env = append(slices.Clip(s.Env), "GOFLAGS=-x")
	s.Limits.Stdout = 8 << 20
	res, err := l.engine.Run(ctx, s)
	l.said.Write(res.Stderr.Data)
	return res, err
}

var goCompiles = regexp.MustCompile(`/compile .* -p (example\.com/\S+)`)

func TestARunCompilesOnlyWhatTheImageHasNot(t *testing.T) {
	t.Parallel()
	testenv.WithoutRace(t, "it waits for an installer and for containers")
	base, modules := goProject(4, 2)
	refs := buildDependenciesWith(t, base, map[string]string{"GOPROXY": moduleProxy(t, modules), "GONOSUMDB": "*"})
	const changed = "p003/p.go"
	head := maps.Clone(base)
	head[changed] = strings.Replace(base[changed], "if i%6 == 1", "if i%7 == 1", 1)
	if head[changed] == base[changed] {
		t.Fatal("it is as it was")
	}
	compiledBy := func(hide bool) []string {
		o := realOptions(t, "runc")
		o.Policy.Conditions, o.Parallel = 0, 1
		var said strings.Builder
		open := o.Open
		o.Open = func(ctx context.Context) (execute.Runner, error) {
			r, err := open(ctx)
			if err != nil {
				return nil, err
			}
			engine, ok := r.(notClosed)
			if !ok {
				return nil, fmt.Errorf("the engine is a %T", r)
			}
			if hide {
				return loud{uncompiled{engine}, &said}, nil
			}
			return loud{engine, &said}, nil
		}
		s, err := execute.New(o)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		c := changeOf(mapFS(head), changed)
		c.Base = mapFS(base)
		out, found := executions(t, s, c)
		e := out.Executions[changed]
		if e == nil || len(e.Units) == 0 || e.Units[0].ExitCode != 0 || e.Image != refs["go"] {
			t.Fatalf("%s was not run: %+v", changed, e)
		}
		for _, b := range e.Behaviour {
			if strings.Contains(b.Detail, "gate-go-cache") {
				t.Errorf("the build cache is something that the program did: %+v", b)
			}
		}
		for _, f := range found.Of(changed) {
			t.Errorf("%s %s", f.Rule, f.Evidence)
		}
		var all []string
		for _, m := range goCompiles.FindAllStringSubmatch(said.String(), -1) {
			all = append(all, m[1])
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	if got := compiledBy(true); !slices.Contains(got, "example.com/big/p001") || !slices.Contains(got, "example.com/dep01/part3") {
		t.Errorf("without the packages of the image it compiles %q", got)
	}
	if got, want := compiledBy(false), []string{"example.com/big/p003"}; !slices.Equal(got, want) {
		t.Errorf("it compiles %q", got)
	}
	out, err := exec.CommandContext(t.Context(), "docker", "run", "--rm", "--network", "none", "--entrypoint", "sh", refs["go"], "-c",
		"cd /opt/aigate/deps/gocache && ls | wc -l && ! touch new && for d in . */*-d */*-a; do ! [ -w $d ] || echo $d can be written; done").CombinedOutput()
	if err != nil || strings.HasPrefix(string(out), "0\n") || strings.Contains(string(out), "can be written") {
		t.Errorf("%v: %s", err, out)
	}
}
