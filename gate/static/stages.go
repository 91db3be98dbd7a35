package static

import (
	"bytes"
	"path"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/static/active"
)

// stageNamed matches where a build is told which stage of a Dockerfile to build.
var stageNamed = regexp.MustCompile(`(?:\btarget["']?\s*[:=]\s*|--target[= ]\s*)["']?([A-Za-z][\w.-]*)`)

// maxStages bounds how many stages one text can name.
const maxStages = 50

// newStages are the stages of Dockerfiles that changed lines of a text have built, and the
// older text does not, each with its line.
func newStages(content, older []byte, changed gate.LineSet) map[string]int {
	if !bytes.Contains(content, []byte("target")) {
		return nil
	}
	known := map[string]bool{}
	for _, m := range stageNamed.FindAllSubmatch(older, maxStages) {
		known[string(m[1])] = true
	}
	out := map[string]int{}
	for _, m := range stageNamed.FindAllSubmatchIndex(content, maxStages) {
		name, line := string(content[m[2]:m[3]]), 1+bytes.Count(content[:m[2]], []byte{'\n'})
		if !known[name] && out[name] == 0 && changed.Touches(line, line) {
			out[name] = line
		}
	}
	return out
}

// isDockerfile reports whether a file is one by its name.
func isDockerfile(name string) bool {
	base := strings.ToLower(path.Base(name))
	return strings.HasPrefix(base, "dockerfile") || strings.HasPrefix(base, "containerfile") || strings.HasSuffix(base, ".dockerfile")
}

// builds reports whether the referrer newly has a stage of a file built.
func (f referrer) builds(name string, content []byte) bool {
	if len(f.stages) == 0 || !isDockerfile(name) {
		return false
	}
	for stage := range f.stages {
		if _, ok := active.Built(content, stage); ok {
			return true
		}
	}
	return false
}
