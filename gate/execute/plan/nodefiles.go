package plan

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/glob"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Which files a runner takes for tests where its command line names none, by the manuals of
// the runners: what its settings in the package.json say, else what it takes by itself.

// usualTests are the globs of a runner without settings.
func usualTests(runner string) []string {
	switch runner {
	case "ava":
		return []string{"{test,src/test,source/test}.*", "**/{__tests__,test,tests}/**/*", "**/*.test.*", "**/test-*.*"}
	case "tap":
		return []string{"**/{__tests__,test,tests}/**/*", "**/*.{test,spec}.*", "{test,tests}.*"}
	case "jest":
		return []string{"**/__tests__/**/*", "**/*.{test,spec}.*"}
	case "mocha":
		return []string{"test/*.*"}
	case "node":
		return []string{"**/*.test.*", "**/*[-_]test.*", "**/test-*.*", "**/test.*", "**/test/**/*"}
	}
	return nil
}

// settingsOf are the places in a package.json where runners have their globs.
var settingsOf = map[string][]string{"ava": {"files"}, "tap": {"files", "include"}, "jest": {"testMatch"}, "mocha": {"spec"}}

// maxSettings bounds the globs that a package.json has for a runner.
const maxSettings = 50

// configured are the globs of a package.json for a runner, none where it has no say.
func (m Manifest) configured(runner string) []string {
	settings, _ := object(string(m.runners[runner]))
	var out []string
	for _, key := range settingsOf[runner] {
		var one string
		var many []string
		if json.Unmarshal(settings[key], &one) == nil && one != "" {
			many = []string{one}
		} else if json.Unmarshal(settings[key], &many) != nil {
			continue
		}
		for _, g := range many {
			g = strings.TrimPrefix(strings.TrimPrefix(g, "<rootDir>/"), "./")
			if g != "" && g[0] != '!' && len(g) <= maxSpec && strings.Count(g, "**") <= maxStars && len(out) < maxSettings {
				out = append(out, g)
			}
		}
	}
	return out
}

// helping are folders and files beside tests that no runner takes for one, unless it is
// told to.
var helping = regexp.MustCompile(`(?:^|/)(?:_[^/]*|(?:__)?(?:fixtures?|helpers?|mocks?|support|utils?|snapshots?|resources)(?:__)?/.*|node_modules/.*|dist/.*)$`)

// folders are the globs of what a runner finds in the folders that its command names.
func folders(runner string, specs, words []string) []string {
	below := "/**/*"
	switch runner {
	case "mocha":
		if below = "/*.*"; slices.Contains(words, "--recursive") {
			below = "/**/*"
		}
	case "ava", "tap", "tape", "node", "uvu":
	default:
		return nil // words that a name may have in it
	}
	var out []string
	for _, s := range specs {
		if !strings.ContainsAny(s, "*?[{") && path.Ext(s) == "" {
			out = append(out, strings.TrimSuffix(s, "/")+below)
		}
	}
	return out
}

// usually reports whether a runner takes a file, seen from where it is started, without
// being told so by name.
func (r nodeRunner) usually(rel string) bool {
	if helping.MatchString(rel) {
		return false
	}
	return slices.ContainsFunc(r.usual, func(g string) bool { return glob.Match(g, rel) })
}
