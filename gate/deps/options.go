package deps

import (
	"io"
	"strings"
	"time"

	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/sandbox/images"
)

// secretFiles are where installers look for their settings, in a home folder.
var secretFiles = map[string]string{"netrc": ".netrc", "npmrc": ".npmrc", "pip.conf": ".config/pip/pip.conf"}

// maxSecretFile bounds a file with settings, in bytes.
const maxSecretFile = 1 << 20

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

// Resolve reads the variables and files that the options name.
func (o Options) Resolve(getenv func(string) string, commit string) (images.DependencyOptions, error) {
	out := images.DependencyOptions{
		Options: images.Options{Base: getenv("GATE_IMAGE_BASE"), Network: getenv("GATE_BUILD_NETWORK"), Force: o.Force, Log: o.Log},
		Commit:  commit, Scripts: o.Scripts, Within: o.Within,
		Secrets: images.Secrets{Env: map[string]string{}, Files: map[string][]byte{}},
	}
	for _, name := range o.SecretEnv {
		value := getenv(name)
		if value == "" {
			return out, exit.Usagef("--secret-env: %s is not set", name)
		}
		out.Secrets.Env[name] = value
	}
	for _, file := range o.SecretFiles {
		kind, path, _ := strings.Cut(file, "=")
		name := secretFiles[kind]
		if name == "" || path == "" {
			return out, exit.Usagef("--secret-file: %q is not KIND=FILE with netrc, npmrc or pip.conf as the kind", file)
		}
		data, err := bounded.ReadPath(path, maxSecretFile)
		if err != nil {
			return out, exit.Usagef("--secret-file: %w", err)
		}
		out.Secrets.Files[name] = data
	}
	from, file := "--ca", o.CA
	if file == "" { // the variable by which OpenSSL and Go know what this machine trusts
		from, file = "SSL_CERT_FILE", getenv("SSL_CERT_FILE")
	}
	if file != "" {
		data, err := bounded.ReadPath(file, maxSecretFile)
		if err != nil {
			return out, exit.Usagef("%s: %w", from, err)
		}
		out.CA = data
	}
	return out, nil
}
