package workflow

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxWatched is how many parts of a file are compared.
const maxWatched = 500

// Watched returns the parts of a workflow, or of the settings of another CI system or of
// pre-commit, that decide whether what matches runs and counts, each by a name for people: its
// own step, the settings of its job and of the jobs that this one needs, the events that start
// it, and what comes before it in the job and may take its place. Versions of actions and
// names are no part of them.
//
// The parts of two versions are compared: one that is gone or differs is a change. It is empty
// for a file in which nothing matches.
func Watched(text []byte, is *regexp.Regexp) (map[string]string, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%w: %d bytes", ErrTooMuch, len(text))
	}
	var doc map[string]any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	w := watch{is: is, out: map[string]string{}}
	switch jobs, ok := doc["jobs"].(map[string]any); {
	case ok:
		w.workflow(doc, jobs)
	case doc["repos"] != nil:
		w.hooks(doc)
	default:
		w.pipeline(doc)
	}
	return w.out, nil
}

type watch struct {
	is  *regexp.Regexp
	out map[string]string
}

func (w watch) add(name string, v any) {
	if v != nil && len(w.out) < maxWatched {
		w.out[name] = canonical(v)
	}
}

// setting adds one that may not be there, so that a new one differs.
func (w watch) setting(name string, v any) {
	if v == nil {
		v = ""
	}
	w.add(name, v)
}

// has reports whether something in a value matches.
func (w watch) has(v any) bool { return w.is.MatchString(canonical(v)) }

// workflow adds the parts of a workflow of GitHub.
func (w watch) workflow(doc, jobs map[string]any) {
	todo := map[string]bool{}
	for name, job := range jobs {
		if w.has(job) {
			todo[name] = true
		}
	}
	if len(todo) == 0 {
		return
	}
	w.events(doc)
	w.setting("defaults", doc["defaults"])
	w.environment("env", doc["env"])
	for range len(jobs) { // what they need, and so on
		for name := range todo {
			job, _ := jobs[name].(map[string]any)
			for _, needed := range words(job["needs"]) {
				todo[needed] = true
			}
		}
	}
	for name := range todo {
		if job, ok := jobs[name].(map[string]any); ok {
			w.job("job "+name, job)
		}
	}
}

// events adds those that start the workflow for what is to be merged. More of them do no harm.
func (w watch) events(doc map[string]any) {
	on := doc["on"]
	if on == nil {
		on = doc["true"] // as older YAML reads the key
	}
	byName, isMap := on.(map[string]any)
	for _, name := range []string{"pull_request", "pull_request_target", "merge_group", "workflow_call", "workflow_run"} {
		v, there := byName[name]
		if there || !isMap && slices.Contains(words(on), name) {
			w.add("event "+name, []any{v})
		}
	}
}

// job adds what decides whether a job runs and counts.
func (w watch) job(name string, job map[string]any) {
	for _, key := range []string{"if", "continue-on-error", "needs", "defaults", "container", "uses"} {
		w.setting(name+": "+key, job[key])
	}
	if s, ok := job["strategy"].(map[string]any); ok && w.empty(s["matrix"]) {
		w.setting(name+": strategy", s)
	} else {
		w.setting(name+": strategy", nil)
	}
	w.environment(name+": env", job["env"])
	list, _ := job["steps"].([]any)
	aside := []any{}
	for i, v := range list {
		step, ok := v.(map[string]any)
		switch {
		case !ok:
		case w.has(step):
			w.add(fmt.Sprintf("%s: step %d of gate", name, w.count(list[:i])), step)
		case replaces.MatchString(canonical(step)), checksOut(step):
			aside = append(aside, step)
		}
	}
	w.add(name+": what comes before it", aside)
}

// count is how many steps match.
func (w watch) count(steps []any) (n int) {
	for _, s := range steps {
		if w.has(s) {
			n++
		}
	}
	return n
}

// empty reports whether a matrix has a list without elements.
func (w watch) empty(matrix any) bool {
	m, ok := matrix.(map[string]any)
	if !ok {
		return false
	}
	for _, v := range m {
		if list, ok := v.([]any); ok && len(list) == 0 {
			return true
		}
	}
	return len(m) == 0
}

// replaces matches a step that may put another program, or other settings, in the place of
// what runs after it.
var replaces = regexp.MustCompile(`GITHUB_(?:PATH|ENV)|/bin/gate\b|\bgate-result|\balias\s|\bgit config\b`)

// checksOut reports whether a step says which files are looked at.
func checksOut(step map[string]any) bool {
	uses, _ := step["uses"].(string)
	with, _ := step["with"].(map[string]any)
	return strings.HasPrefix(uses, "actions/checkout") && (with["ref"] != nil || with["repository"] != nil || with["path"] != nil)
}

// steering matches variables that programs of a job are steered with.
var steering = regexp.MustCompile(`(?i)^(?:GATE|GITHUB|RUNNER|GIT|XDG|LD|DYLD|OLLAMA|DOCKER|SSL|CURL)_|PATH$|^(?:BASH_)?ENV$|^HOME$|proxy$|^SKIP$`)

func (w watch) environment(name string, v any) {
	vars, _ := v.(map[string]any)
	kept := map[string]any{}
	for k, v := range vars {
		if steering.MatchString(k) {
			kept[k] = v
		}
	}
	w.add(name, kept)
}

// pipeline adds the parts of other settings: what is beside the jobs, and the jobs in which
// something matches.
func (w watch) pipeline(doc map[string]any) {
	if !w.has(doc) {
		return
	}
	for name, v := range doc {
		m, isMap := v.(map[string]any)
		isJob := isMap && (m["script"] != nil || m["steps"] != nil || m["stage"] != nil || m["extends"] != nil)
		if w.has(v) || !isJob && name != "stages" && name != "cache" && name != "name" && name != "description" && name != "inputs" && name != "outputs" {
			w.add(name, v)
		}
	}
}

// hooks adds the parts of the settings of pre-commit.
func (w watch) hooks(doc map[string]any) {
	repos, _ := doc["repos"].([]any)
	n := 0
	for _, r := range repos {
		if w.has(r) {
			m, _ := r.(map[string]any)
			hooks, _ := m["hooks"].([]any)
			w.add(fmt.Sprintf("repository %d of gate", n), m["repo"])
			for _, h := range hooks {
				if m, _ := h.(map[string]any); m != nil {
					w.add(fmt.Sprintf("hook %v", m["id"]), m)
				}
			}
			n++
		}
	}
	for _, key := range []string{"exclude", "files", "default_stages"} {
		if n > 0 {
			w.setting(key, doc[key])
		}
	}
}

// words are a text, or the texts of a list.
func words(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, e := range v {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// canonical writes a value so that equal ones are equal, without what may change freely.
func canonical(v any) string {
	text, err := json.Marshal(plain(v))
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// release matches versions of actions that are not a branch.
var release = regexp.MustCompile(`^(?:v?\d[\w.-]*|[0-9a-f]{40})$`)

func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			uses, isText := e.(string)
			switch {
			case k == "name" || k == "rev":
			case k == "uses" && isText:
				action, version, _ := strings.Cut(uses, "@")
				if release.MatchString(version) {
					version = ""
				}
				out[k] = action + "@" + version
			default:
				out[k] = plain(e)
			}
		}
		return out
	case map[any]any:
		out := map[string]any{}
		for k, e := range v {
			out[fmt.Sprint(k)] = plain(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = plain(e)
		}
		return out
	}
	return v
}
