package images_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"
	"github.com/docker/docker/pkg/stdcopy"

	"github.com/aigate/gate/sandbox/images"
	"github.com/aigate/gate/tools/testenv"
)

// look prints what must not be in an image, and what must.
const look = `
for c in apt apt-get dpkg dpkg-deb pip pip3 easy_install corepack gcc cc ld su sudo mount; do
  command -v "$c" && echo "WRONG there is $c"
done
for c in npm npx pnpm pnpx yarn yarnpkg; do
  at=$(command -v "$c") && [ "$(readlink -f "$at")" != /usr/local/lib/aigate/run-script.mjs ] && echo "WRONG $c is more than what runs scripts"
done
command -v python3 >/dev/null && python3 -c 'import pip' 2>/dev/null && echo "WRONG pip can be imported"
command -v python3 >/dev/null && python3 -c 'import ensurepip' 2>/dev/null && echo "WRONG ensurepip can be imported"
find / -xdev \( -perm -4000 -o -perm -2000 \) -type f 2>/dev/null | sed 's/^/WRONG set-user-ID: /'
find / -xdev -writable ! -type l ! -path '/proc/*' ! -path '/dev/*' ! -path '/sys/*' ! -path '/tmp' ! -path '/var/tmp' ! -path '/run/lock' 2>/dev/null | sed 's/^/WRONG writable: /'
cat /etc/shadow 2>/dev/null && echo "WRONG shadow is readable"
grep -v -e '^root:' -e '^gate:' /etc/passwd && echo "WRONG another account"
[ -s /var/lib/dpkg/status ] || echo "WRONG no list of packages for image scanners"
echo "user $(id -u):$(id -g) in $PWD"
cat /usr/share/aigate/versions
`

// Every image answers a program that only it can run.
func answers() map[string][]string {
	return map[string][]string{
		"python": {"python3", "-I", "-c", "import bs4, lxml.etree, matplotlib, numpy, pandas, plotly.express, pytest, requests, scipy, sklearn; bs4.BeautifulSoup('<p>', 'lxml'); print('answer', 42)"},
		"node":   {"sh", "-c", "tsc --version && node -e 'console.log(\"answer\", 42)'"},
		"go":     {"sh", "-c", "go version && go env CGO_ENABLED GOPROXY GOTOOLCHAIN | tr '\\n' ' ' && echo answer 42"},
		"shell":  {"bash", "-c", "jq -n '\"answer \" + (42|tostring)' -r && dash -c true && make --version >/dev/null && curl --version >/dev/null"},
	}
}

func TestAnImageHoldsWhatItShouldAndNothingToInstallWith(t *testing.T) {
	for _, lang := range images.Languages() {
		t.Run(lang, func(t *testing.T) {
			ref := testenv.Image(t, lang)
			e := engine(t)
			got := run(t, e, ref, []string{"sh", "-c", look})
			for line := range strings.Lines(got) {
				if strings.HasPrefix(line, "WRONG") {
					t.Error(strings.TrimSpace(line))
				}
			}
			if !strings.Contains(got, "user 1000:1000 in /workspace\n") {
				t.Errorf("it runs as another user or elsewhere:\n%s", got)
			}
			if got := run(t, e, ref, answers()[lang]); !strings.Contains(got, "answer 42") {
				t.Errorf("it does not run its language:\n%s", got)
			}

			info, err := images.Inspect(t.Context(), e, ref)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(got, info.Versions) || info.Versions == "" || info.Language != lang || info.Inputs == "" {
				t.Errorf("labels %+v, the image says:\n%s", info, got)
			}
			if info.Old(time.Now()) || !info.Old(time.Now().Add(images.MaxAge)) {
				t.Errorf("made %s", info.Created)
			}
		})
	}
}

// Tests of other projects make repositories of their own, without any setting of a user.
func TestImagesHaveAGitForLocalRepositories(t *testing.T) {
	const use = `export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com
git init -q /tmp/a && cd /tmp/a && echo one >file && git add file && git commit -qm first && git tag v1 && echo two >file && git diff --stat
git clone -q /tmp/a /tmp/b 2>&1 && git -C /tmp/b describe --tags && git -C /tmp/b -c protocol.file.allow=always submodule --quiet add /tmp/a sub && git -C /tmp/b status --short
git clone -q https://example.com/a /tmp/c 2>&1; git send-email 2>&1 | head -n 1`
	const want = ` file | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)
v1
A  .gitmodules
A  sub
git: 'remote-https' is not a git command. See 'git --help'.
git: 'send-email' is not a git command. See 'git --help'.
`
	for _, lang := range images.Languages() {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			if got := run(t, engine(t), testenv.Image(t, lang), []string{"sh", "-c", use}); got != want {
				t.Errorf("it answered:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func TestScriptsOfAPackageCallEachOtherByTheNamesOfPackageManagers(t *testing.T) {
	const project = `mkdir -p /tmp/p/node_modules/.bin /tmp/p/inner && cd /tmp/p && printf '#!/bin/sh\necho tool "$@"\n' >node_modules/.bin/tool && chmod +x node_modules/.bin/tool
echo '{"name": "@a/x", "version": "1.2.3", "scripts": {"pretest": "echo before $npm_lifecycle_event", "test": "npm run say -- --b \"c d\" && npx tool 1", "posttest": "yarn say e; pnpm run say f; yarn tool 2",
"say": "echo say", "loop": "npm run loop", "named": "echo $npm_package_name $npm_package_version", "fails": "exit 7"}}' >package.json; cd inner
`
	e, ref := engine(t), testenv.Image(t, "node")
	for name, tt := range map[string]struct{ command, want string }{
		"scripts, with hooks and arguments":  {"npm test 2>&1", "before pretest\nsay --b c d\ntool 1\nsay e\nsay f\ntool 2\n"},
		"what a script knows of its package": {"npm run named", "@a/x 1.2.3\n"},
		"the exit code of a script":          {"npm run fails; echo $?", "7\n"},
		"a script that is not there":         {"npm run none 2>&1; echo $?; npm run none --if-present; echo $?", "npm: there is no script \"none\" in package.json\n1\n0\n"},
		"a script that calls itself":         {"npm run loop 2>&1; echo $?", "npm: \"loop\" calls itself\n1\n"},
		"a program that is not there":        {"npx --yes none 2>&1; echo $?", "npx: none: not found; nothing is installed here\n127\n"},
		"another version of a manager":       {"npx npm@10 audit 2>&1; echo $?", "npm: audit: there is no network here\n0\n"},
		"a package to install":               {"npm install left-pad 2>&1; echo $?; npm ci 2>/dev/null; echo $?", "npm: left-pad: nothing is installed here, and there is no network\n1\n0\n"},
		"packages of a workspace":            {"pnpm -r run say 2>&1; echo $?", "pnpm: -r: packages of a workspace are not gone through here\n1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := run(t, e, ref, []string{"sh", "-c", project + tt.command}); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func engine(t *testing.T) *client.Client {
	t.Helper()
	e, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// run returns what a command in an image writes.
func run(t *testing.T, e *client.Client, ref string, argv []string) string {
	t.Helper()
	ctx := t.Context()
	made, err := e.ContainerCreate(ctx, &container.Config{Image: ref, Cmd: argv}, &container.HostConfig{NetworkMode: "none"}, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.ContainerRemove(ctx, made.ID, container.RemoveOptions{Force: true}); err != nil {
			t.Error(err)
		}
	}()
	done, failed := e.ContainerWait(ctx, made.ID, container.WaitConditionNextExit)
	if err := e.ContainerStart(ctx, made.ID, container.StartOptions{}); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-failed:
		t.Fatal(err)
	case <-done:
	}
	logs, err := e.ContainerLogs(ctx, made.ID, container.LogsOptions{ShowStdout: true, ShowStderr: true})
	if err != nil {
		t.Fatal(err)
	}
	defer logs.Close()
	var out bytes.Buffer
	if _, err := stdcopy.StdCopy(&out, &out, logs); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
