package plan

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// maxPackages bounds how many packages of a workspace are linked.
const maxPackages = 200

// A name of an npm package, with or without a scope.
var packageName = regexp.MustCompile(`^(?:@[a-z0-9._~-]{1,100}/)?[a-z0-9._~-]{1,100}$`)

// linkWorkspace gives the units of Node what installing a workspace of npm, pnpm
// or Yarn would: a link in node_modules to each package of the repository, so that
// they find each other by name.
func linkWorkspace(t *workspace.Tree, units []Unit) {
	links := workspaceLinks(t)
	if len(links) == 0 {
		return
	}
	for i := range units {
		if units[i].Job.Image == gate.LanguageJavaScript {
			units[i].Extra = append(units[i].Extra, links...)
		}
	}
}

func workspaceLinks(t *workspace.Tree) []workspace.File {
	var links []workspace.File
	taken := map[string]bool{}
	for _, f := range t.Files {
		if path.Base(f.Path) != "package.json" || f.Path == "package.json" || strings.Contains("/"+f.Path, "/node_modules/") || len(f.Data) > workspace.MaxSource {
			continue
		}
		var p map[string]json.RawMessage // of a map the keys are taken as they are
		var name string
		if json.Unmarshal(f.Data, &p) != nil || json.Unmarshal(p["name"], &name) != nil || !packageName.MatchString(name) || strings.Contains(name, "..") || strings.HasPrefix(path.Base(name), ".") {
			continue
		}
		at := "node_modules/" + name
		if taken[at] || t.Has(at+"/package.json") || !isWorkspace(t) || len(links) == maxPackages {
			continue
		}
		taken[at] = true
		links = append(links, workspace.File{Path: at, Link: strings.Repeat("../", strings.Count(at, "/")) + path.Dir(f.Path)})
	}
	return links
}

// isWorkspace reports whether the repository says that its packages belong
// together.
func isWorkspace(t *workspace.Tree) bool {
	if t.Has("pnpm-workspace.yaml") {
		return true
	}
	var root map[string]json.RawMessage
	return t.Has("package.json") && json.Unmarshal([]byte(t.Text("package.json")), &root) == nil && len(root["workspaces"]) > 0
}
