package images

import (
	"encoding/json"
	"testing"
)

func TestTheCompilerStartsFromTheImageOfTheBaseWhereItHelps(t *testing.T) {
	t.Parallel()
	compiled := func(packages int, bytes int64) string {
		text, err := json.Marshal(Compiled{Packages: packages, Of: packages, Bytes: bytes})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	labels := func(language, sandbox, compiled string) map[string]string {
		return map[string]string{labelDependencies: language, labelDepsDigest: "d", labelDepsSandbox: sandbox, labelDepsCompiled: compiled}
	}
	const own, base = "sha256:sandbox", "sha256:there"
	for name, tt := range map[string]struct {
		labels map[string]string
		like   string
		want   string
	}{
		"there is none":                {like: "gate-deps-go:x", want: own},
		"none is named":                {labels: labels("go", own, compiled(5, 100)), want: own},
		"it has compiled packages":     {labels: labels("go", own, compiled(5, 100)), like: "gate-deps-go:x", want: base},
		"it has compiled nothing":      {labels: labels("go", own, compiled(0, 0)), like: "gate-deps-go:x", want: own},
		"it has half of what may be":   {labels: labels("go", own, compiled(5, maxCompiled/2+1)), like: "gate-deps-go:x", want: own},
		"it is on top of another one":  {labels: labels("go", "sha256:old", compiled(5, 100)), like: "gate-deps-go:x", want: own},
		"it is of another language":    {labels: labels("node", own, compiled(5, 100)), like: "gate-deps-go:x", want: own},
		"it is no image of this kind":  {labels: map[string]string{}, like: "gate-deps-go:x", want: own},
		"its labels cannot be read":    {labels: labels("go", own, "{"), like: "gate-deps-go:x", want: own},
		"its language is not a known ": {labels: labels("cobol", own, compiled(5, 100)), like: "gate-deps-go:x", want: own},
	} {
		t.Run(name, func(t *testing.T) {
			e := (&fakeEngine{arch: "x86_64", labels: tt.labels}).client(t)
			if got := compiler(t.Context(), e, Info{ID: own}, tt.like); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}
