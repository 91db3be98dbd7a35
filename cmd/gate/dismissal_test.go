package main

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/suppress"
	"github.com/aigate/gate/report/github/githubtest"
)

const (
	shellRule = "shell-out/python-shell"
	// strictPolicy lets a suspicious finding block, so that a dismissal can be seen in the
	// exit code.
	strictPolicy = "fail-on: suspicious\nrules: {severity: {" + shellRule + ": suspicious}}\n"
	shellOut     = "import subprocess\n\ncommand = 'make'\nsubprocess.run(command + ' all', shell=True)\n"
	// reformatted is the same, as black would write it, with the line moved.
	reformatted = "import subprocess\n\n# what is built\ncommand = \"make\"\n\nsubprocess.run(\n    command + \" all\",\n    shell=True,\n)\n"
)

// dismissal is a baseline that dismisses the finding in shellOut, as `gate dismiss` writes it.
func dismissal(t *testing.T, by string, change func(*suppress.Entry)) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"a.py": shellOut, ".gate.yml": strictPolicy} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var stderr bytes.Buffer
	a := testApp()
	a.stdout, a.stderr = &bytes.Buffer{}, &stderr
	a.getenv = func(string) string { return "" }
	if code := a.main([]string{"dismiss", filepath.Join(dir, "a.py") + ":4", "--by", by, "--reason", "a constant"}); code != exitPass {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	data, err := os.ReadFile(filepath.Join(dir, suppress.BaselineFile))
	if err != nil {
		t.Fatal(err)
	}
	if change == nil {
		return string(data)
	}
	b, err := suppress.ParseBaseline("x", data)
	if err != nil {
		t.Fatal(err)
	}
	for i := range b.Entries {
		change(&b.Entries[i])
	}
	if data, err = b.Bytes(); err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// grants lets GitHub say what accounts may do and who made the change.
func (j *job) grants(permissions map[string]string, made ...[2]string) {
	j.srv.Lock(func(s *githubtest.State) {
		s.Permissions = permissions
		s.Made[j.base+"..."+j.head] = made
	})
}

func TestADismissalOfTheBaseCounts(t *testing.T) {
	for name, head := range map[string]string{"moved": "x = 1\n" + shellOut, "formatted anew": reformatted} {
		t.Run(name, func(t *testing.T) {
			j := newJob(t, map[string]string{".gate.yml": strictPolicy, "a.py": shellOut, suppress.BaselineFile: dismissal(t, "Grace", nil)}, map[string]string{"a.py": head})
			j.grants(map[string]string{"grace": "maintain"}, [2]string{"ada", "ada"}, [2]string{"", ""})
			j.wantExit(exitPass)
			comment := strings.ReplaceAll(j.comment(), "\\", "")
			for _, want := range []string{shellRule, "a dismissal of Grace", "a constant", "until 20"} {
				if !strings.Contains(comment, want) {
					t.Errorf("%q is not in the comment:\n%s", want, comment)
				}
			}
			if strings.Contains(comment, "was not checked") {
				t.Errorf("it was checked:\n%s", comment)
			}
			if n := j.srv.Count(http.MethodGet, "/collaborators/grace/permission"); n != 1 {
				t.Errorf("%d questions about one account", n)
			}
		})
	}
}

func TestADismissalDoesNotCountInAPullRequest(t *testing.T) {
	granted := map[string]string{"grace": "maintain"}
	someone := [][2]string{{"ada", "web-flow"}}
	fails := func(path string) githubtest.Fault {
		return func(_, p string, _ int, _ http.Header) int {
			if strings.Contains(p, path) {
				return 500
			}
			return 0
		}
	}
	for name, tt := range map[string]struct {
		by          string
		entry       func(*suppress.Entry)
		permissions map[string]string
		made        [][2]string
		fault       githubtest.Fault
		head        string
		atHead      bool // the dismissal is the head's
		args        []string
		shown       string
	}{
		"by the author":                     {by: "ADA", permissions: map[string]string{"ada": "admin"}, made: someone, shown: "ada takes part in the change"},
		"by the author of a commit":         {by: "grace", permissions: granted, made: [][2]string{{"Grace", "web-flow"}}, shown: "grace takes part in the change"},
		"by the committer of a commit":      {by: "grace", permissions: granted, made: [][2]string{{"ada", "grace"}}, shown: "grace takes part in the change"},
		"of an account that may only write": {by: "grace", permissions: map[string]string{"grace": "write"}, made: someone, shown: `grace has the permission "write" and "maintain" is needed`},
		"of an account that is gone":        {by: "grace", made: someone, shown: `grace has the permission "none"`},
		"with a role of the organisation":   {by: "grace", permissions: map[string]string{"grace": "custom"}, made: someone, shown: `"custom"`},
		"where GitHub does not answer":      {by: "grace", permissions: granted, made: someone, fault: fails("/collaborators/"), shown: "the permission of grace can't be checked"},
		"where the commits are not known":   {by: "grace", permissions: granted, made: someone, fault: fails("/compare/"), shown: "it can't be found out who takes part"},
		"without a token":                   {by: "grace", permissions: granted, made: someone, args: []string{"--publish=false"}, shown: "no token for GitHub's API"},
		"after its last day":                {by: "grace", permissions: granted, made: someone, entry: func(e *suppress.Entry) { e.Expires = "2020-01-31" }, shown: suppress.RuleExpired},
		"with a day far ahead":              {by: "grace", permissions: granted, made: someone, entry: func(e *suppress.Entry) { e.Expires = "2999-01-31" }, shown: "more than 366 days ahead"},
		"for another path":                  {by: "grace", permissions: granted, made: someone, entry: func(e *suppress.Entry) { e.Path = "b.py" }, shown: shellRule},
		"for another argument":              {by: "grace", permissions: granted, made: someone, head: strings.Replace(shellOut, "all", "clean", 1), shown: suppress.RuleStale},
		"for a copy":                        {by: "grace", permissions: granted, made: someone, head: shellOut + "subprocess.run(command + \" all\", shell=True)\n", shown: "it is there 2 times"},
		"where the name stands for more":    {by: "grace", permissions: granted, made: someone, head: strings.Replace(reformatted, `"make"`, "input()", 1), shown: "another meaning"},
		"when the head adds it":             {by: "grace", permissions: granted, made: someone, atHead: true, shown: suppress.RuleAdded},
	} {
		t.Run(name, func(t *testing.T) {
			head := tt.head
			if head == "" {
				head = "y = 1\nz = y\n" + strings.Replace(reformatted, "command = \"make\"", "command = \"make\"  # as ever", 1)
			}
			base, change := map[string]string{".gate.yml": strictPolicy, "a.py": shellOut}, map[string]string{"a.py": head}
			if tt.atHead {
				change[suppress.BaselineFile] = dismissal(t, tt.by, tt.entry)
			} else {
				base[suppress.BaselineFile] = dismissal(t, tt.by, tt.entry)
			}
			j := newJob(t, base, change)
			if slices.Contains(tt.args, "--publish=false") {
				j.env["GITHUB_TOKEN"] = ""
			}
			j.grants(tt.permissions, tt.made...)
			if tt.fault != nil {
				j.srv.FailWith(tt.fault)
			}
			j.wantExit(exitBlocked, tt.args...)
			out := strings.Join(strings.Fields(j.stdout.String()), " ")
			if !strings.Contains(out, tt.shown) || !strings.Contains(out, shellRule) || strings.Contains(out, "suppressed by a dismissal") {
				t.Errorf("%q is not shown:\n%s", tt.shown, &j.stdout)
			}
		})
	}
}

func TestAShardAsksAboutAccounts(t *testing.T) {
	j := newJob(t, map[string]string{".gate.yml": strictPolicy, "a.py": shellOut, suppress.BaselineFile: dismissal(t, "grace", nil)}, map[string]string{"a.py": reformatted})
	j.grants(map[string]string{"grace": "admin"}, [2]string{"ada", "ada"})
	out := ""
	for _, part := range []string{"1/2", "2/2"} {
		j.run("--shard", part)
		out += strings.Join(strings.Fields(j.stdout.String()), " ")
	}
	if !strings.Contains(out, "a dismissal of grace") || strings.Contains(out, "was not checked") {
		t.Errorf("%s", out)
	}
}

func TestADangerousFindingIsNeverDismissed(t *testing.T) {
	// Today the rule is suspicious; in the base's policy of this change, it is dangerous.
	j := newJob(t, map[string]string{".gate.yml": strings.Replace(strictPolicy, "shell: suspicious", "shell: dangerous", 1), "a.py": shellOut,
		suppress.BaselineFile: dismissal(t, "grace", nil)}, map[string]string{"a.py": reformatted})
	j.grants(map[string]string{"grace": "admin"}, [2]string{"ada", "ada"})
	j.wantExit(exitBlocked)
	if !strings.Contains(j.stdout.String(), "what is dangerous can't be") {
		t.Errorf("%s", &j.stdout)
	}
}

func TestTheTrustedHalfChecksDismissals(t *testing.T) {
	forged := gate.Finding{Rule: shellRule, Category: "shell-out", Layer: gate.LayerStatic, Severity: gate.SeveritySuspicious, Line: 6, EndLine: 9, InChange: true,
		Suppressed: &gate.Suppression{By: "a dismissal of grace", Reason: "trust me", Dismissal: &gate.Dismissal{Account: "grace", Expires: "2999-01-01", Verified: true}}}
	for name, tt := range map[string]struct {
		author      string
		permissions map[string]string
		dismissed   bool
		claim       func(*gate.Result)
		want        int
		shown       string
	}{
		"of an account that may":                    {"mallory", map[string]string{"grace": "maintain"}, true, nil, exitPass, "a dismissal of grace"},
		"of an account that may not":                {"mallory", nil, true, nil, exitBlocked, "is needed"},
		"of the author":                             {"Grace", map[string]string{"grace": "admin"}, true, nil, exitBlocked, "takes part in the change"},
		"that only the fork's result says is there": {"mallory", map[string]string{"grace": "maintain"}, false, func(r *gate.Result) { r.Files[0].Findings = []gate.Finding{forged} }, exitBlocked, shellRule},
		"of what another layer confirms": {"mallory", map[string]string{"grace": "maintain"}, true, func(r *gate.Result) {
			r.Files[0].Verdict, r.Verdict = gate.Suspicious, gate.Suspicious
			r.Files[0].Findings = []gate.Finding{{Rule: "shell-out/behaviour", Category: "shell-out", Layer: gate.LayerSandbox, Severity: gate.SeveritySuspicious, InChange: true}}
		}, exitBlocked, "DANGEROUS"},
	} {
		t.Run(name, func(t *testing.T) {
			base := map[string]string{".gate.yml": strictPolicy, "a.py": shellOut}
			if tt.dismissed {
				base[suppress.BaselineFile] = dismissal(t, "grace", nil)
			}
			head := map[string]string{"a.py": reformatted}
			for _, name := range []string{".gate.yml", suppress.BaselineFile} {
				if text, ok := base[name]; ok {
					head[name] = text
				}
			}
			j := newForkJob(t, base, head)
			j.srv.Lock(func(s *githubtest.State) {
				s.Permissions = tt.permissions
				s.Pulls[7].Author = tt.author
				s.Made[forkBase+"..."+forkHead] = [][2]string{{"", ""}}
			})
			j.claim(func(r *gate.Result) {
				r.Files = slices.DeleteFunc(r.Files, func(f gate.FileResult) bool { return f.Path != "a.py" })
				if tt.claim != nil {
					tt.claim(r)
				}
			})
			j.publish(tt.want)
			if !strings.Contains(strings.Join(strings.Fields(j.stdout.String()), " "), tt.shown) {
				t.Errorf("%q is not shown:\n%s", tt.shown, &j.stdout)
			}
		})
	}
}

func TestTheJobOfAForkSaysThatNothingWasChecked(t *testing.T) {
	for by, want := range map[string]int{"grace": exitPass, "ada": exitBlocked} {
		j := newJob(t, map[string]string{".gate.yml": strictPolicy, "a.py": shellOut, suppress.BaselineFile: dismissal(t, by, nil)}, map[string]string{"a.py": reformatted})
		data, err := os.ReadFile(j.env["GITHUB_EVENT_PATH"])
		if err != nil {
			t.Fatal(err)
		}
		fork := strings.Replace(string(data), `"ref": "topic", "repo": {"full_name": "acme/shop"}`, `"ref": "topic", "repo": {"full_name": "mallory/shop"}`, 1)
		if err := os.WriteFile(j.env["GITHUB_EVENT_PATH"], []byte(fork), 0o644); err != nil {
			t.Fatal(err)
		}
		j.wantExit(want)
		if said := strings.Contains(strings.Join(strings.Fields(j.stdout.String()), " "), "permission was not checked"); said != (want == exitPass) || len(j.srv.Requests()) > 0 {
			t.Errorf("%s: %d requests\n%s", by, len(j.srv.Requests()), &j.stdout)
		}
	}
}

func TestALocalScanSaysThatTheAccountWasNotVerified(t *testing.T) {
	j := newJob(t, map[string]string{".gate.yml": strictPolicy, "a.py": shellOut, suppress.BaselineFile: dismissal(t, "grace", nil)}, map[string]string{"a.py": reformatted})
	t.Chdir(j.repo)
	a := testApp()
	var out bytes.Buffer
	a.stdout, a.stderr = &out, &bytes.Buffer{}
	a.getenv = func(k string) string { return map[string]string{"HOME": j.env["HOME"]}[k] }
	if code := a.main([]string{"scan", "--layers", "static", "--base", j.base}); code != exitPass || !strings.Contains(strings.Join(strings.Fields(out.String()), " "), "permission was not checked") {
		t.Errorf("exit code %d\n%s", code, &out)
	}
}
