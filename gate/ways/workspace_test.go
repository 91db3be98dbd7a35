package ways

import (
	"slices"
	"testing"
)

func TestBuildsOfAWorkspaceAreThoseOfItsPackages(t *testing.T) {
	w := Workspace{
		{Dir: "apps/web", Name: "web", Scripts: Scripts{"build": "vite build", "test": "vitest"}, Needs: []string{"@x/core", "react"}},
		{Dir: "packages/core", Name: "@x/core", Scripts: Scripts{"build": "npm run types && rollup -c", "types": "tsc", "prebuild": "mkdir -p dist"}, Needs: []string{"web"}},
		{Dir: "packages/docs", Name: "docs"},
	}.InOrder()
	all := []string{`["mkdir" "-p" "dist"] in packages/core`, `["tsc"] in packages/core`, `["rollup" "-c"] in packages/core`, `["vite" "build"] in apps/web`}
	web, core := all[3:], all[:3]
	for script, want := range map[string][]string{
		"pnpm -r build":                                all,
		"pnpm -r --parallel run build":                 all,
		"pnpm --filter web build":                      web,
		"pnpm --filter=@x/core... run build":           all,
		"npm run build --workspaces --if-present":      all,
		"npm run build -w ./packages/core":             core,
		"yarn workspaces foreach -A -p run build":      all,
		"yarn workspace @x/core build":                 core,
		"turbo run build":                              all,
		"npx turbo build --filter=web --concurrency 2": web,
		"nx run-many -t build,lint --parallel 3":       all,
		"nx run-many --target=build -p @x/core":        core,
		"lerna run build --scope web":                  web,
		"bun run --filter web build":                   web,
		"A=1 turbo run build":                          {`["A=1"] ` + all[0], `["A=1"] ` + all[1], `["A=1"] ` + all[2], `["A=1"] ` + all[3]},
		"turbo run test":                               {`["turbo" "run" "test"]`},
		"turbo run build:css":                          {`["turbo" "run" "build:css"]`},
		"cd apps && turbo run build":                   {`["turbo" "run" "build"] in apps`},
		"npm run build":                                {`["npm" "run" "build"]`},
		"pnpm --filter":                                {`["pnpm" "--filter"]`},
		"nx run-many":                                  {`["nx" "run-many"]`},
	} {
		if got := told(Scripts{"test": script}.ChainIn(w, "test")); !slices.Equal(got, want) {
			t.Errorf("%s: %s\nwant %s", script, got, want)
		}
	}
	if got := told(Scripts{"test": "turbo run build"}.Chain("test")); !slices.Equal(got, []string{`["turbo" "run" "build"]`}) {
		t.Errorf("outside of a workspace: %s", got)
	}
}

func TestPackagesOfAWorkspaceThatBuildEachOtherEnd(t *testing.T) {
	var w Workspace
	for range maxFollowed {
		w = append(w, Package{Name: "a", Dir: "a", Scripts: Scripts{"build": "npm run build; turbo run build; tsc"}, Needs: []string{"a"}})
	}
	if n := len(Scripts{"test": "turbo run build; turbo run build"}.ChainIn(w.InOrder(), "test")); n > maxCommands {
		t.Errorf("%d commands", n)
	}
}
