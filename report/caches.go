package report

import (
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// ofCache is a path below a folder in which a build tool keeps what it has built: its own
// cache, the temporary folder of one build, and what gate has it build. The names are those
// that the sandbox gives to the tools, and those that tools take by themselves.
var ofCache = regexp.MustCompile(`^(?:/tmp/gocache|/tmp/program(?:-go-tmp-umask)?|/tmp/\.config/go/telemetry|/tmp/go-build\d+|/tmp/node-compile-cache|/[^ ]*/__pycache__|/[^ ]*/\.pytest_cache|` +
	`(?:/root|/home/[^/ ]+|/tmp)/\.(?:cache/(?:go-build|pip|node-gyp|yarn|ccache)|npm/_cacache|npm/_logs|cargo/registry))(?:/[^ ]*)?$`)

// withoutCaches returns what a run did, without what build tools do in their own caches,
// and says how much that is, or "". Names that lead out of there stay.
func withoutCaches(did []gate.Behaviour) (shown []gate.Behaviour, rest string) {
	shown = slices.DeleteFunc(slices.Clone(did), inCache)
	if n := len(did) - len(shown); n > 0 {
		rest = plural(n, "step") + " of build tools and their caches"
	}
	return shown, rest
}

func inCache(b gate.Behaviour) bool {
	switch b.Kind {
	case "read", "list", "write", "delete", "mode", "rename", "link":
	case "exec":
		return ofToolchain.MatchString(b.Detail) && !strings.Contains(b.Detail, " with ")
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

// ofToolchain is a program of Go's own toolchain, where nothing but the image puts one.
// Behind "with" a canary would be named.
var ofToolchain = regexp.MustCompile(`^/usr/local/go/(?:pkg/tool/\w+/[a-z]+(?: |$)|bin/go \*\* telemetry \*\*$)`)

// ofMode is the suffix of a path whose permissions were changed.
var ofMode = regexp.MustCompile(` [0-7]{3,5}$`)

// ofParent is a path that leads out of where it seems to be.
var ofParent = regexp.MustCompile(`(?:^|/)\.\.(?:/|$)`)
