package suppress

import (
	"strings"
	"testing"
)

func TestASuppressionSaysRulesReasonAndDay(t *testing.T) {
	for text, want := range map[string]struct {
		rules   string
		reason  string
		expires Day
	}{
		`gate:allow a/b reason="fixed text"`:                             {"a/b", "fixed text", ""},
		`gate:allow a/b,c-d/e-2 reason="two rules" expires=2027-01-31`:   {"a/b,c-d/e-2", "two rules", "2027-01-31"},
		"gate:allow\ta/b  reason=\"blanks do not matter\"\t":             {"a/b", "blanks do not matter", ""},
		`gate:allow a/b reason="größer = später, 'quoted'; -- x" `:       {"a/b", "größer = später, 'quoted'; -- x", ""},
		`gate:allow a/b reason="ends today"   expires=2026-02-28       `: {"a/b", "ends today", "2026-02-28"},
	} {
		m, err := parse(strings.TrimSpace(text))
		if err != nil || strings.Join(m.rules, ",") != want.rules || m.reason != want.reason || m.expires != want.expires {
			t.Errorf("%s: %+v, %v", text, m, err)
		}
	}
}

func TestMalformedSuppressionsSayWhy(t *testing.T) {
	long := strings.Repeat("x", maxReason+1)
	for text, want := range map[string]string{
		`gate:allow`:                                            "no rule",
		`gate:allow reason="x y z"`:                             "no rule",
		`gate:allow a/b`:                                        "reason=",
		`gate:allow a/b because it is fine`:                     "reason=",
		`gate:allow a/b reason=fine`:                            "reason=",
		`gate:allow a/b reason=""`:                              "say something",
		`gate:allow a/b reason="  "`:                            "say something",
		`gate:allow a/b reason="..."`:                           "say something",
		`gate:allow a/b reason="` + long + `"`:                  "bytes (at most",
		`gate:allow a/b reason="fine`:                           "closing quote",
		"gate:allow a/b reason=\"fi\u202ene\"":                  "cannot be seen",
		`gate:allow a/b reason="fine" -- and this is why`:       "only expires=",
		`gate:allow a/b reason="fine" expires=soon`:             "YYYY-MM-DD",
		`gate:allow a/b reason="fine" expires=2026-02-30`:       "YYYY-MM-DD",
		`gate:allow a/b reason="fine" expires=26-02-03`:         "YYYY-MM-DD",
		`gate:allow a/b reason="fine"expires=2027-01-01`:        "only expires=",
		`gate:allow a/b reason="fine" expires=2027-01-01 x`:     "only expires=",
		`gate:allow a/b reason="fine" until=2027-01-01`:         "only expires=",
		`gate:allow a/b, c/d reason="fine"`:                     "no blank",
		`gate:allow a/b,a/b reason="fine"`:                      "twice",
		`gate:allow * reason="all of them"`:                     "not the id",
		`gate:allow a/* reason="all of them"`:                   "not the id",
		`gate:allow A/B reason="capitals"`:                      "not the id",
		`Gate:Allow a/b reason="capitals"`:                      "begin with gate:allow",
		`gate: allow a/b reason="a blank"`:                      "begin with gate:allow",
		`gate:ignore a/b reason="another verb"`:                 "begin with gate:allow",
		`noqa gate:allow a/b reason="behind something"`:         "begin with gate:allow",
		`because of this gate:allow a/b reason="a prefix"`:      "begin with gate:allow",
		`gate:allowed a/b reason="another word"`:                "begin with gate:allow",
		`gate:allow ` + strings.Repeat("a/b,", 3) + ` reason=x`: "twice",
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", text, err, want)
		}
	}
}

func TestOtherSpellingsAreSeenAndOtherWordsAreNot(t *testing.T) {
	for text, want := range map[string]bool{
		"gate:allow": true, "GATE : Ignore x": true, "x gate:allow": true, "gate:ignore-file": true, "a: b gate:allow": true,
		"": false, "gate": false, "gate:": false, "gate:allowed": false, "delegate:allow": false, "navigate: allow": false,
		"gate:             allow": false, "gate allow": false, ":allow": false, "gate:al": false,
	} {
		if start, _ := intent([]byte(text), 0); (start >= 0) != want {
			t.Errorf("%q: %d, want %v", text, start, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`gate:allow a/b reason="fine"`, `gate:allow a/b,c/d reason="fine" expires=2027-01-31`, `gate: allow a/b`, "gate:allow a/b reason=\"", "gate:allow , reason=\"\""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parse(text)
		start, end := intent([]byte(text), 0)
		if start >= 0 && (end <= start || end > len(text)) {
			t.Fatalf("an intent at %d..%d of %d", start, end, len(text))
		}
		if err != nil {
			return
		}
		if start != 0 || len(m.rules) == 0 || len(m.rules) > maxRules || CheckReason(m.reason) != nil || strings.Contains(m.reason, `"`) {
			t.Fatalf("%q gives %+v", text, m)
		}
		again := `gate:allow ` + strings.Join(m.rules, ",") + ` reason="` + m.reason + `"`
		if m.expires != "" {
			again += " expires=" + string(m.expires)
		}
		if n, err := parse(again); err != nil || n.reason != m.reason || n.expires != m.expires {
			t.Fatalf("%q gives %+v, %v", again, n, err)
		}
	})
}
