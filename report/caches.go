package report

import (
	"regexp"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
)

// ofCache is a path below a folder in which a build tool keeps what it has built: its own
// cache, or the temporary folder of one build. The names are those that the sandbox gives
// to the tools, and those that tools take by themselves.
var ofCache = regexp.MustCompile(`^(?:/tmp/gocache|/tmp/go-build\d+|/tmp/node-compile-cache|/[^ ]*/__pycache__|/[^ ]*/\.pytest_cache|` +
	`(?:/root|/home/[^/ ]+|/tmp)/\.(?:cache/(?:go-build|pip|node-gyp|yarn|ccache)|npm/_cacache|npm/_logs|cargo/registry))(?:/[^ ]*)?$`)

// withoutCaches returns what a run did, without what build tools do in their own caches.
// Names that lead out of there, and whatever is more than files, stay.
func withoutCaches(did []gate.Behaviour) []gate.Behaviour {
	return slices.DeleteFunc(slices.Clone(did), func(b gate.Behaviour) bool { return inCache(b) })
}

func inCache(b gate.Behaviour) bool {
	switch b.Kind {
	case "read", "list", "write", "delete", "mode", "rename", "link":
	default:
		return false
	}
	from, to, two := strings.Cut(ofMode.ReplaceAllString(b.Detail, ""), " → ")
	for _, path := range []string{from, to} {
		if (path == from || two) && (!ofCache.MatchString(path) || ofParent.MatchString(path)) {
			return false
		}
	}
	return true
}

// ofMode is what stands behind a path whose permissions were changed.
var ofMode = regexp.MustCompile(` [0-7]{3,5}$`)

// ofParent is a path that leads out of where it seems to be.
var ofParent = regexp.MustCompile(`(?:^|/)\.\.(?:/|$)`)
