package static

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/source/workflow"
)

// ownCheck matches what runs gate in the settings of a CI system or of pre-commit.
var ownCheck = regexp.MustCompile(`(?i)\baigate/gate\b|\bgate (?:scan|pr|publish|merge|hook)\b|"id":"gate\b`)

// ownCheckNews reports a change of what decides whether gate runs, and whether what it says
// counts: the step itself, its job, and the events that start it.
func ownCheckNews(f *file) {
	t := f.target
	base := path.Base(olderPath(t))
	_, isCI := ciOf(t)
	moved := isWorkflow(t.OldPath) && !isWorkflow(t.Path)
	if isCI = isCI || moved; f.change.Base == nil || t.Kind == gate.ChangeNone || t.Kind == gate.ChangeAdded || t.Parent != "" || !isCI && base != ".pre-commit-config.yaml" {
		return
	}
	text, err := bounded.ReadFile(f.change.Base, olderPath(t), workflow.MaxBytes)
	if err != nil {
		return
	}
	old, err := workflow.Watched(text, ownCheck)
	if err != nil || len(old) == 0 {
		return
	}
	var head map[string]string
	if t.Exists() && !moved {
		text, err := f.change.Read(t, workflow.MaxBytes)
		if err != nil {
			return // the layer says so where it reads the file
		}
		if head, err = workflow.Watched(text, ownCheck); err != nil {
			f.report(checkWorkflowUnread, 0, err.Error(), "")
			return
		}
	}
	var changed []string
	for _, part := range slices.Sorted(maps.Keys(old)) {
		if now, ok := head[part]; !ok || now != old[part] {
			changed = append(changed, part)
		}
	}
	if len(changed) == 0 || isCI && len(head) == 0 && !moved {
		return // a check that is gone is said as such
	}
	f.report(checkOwnCheck, 0, gate.Clip(strings.Join(changed, ", "), maxShownName), "")
}

// isWorkflow reports whether GitHub runs a file of that path.
func isWorkflow(name string) bool {
	return path.Dir(name) == workflowFolder && (path.Ext(name) == ".yml" || path.Ext(name) == ".yaml")
}
