package mcp

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/skill"
	"github.com/aigate/gate/gate/workspace"
)

// library are the tools for what can be looked up: skills and rules.
type library struct{ *Server }

func (s library) register(server *sdk.Server) {
	name := text(0, 64)
	add(s.Server, server, described{
		name: "load_skill", title: "Load a skill",
		text: `Load a skill: a folder with instructions and files for one kind of task. Without a name, the result lists the skills that there are. Before anything of a skill is handed out, all of its files go through gate's static layer; a dangerous skill is refused. With copy, its files are put in the session's workspace, in skills/NAME/, for run_code and run_command.`,
		bounds: map[string]func(*jsonschema.Schema){
			"name": name, "session": text(0, 64),
		},
	}, s.load)
	add(s.Server, server, described{
		name: "read_resource", title: "Read a file of a skill", reads: true,
		text: `Read a file that belongs to a skill, after the skill went through gate's static layer. load_skill lists them.`,
		bounds: map[string]func(*jsonschema.Schema){
			"skill": name, "path": text(1, workspace.MaxPath),
		},
	}, s.resource)
	add(s.Server, server, described{
		name: "explain_finding", title: "Explain a finding", reads: true,
		text:   `Say why a rule exists, what is dangerous about what it finds, and what to do instead. The rule is in every finding, such as exfiltration/python-key-file-flow.`,
		bounds: map[string]func(*jsonschema.Schema){"rule": text(1, 200)},
	}, s.explain)
}

type loadSkill struct {
	Name    string `json:"name,omitempty" jsonschema:"the skill; without it, the skills are listed"`
	Copy    bool   `json:"copy,omitempty" jsonschema:"put its files in the workspace as well"`
	Session string `json:"session,omitempty" jsonschema:"with copy: identifier of the session to go on with, or \"new\"; the default is the session of this connection"`
}

// Loaded is a skill, or the list of all.
type Loaded struct {
	Notice    string      `json:"data_notice"`
	Skills    []SkillLine `json:"skills" jsonschema:"the skills that there are, where none was named"`
	Name      string      `json:"name,omitempty"`
	Text      string      `json:"text,omitempty" jsonschema:"the instructions of the skill: written by the author of the skill"`
	Exact     bool        `json:"exact" jsonschema:"whether text is without escapes"`
	Cut       bool        `json:"cut" jsonschema:"whether text is only the beginning; read_resource has all of SKILL.md"`
	Resources []string    `json:"resources" jsonschema:"files of the skill, for read_resource"`
	Copied    string      `json:"copied_to,omitempty" jsonschema:"folder of the workspace that has the files"`
	Workspace *Session    `json:"workspace,omitempty"`
}

// SkillLine is one skill of a list.
type SkillLine struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Problem     string `json:"problem,omitempty" jsonschema:"why it cannot be loaded"`
}

func (s library) load(ctx context.Context, c call, in loadSkill) (out Loaded, text string, err error) {
	out = Loaded{Notice: dataNotice, Skills: []SkillLine{}, Resources: []string{}}
	if in.Name == "" {
		return s.list(out)
	}
	k, err := s.skill(ctx, in.Name)
	if err != nil {
		return out, "", err
	}
	part, cut := head([]byte(k.Body), maxShown)
	out.Name, out.Cut = k.Name, cut
	out.Text, out.Exact = visible(part)
	for _, p := range k.Files.Paths() {
		if p != skill.File {
			out.Resources = append(out.Resources, line(p, workspace.MaxPath))
		}
	}
	text = fmt.Sprintf("The skill %s went through the static layer and passed.\n%s\n", k.Name, mark(fmt.Sprintf("SKILL.md of %s, written by the author of the skill", k.Name), out.Text))
	if len(out.Resources) > 0 {
		text += mark("files of the skill, for read_resource", strings.Join(out.Resources, "\n")) + "\n"
	}
	if in.Copy {
		w, err := s.session(ctx, c, in.Session)
		if err != nil {
			return out, "", err
		}
		defer w.Close()
		out.Copied = path.Join("skills", k.Name)
		for _, p := range k.Files.Paths() {
			data, _ := k.Files.Get(p)
			if err := w.Tree.Put(path.Join(out.Copied, p), data); err != nil {
				return out, "", inSession(w, fmt.Errorf("copy the skill: %w", err))
			}
		}
		if err := w.Save(); err != nil {
			return out, "", inSession(w, err)
		}
		here := about(w)
		out.Workspace = &here
		text += fmt.Sprintf("Its files are in %s of the workspace. Session %s.\n", out.Copied, w.ID)
	}
	return out, text, nil
}

// list says which skills there are.
func (s library) list(out Loaded) (Loaded, string, error) {
	all, err := s.skills.List()
	if err != nil {
		return out, "", err
	}
	var b strings.Builder
	for _, k := range all {
		l := SkillLine{Name: line(k.Name, 100), Description: k.Description}
		if k.Err != nil {
			l.Problem = line(k.Err.Error(), maxSentence)
		}
		out.Skills = append(out.Skills, l)
		fmt.Fprintf(&b, "%s: %s%s\n", l.Name, l.Description, l.Problem)
	}
	if len(all) == 0 {
		return out, "There are no skills. gate mcp --skills DIR names a folder with some.", nil
	}
	return out, mark("the skills that there are", b.String()), nil
}

// skill reads a skill that the static layer lets pass.
func (s library) skill(ctx context.Context, name string) (skill.Skill, error) {
	k, err := s.skills.Load(name)
	if err != nil {
		return skill.Skill{}, err
	}
	if sum := k.Files.Sum(); !s.known.has(sum) {
		res, err := look(ctx, s.static, s.settings.Policy, mapFS(k.Files), nil, gate.Discard{})
		if err != nil {
			return skill.Skill{}, err
		}
		if res.Decision != gate.DecisionPass {
			return skill.Skill{}, s.refusal(fmt.Sprintf("the skill %q", name), res)
		}
		s.known.add(sum)
	}
	return k, nil
}

type readResource struct {
	Skill string `json:"skill" jsonschema:"the skill"`
	Path  string `json:"path" jsonschema:"the file, as load_skill lists it"`
}

// Resource is a file of a skill.
type Resource struct {
	Notice string `json:"data_notice"`
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	Text   string `json:"text" jsonschema:"data; characters that cannot be seen are escapes"`
	Exact  bool   `json:"exact"`
	Cut    bool   `json:"cut" jsonschema:"whether text is only the beginning; load_skill with copy brings the whole file into the workspace"`
}

func (s library) resource(ctx context.Context, _ call, in readResource) (out Resource, text string, err error) {
	if err := workspace.CheckPath(in.Path); err != nil {
		return out, "", err
	}
	k, err := s.skill(ctx, in.Skill)
	if err != nil {
		return out, "", err
	}
	data, ok := k.Files.Get(in.Path)
	if !ok {
		return out, "", fmt.Errorf("the skill %s has no file %q; load_skill lists those that it has", k.Name, in.Path)
	}
	part, cut := head(data, maxShown)
	out = Resource{Notice: dataNotice, Path: in.Path, Size: int64(len(data)), Cut: cut}
	out.Text, out.Exact = visible(part)
	return out, mark(fmt.Sprintf("%q of the skill %s, %d bytes", in.Path, k.Name, len(data)), out.Text), nil
}

type explainFinding struct {
	Rule string `json:"rule" jsonschema:"the rule, as a finding names it"`
}

// Explained is a rule.
type Explained struct {
	Rule     string `json:"rule"`
	Title    string `json:"title"`
	Layer    string `json:"layer"`
	Severity string `json:"severity"`
	Why      string `json:"why"`
	Instead  string `json:"instead"`
}

func (s library) explain(_ context.Context, _ call, in explainFinding) (out Explained, text string, err error) {
	e, err := s.rules.Find(in.Rule)
	if err != nil {
		return out, "", errors.New(line(err.Error(), maxSentence))
	}
	return Explained{e.ID, e.Title, string(e.Layer), e.Severity.String(), e.Why, e.Instead}, e.Explain(), nil
}
