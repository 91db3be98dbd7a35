package execute

import (
	"encoding/json"
	"path"
	"regexp"
	"strings"

	"github.com/aigate/gate/gate"
)

// maxPackages bounds how many packages of a workspace are linked.
const maxPackages = 200

// A name of an npm package, with or without a scope.
var packageName = regexp.MustCompile(`^(?:@[a-z0-9._~-]{1,100}/)?[a-z0-9._~-]{1,100}$`)

// linkWorkspace gives the units of Node what installing a workspace of npm, pnpm
// or Yarn would: a link in node_modules to each package of the repository, so that
// they find each other by name.
func linkWorkspace(t *tree, units []unit) {
	links := workspaceLinks(t)
	if len(links) == 0 {
		return
	}
	for i := range units {
		if units[i].image == gate.LanguageJavaScript {
			units[i].extra = append(units[i].extra, links...)
		}
	}
}

func workspaceLinks(t *tree) []file {
	var links []file
	taken := map[string]bool{}
	for _, f := range t.files {
		if path.Base(f.path) != "package.json" || f.path == "package.json" || strings.Contains("/"+f.path, "/node_modules/") || len(f.data) > maxSource {
			continue
		}
		var p struct{ Name string }
		if json.Unmarshal(f.data, &p) != nil || !packageName.MatchString(p.Name) || strings.Contains(p.Name, "..") || strings.HasPrefix(path.Base(p.Name), ".") {
			continue
		}
		at := "node_modules/" + p.Name
		if taken[at] || t.has(at+"/package.json") || !isWorkspace(t) || len(links) == maxPackages {
			continue
		}
		taken[at] = true
		links = append(links, file{path: at, link: strings.Repeat("../", strings.Count(at, "/")) + path.Dir(f.path)})
	}
	return links
}

// isWorkspace reports whether the repository says that its packages belong
// together.
func isWorkspace(t *tree) bool {
	if t.has("pnpm-workspace.yaml") {
		return true
	}
	var root struct{ Workspaces json.RawMessage }
	return t.has("package.json") && json.Unmarshal([]byte(t.text("package.json")), &root) == nil && len(root.Workspaces) > 0
}
