package main

import (
	"cmp"
	"slices"
)

// carriers are in the order of the rows.
func carriers() []carrier {
	all := slices.Concat(
		shellCarriers(), shebangCarriers(), pythonCarriers(), javaScriptCarriers(), languageCarriers(), markupCarriers(), proseCarriers(), toolCarriers(), settingCarriers(), joinedCarriers(),
		makeCarriers(), pieceCarriers(), dockerCarriers(), jsonCarriers(), yamlCarriers(), configCarriers(), linkCarriers(), referenceCarriers(),
		archiveCarriers(), binaryCarriers(),
	)
	for i := range all {
		switch all[i].name {
		case "sh", "py", "js", "ps1", "rb", "go-init", "html", "make", "docker-run", "npm-postinstall", "workflow", "link-makefile", "ref-sh-txt":
			all[i].reference = true
		}
		all[i].odd = cmp.Or(all[i].odd, alarming()[all[i].name])
	}
	return all
}

// alarming has the carriers that deserve a look whatever they carry, with the reason:
// their twins may be noticed.
func alarming() map[string]string {
	const (
		start    = "code that runs at every start of Python"
		imported = "a command that runs when something is imported or built"
		guarded  = "a file that a policy protects"
		loaded   = "a program that runs data"
		packed   = "an archive or compiled file that runs"
	)
	return map[string]string{
		"pth": start, "sitecustomize": start, "whl-pth": start,
		"go-init": imported, "go-test": imported, "build-rs": imported, "init-py": imported, "conftest": imported, "setup-py": imported,
		"link-setup-py": imported, "link-conftest": imported, "link-chain": imported, "build-backend": imported,
		"npm-postinstall": imported, "npm-preinstall": imported, "npm-prepare": imported, "composer": imported,
		"devcontainer-host": "a command that runs outside of the container", "gitmodules": "a command that git runs",
		"workflow": guarded, "workflow-yaml": guarded, "workflow-env": guarded, "workflow-shell": guarded, "link-workflow": guarded, "ref-workflow-sh": guarded,
		"py-exec": loaded, "ref-python-exec": loaded, "ref-js-eval": loaded, "ref-npm-node": loaded, "ref-npm-sh": loaded, "ref-npmrc-require": loaded,
		"ref-npmrc-shell": loaded, "ref-eval-cat": loaded, "ref-cat-sh": loaded,
		"pyz": packed, "zip-shebang": packed, "zip-py": packed, "zip-picture": packed, "pyc": packed, "pyc-free": packed, "zip-behind": packed,
		"pickle": packed, "pickle-ext": packed, "pickle-joblib": packed, "pickle-dat": packed, "pickle-torch": packed,
	}
}
