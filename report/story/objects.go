package story

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// thing is something worth stealing, as code names it.
type thing struct {
	family string // of several things of a family the first is named
	in     *regexp.Regexp
	name   string // with $0 for what was found; signs of the change are only what the pattern allows
	kind   Kind   // Code for a path
}

// things returns what a sentence names as a source, the most telling first.
var things = sync.OnceValue(func() []thing {
	t := func(family, pattern, name string, kind Kind) thing {
		return thing{family, regexp.MustCompile(pattern), name, kind}
	}
	return []thing{
		t("ssh", `\bid_(?:rsa|dsa|ecdsa|ed25519|\*)`, "~/.ssh/$0", Code),
		t("ssh", `\.ssh\b`, "~/.ssh", Code),
		t("aws", `\.aws\b`, "~/.aws", Code),
		t("kube", `\.kube\b`, "~/.kube", Code),
		t("gnupg", `\.gnupg\b`, "~/.gnupg", Code),
		t("gcloud", `\bgcloud\b`, "~/.config/gcloud", Code),
		t("docker", `\.docker\b`, "~/.docker", Code),
		t("dotfile", `\.(?:netrc|npmrc|pypirc|git-credentials|pgpass|my\.cnf|bash_history|zsh_history)\b`, "~/$0", Code),
		t("dotenv", `(?:^|[^\w.])\.env\b`, ".env", Code),
		t("etc", `/etc/(?:passwd|shadow|sudoers)\b`, "$0", Code),
		t("browser", `Login Data|cookies\.sqlite|logins\.json|key4\.db`, "the passwords and cookies of a browser", Words),
		t("wallet", `\bwallet\.dat\b`, "wallet.dat", Code),
		t("metadata", `169\.254\.169\.254`, "credentials of the cloud", Words),
		t("clipboard", `(?i)clipboard|\bpbpaste\b|\bxclip\b`, "the clipboard", Words),
		t("environment", `\b(?:process\.env\.|os\.environ\[["']|getenv\(["'])[A-Z0-9_]{3,40}\b`, "a variable of the environment", Words),
		t("environment", `\bos\.environ\b|\bprocess\.env\b|\bos\.Environ\(|\bprintenv\b`, "the environment", Words),
	}
})

// mostNamed is how many sources or hosts a sentence names.
const mostNamed = 2

// sources names what texts hold of things.
func sources(texts []string) Sentence {
	var out []Piece
	var families []string
	for _, t := range things() {
		for _, text := range texts {
			found := t.in.FindString(text)
			if found == "" || slices.Contains(families, t.family) {
				continue
			}
			families = append(families, t.family)
			out = append(out, Piece{strings.ReplaceAll(t.name, "$0", found), t.kind})
		}
	}
	return listed(out)
}

var (
	ofAddress = regexp.MustCompile(`(?i)\b(?:https?|wss?|ftp|tcp)://(?:[\w.-]{1,64}(?::[^\s@/]{0,64})?@)?([a-z0-9](?:[a-z0-9.-]{0,98}[a-z0-9])?(?::\d{1,5})?)\.?(?:[^a-z0-9.:@-]|$)`)
	ofNumbers = regexp.MustCompile(`(?:^|[^\d.])(\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?)(?:[^\d.]|$)`)
)

// hosts names the hosts in texts.
func hosts(texts []string) Sentence {
	var out []Piece
	for _, text := range texts {
		for _, pattern := range []*regexp.Regexp{ofAddress, ofNumbers} {
			for _, m := range pattern.FindAllStringSubmatch(text, mostNamed+1) {
				if p := (Piece{strings.ToLower(m[1]), Code}); !slices.Contains(out, p) {
					out = append(out, p)
				}
			}
		}
	}
	return listed(out)
}

// listed joins names: "a", "a and b", "a, b and 3 more".
func listed(names []Piece) Sentence {
	switch n := len(names); {
	case n == 0:
		return nil
	case n == 1:
		return Sentence{names[0]}
	case n == mostNamed:
		return Sentence{names[0], {Text: " and "}, names[1]}
	default:
		return Sentence{names[0], {Text: ", "}, names[1], {Text: fmt.Sprintf(" and %d more", n-mostNamed)}}
	}
}
