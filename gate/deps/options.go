package deps

import (
	"io"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/locks"
	"github.com/aigate/gate/sandbox/images"
)

// Options are what a user says about how to install.
type Options struct {
	Scripts   bool     // let packages run code of their own while they are installed
	SecretEnv []string // environment variables for the installers
	// SecretFiles are settings for the installers, as KIND=FILE: netrc, npmrc, pip.conf.
	SecretFiles []string
	CA          string // file with certificates that the installers trust as well
	Within      time.Duration
	Force       bool      // build also what is current
	Log         io.Writer // takes what the installers say; nil drops it
}

// settingFiles are the kinds of files that --secret-file names.
var settingFiles = []string{"netrc", "npmrc", "pip.conf"}

// Resolve reads the settings of this machine, and the variables and files that the options
// name. commit is for the images' labels.
func (o Options) Resolve(getenv func(string) string, commit string) (*Installation, error) {
	for _, name := range o.SecretEnv {
		if getenv(name) == "" {
			return nil, exit.Usagef("--secret-env: %s is not set", name)
		}
	}
	files := map[string]string{}
	for _, file := range o.SecretFiles {
		kind, path, _ := strings.Cut(file, "=")
		if !slices.Contains(settingFiles, kind) || path == "" {
			return nil, exit.Usagef("--secret-file: %q is not KIND=FILE with netrc, npmrc or pip.conf as the kind", file)
		}
		files[kind] = path
	}
	sources, err := readSources(getenv, files)
	if err != nil {
		return nil, err
	}
	if sources.CA, err = certificates(o.CA, getenv); err != nil {
		return nil, err
	}
	return &Installation{sources: sources, options: images.DependencyOptions{
		Options: images.Options{Base: getenv("GATE_IMAGE_BASE"), Network: getenv("GATE_BUILD_NETWORK"), Force: o.Force, Log: o.Log},
		Commit:  commit, Scripts: o.Scripts, Within: o.Within, Supervisor: getenv("GATE_SUPERVISOR"),
	}}, nil
}

// Installation is how dependencies are installed: with what this machine knows of
// registries.
type Installation struct {
	sources *Sources
	options images.DependencyOptions
	// Trusted says that the locks are of a base commit: the registries that they name are
	// asked, and their variables are looked up in the environment of this machine.
	Trusted bool
}

// of returns a lock and the options as the builder of images takes them. The error says why
// nothing may be fetched for it.
func (i *Installation) of(l locks.Lock) (images.Dependencies, images.DependencyOptions, error) {
	clean := i.sources.of(l, i.Trusted)
	d := images.Dependencies{Language: l.Language, Digest: l.Digest, Interpreter: l.Interpreter.Major, Bun: l.Bun}
	if l.Base != "" {
		d.Like = images.DependencyRef(l.Language, l.Base)
	}
	for _, p := range clean.Projects {
		d.Projects = append(d.Projects, images.Project{Dir: p.Dir, Kind: p.Kind, Files: p.Files, Needed: p.Changed})
	}
	if l.Language == locks.Go {
		d.Sources = l.Tree
	}
	o := i.options
	o.AsOf = l.AsOf
	o.Registries, o.Secrets, o.Settings = i.sources.Options, i.sources.secrets, i.sources.settings
	if len(i.sources.npmrc) > 0 {
		o.Settings.Files = map[string][]byte{".npmrc": []byte(strings.Join(i.sources.npmrc, "\n") + "\n")}
	}
	if !l.Changed {
		return d, o, nil
	}
	// The author of a change must not get to see what only this machine may fetch.
	o.Registries.Credentials, o.Scripts = nil, false
	if l.Language == locks.Go {
		env, err := onlyProxies(i.sources.settings.Env, l)
		if err != nil {
			return d, o, err
		}
		o.Settings.Env = env
	}
	return d, o, nil
}
