package sandbox

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// falcoItem is one entry of a rules file.
type falcoItem struct {
	Rule, Macro, List string
	Desc              string
	Condition         string
	Output            string
	Priority          string
	Tags              []string
	Items             []string
	Plugins           []struct{ Name, Version string } `yaml:"required_plugin_versions"`
}

func falcoItems(t *testing.T) []falcoItem {
	t.Helper()
	var items []falcoItem
	dec := yaml.NewDecoder(strings.NewReader(FalcoRules()))
	dec.KnownFields(true)
	if err := dec.Decode(&items); err != nil {
		t.Fatal(err)
	}
	return items
}

func TestTheFalcoRulesAreWellFormed(t *testing.T) {
	names := map[string]bool{}
	rules := 0
	for _, i := range falcoItems(t) {
		name := i.Rule + i.Macro + i.List
		switch {
		case len(i.Plugins) > 0:
			if i.Plugins[0].Name != "container" {
				t.Errorf("plugins %+v", i.Plugins)
			}
			continue
		case names[name]:
			t.Errorf("%q is there twice", name)
		case i.List != "" && len(i.Items) == 0, i.Macro != "" && i.Condition == "":
			t.Errorf("%q says nothing", name)
		case strings.Count(i.Condition, "(") != strings.Count(i.Condition, ")"), strings.Count(i.Condition, `"`)%2 != 0:
			t.Errorf("%q: parentheses or quotes of the condition do not match", name)
		}
		names[name] = true
		if i.Rule == "" {
			continue
		}
		rules++
		if i.Desc == "" || !slices.Contains([]string{"CRITICAL", "WARNING", "NOTICE"}, i.Priority) || !slices.Contains(i.Tags, "gate") || !strings.HasPrefix(i.Rule, "gate ") {
			t.Errorf("%q lacks a description, a priority or the tag gate", i.Rule)
		}
		if !strings.Contains(i.Condition, "evt.type") && !strings.Contains(i.Condition, "gate_opened_for_writing") {
			t.Errorf("%q looks at every event there is", i.Rule)
		}
		if !strings.Contains(i.Condition, "gate_sandbox") || !strings.Contains(i.Output, "%container.id") {
			t.Errorf("%q is not about a container of gate, or does not name it", i.Rule)
		}
		if !strings.Contains(i.Condition, "evt.rawres >= 0") && !strings.Contains(i.Condition, "fd.num >= 0") && !strings.Contains(i.Condition, "gate_opened_for_writing") {
			t.Errorf("%q reports what was only tried", i.Rule)
		}
	}
	if rules == 0 {
		t.Error("there are no rules")
	}
}

// falcoWords are the fields and operators of Falco that the rules use
// (falco.org/docs/reference/rules/supported-fields).
const falcoWords = `and or not in contains startswith endswith exists true
	evt.type evt.rawres evt.is_open_write fd.num fd.name fd.typechar proc.name proc.exepath proc.pname proc.pcmdline user.uid
	container.id container.labels container.mounts container.privileged container.host_pid container.host_network container.host_ipc container.duration`

func TestTheFalcoRulesUseOnlyWhatThereIs(t *testing.T) {
	known := strings.Fields(falcoWords)
	for _, i := range falcoItems(t) {
		known = append(known, i.Macro, i.List)
	}
	literal := regexp.MustCompile(`"[^"]*"|'[^']*'|/\S+|\b[a-z]+\.sock\b`)
	for _, i := range falcoItems(t) {
		text := literal.ReplaceAllString(regexp.MustCompile(`evt\.type in \([^)]*\)|evt\.type = \w+|container\.id != host`).ReplaceAllString(i.Condition, "evt.type"), " ")
		for _, word := range regexp.MustCompile(`[a-z_][a-z_.]*`).FindAllString(text, -1) {
			if !slices.Contains(known, word) {
				t.Errorf("%q: Falco does not know %q", i.Rule+i.Macro, word)
			}
		}
		for _, field := range regexp.MustCompile(`%[a-z_.]+`).FindAllString(i.Output, -1) {
			if name := strings.TrimRight(field[1:], "."); !slices.Contains(known, name) && !slices.Contains([]string{"proc.cmdline", "evt.args", "evt.res"}, name) {
				t.Errorf("%q: Falco has no field %q", i.Rule, name)
			}
		}
	}
}

func TestTheFalcoRulesKnowOurContainersAndNoOthers(t *testing.T) {
	for _, i := range falcoItems(t) {
		if i.Macro == "gate_sandbox" && !strings.Contains(i.Condition, `container.labels contains "`+labelRole+":"+roleRun+`"`) {
			t.Errorf("gate_sandbox does not look for the label of our containers: %s", i.Condition)
		}
	}
	config, host := profile(confinement{limits: DefaultLimits(), runtime: "runc", labels: map[string]string{labelRole: roleRun}})
	if config.Labels[labelRole] != roleRun || config.User != "1000:1000" || host.Privileged || host.NetworkMode.IsHost() || host.PidMode.IsHost() || host.IpcMode.IsHost() || len(host.Binds) > 0 {
		t.Error("the profile makes containers that the rules report")
	}
}

// Containers of gate start shells all the time; a rule that reports each of them is switched off.
func TestTheFalcoRuleAboutShellsLeavesOutThoseOfOrdinaryWork(t *testing.T) {
	var shells, starters []string
	condition := ""
	for _, i := range falcoItems(t) {
		switch {
		case i.List == "gate_shells":
			shells = i.Items
		case i.List == "gate_starts_shells":
			starters = i.Items
		case i.Rule == "gate sandbox program started a shell":
			condition = i.Condition
		}
	}
	for _, shell := range shells {
		if !slices.Contains(starters, shell) {
			t.Errorf("a shell that %s starts is reported", shell)
		}
	}
	for _, starter := range []string{"make", "npm", "git", "go", "bats"} {
		if !slices.Contains(starters, starter) {
			t.Errorf("a shell that %s starts is reported", starter)
		}
	}
	for _, part := range []string{"proc.name in (gate_shells)", "not proc.pname in (gate_starts_shells)", "not proc.pcmdline contains \"pytest\""} {
		if !strings.Contains(condition, part) {
			t.Errorf("the condition lacks %q: %s", part, condition)
		}
	}
}

func TestFalcoTakesTheRules(t *testing.T) {
	falco, err := exec.LookPath("falco")
	if err != nil {
		t.Log("no falco on this machine: the structure of the rules is what is tested")
		return
	}
	file, err := filepath.Abs("falco/gate.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), falco, "--validate", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
