package execute_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox/images"
)

func TestAnOldImageIsANoteThatNamesTheCommand(t *testing.T) {
	for name, tt := range map[string]struct {
		made string
		want bool
	}{
		"more than a month":       {time.Now().Add(-40 * 24 * time.Hour).Format(time.RFC3339), true},
		"a week":                  {time.Now().Add(-7 * 24 * time.Hour).Format(time.RFC3339), false},
		"an image without a time": {"", false},
		"a time that is none":     {"yesterday", false},
	} {
		t.Run(name, func(t *testing.T) {
			const ref = "gate-sandbox-python:dev"
			r := &library{labels: map[string]map[string]string{ref: {images.LabelCreated: tt.made}}}
			s := goldenStage(t, r, func(o *execute.Options) {
				o.Policy.Conditions = 0
				o.ImageHint = func(string) string { return "gate doctor --build python" }
			})
			_, found := executions(t, s, changeOf(files(map[string]string{"a.py": program, "b.py": program})))
			var said []gate.Finding
			for _, path := range []string{"a.py", "b.py"} {
				for _, f := range found.Of(path) {
					if f.Rule == "dependency/old-image" {
						said = append(said, f)
					}
				}
			}
			if (len(said) == 1) != tt.want || len(said) > 1 {
				t.Fatalf("%d notes, want %v: %+v", len(said), tt.want, said)
			}
			if tt.want && (said[0].Severity != gate.SeverityNote || !strings.Contains(said[0].Evidence, "is 40 days old; renew it: gate doctor --build python")) {
				t.Errorf("%+v", said[0])
			}
			if !slices.Contains(r.asked, ref) {
				t.Errorf("it was not asked for: %q", r.asked)
			}
		})
	}
}
