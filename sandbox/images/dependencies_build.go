package images

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/build"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"

	"github.com/aigate/gate/sandbox/images/fetch"
	"github.com/aigate/gate/sandbox/images/relay"
	"github.com/aigate/gate/sandbox/self"
)

// The bounds of one installation. Lock files are the repository's own, and what
// they name is anybody's.
const (
	installMemory = 4 << 30 // bytes
	installPids   = 2048
	installOutput = 8 << 20 // bytes of the installers' output that are read
	DefaultWithin = 20 * time.Minute
)

// DependencyOptions say how to install. The zero value is valid.
type DependencyOptions struct {
	Options
	Commit string // whose lock files they are
	// AsOf is the time of that commit: what no lock file names is resolved as it was then,
	// where the installer can. The zero value is now.
	AsOf time.Time
	// KeepSandbox takes the sandbox image that is there as it is, however old it may be:
	// building it takes minutes, and a user who runs something has not asked for that.
	KeepSandbox bool
	// Scripts lets packages run code of their own while they are installed.
	Scripts bool
	Within  time.Duration // for all projects of a language; 0 is DefaultWithin
	// Registries say where the installers may fetch from, and with which credentials, which
	// stay on this side.
	Registries fetch.Options
	// Settings are what the installers are told, without secrets.
	Settings Settings
	// Secrets are the credentials of Registries, which no output and no image may hold.
	Secrets Secrets
	// Supervisor is the gate that is brought into the container; "" is this program.
	Supervisor string
}

// Settings are what installers are told.
type Settings struct {
	Env   map[string]string // environment variables
	Files map[string][]byte // by path in the home folder, such as ".npmrc"
}

// BuildDependencies makes sure that there is an image for code of a language that
// has what the lock files name, on top of the sandbox image for that language.
// built says whether it had to be built.
//
// The installation happens in a container of its own, which gets the lock files and
// the secrets over its standard input and is removed; only the installed files go
// into the image, after they were searched for the secrets.
func BuildDependencies(ctx context.Context, e Engine, d Dependencies, o DependencyOptions) (info DependencyInfo, built bool, err error) {
	if !slices.Contains(DependencyLanguages(), d.Language) || d.Digest == "" || len(d.Projects) == 0 {
		return DependencyInfo{}, false, fmt.Errorf("there is nothing to install for %q (languages: %s)", d.Language, strings.Join(DependencyLanguages(), ", "))
	}
	if d.Interpreter != "" && !HasInterpreter(d.Language, d.Interpreter) {
		return DependencyInfo{}, false, fmt.Errorf("there is no %s %s to install", d.Language, d.Interpreter)
	}
	sandbox, err := o.sandbox(ctx, e, d.Language)
	if err != nil {
		return DependencyInfo{}, false, err
	}
	ref := DependencyRef(d.Language, d.Digest)
	if have, err := inspectDependencies(ctx, e, ref); err == nil && !o.Force && have.current(d, sandbox) && have.Scripts == o.Scripts {
		return have, false, nil
	}
	installer, err := o.installer(ctx, e, d.Language, sandbox)
	if err != nil {
		return DependencyInfo{}, false, err
	}
	if err := o.Settings.check(); err != nil {
		return DependencyInfo{}, false, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(o.Within, DefaultWithin), fmt.Errorf("the installation took longer than %s", cmp.Or(o.Within, DefaultWithin)))
	defer cancel()
	if err := install(ctx, e, installer.ID, sandbox, ref, d, o); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return DependencyInfo{}, false, fmt.Errorf("install the dependencies for %s: %s", d.Language, o.Secrets.redact(err.Error()))
	}
	info, err = inspectDependencies(ctx, e, ref)
	return info, true, err
}

// sandbox is the image that the dependencies are added to.
func (o DependencyOptions) sandbox(ctx context.Context, e Engine, language string) (Info, error) {
	if o.KeepSandbox {
		return Inspect(ctx, e, Ref(language))
	}
	info, _, err := Build(ctx, e, language, Options{Base: o.Base, Network: o.Network, Log: o.Log})
	return info, err
}

// installer is the image that installs for a sandbox image.
func (o DependencyOptions) installer(ctx context.Context, e Engine, language string, sandbox Info) (Info, error) {
	info, _, err := buildImage(ctx, e, "deps-"+language, sandbox.ID, Options{Base: o.Base, Network: o.Network, Log: o.Log})
	return info, err
}

// current reports whether an image is what would be built, and young enough.
func (i DependencyInfo) current(d Dependencies, sandbox Info) bool {
	compiled := i.Language != "go" || i.Compiled != Compiled{} // or it was made before that was done
	return i.Digest == d.Digest && i.Language == d.Language && i.Sandbox == sandbox.ID && !i.Old(time.Now()) && compiled
}

// HasDependencies reports whether an engine has a current image with dependencies, on top
// of the sandbox image that it has.
func HasDependencies(ctx context.Context, e Engine, d Dependencies) (bool, error) {
	sandbox, err := Inspect(ctx, e, Ref(d.Language))
	if err != nil {
		return false, err
	}
	have, err := inspectDependencies(ctx, e, DependencyRef(d.Language, d.Digest))
	return err == nil && have.current(d, sandbox), nil
}

func inspectDependencies(ctx context.Context, e Engine, ref string) (DependencyInfo, error) {
	got, err := e.ImageInspect(ctx, ref)
	if err != nil {
		return DependencyInfo{}, fmt.Errorf("inspect image %s: %w", ref, err)
	}
	var labels map[string]string
	if got.Config != nil {
		labels = got.Config.Labels
	}
	info, ok := ReadDependencies(ref, got.ID, labels)
	if !ok {
		return DependencyInfo{}, fmt.Errorf("%s is not an image with dependencies", ref)
	}
	info.Size = got.Size
	return info, nil
}

// install runs the installers and makes the image of what they leave.
func install(ctx context.Context, e Engine, installer string, sandbox Info, ref string, d Dependencies, o DependencyOptions) (err error) {
	sweepInstallations(ctx, e, time.Now())
	program, err := relayProgram(ctx, e, o.Supervisor)
	if err != nil {
		return err
	}
	proxy, err := fetch.New(o.Registries)
	if err != nil {
		return err
	}
	input, err := installInput(d, o, proxy.Authority())
	if err != nil {
		return err
	}
	made, err := e.ContainerCreate(ctx, installContainer(installer), installHost(), nil, nil, "gate-deps-"+strings.ToLower(rand.Text()[:12]))
	if err != nil {
		return fmt.Errorf("create the container that installs: %w", err)
	}
	defer func() { err = afterwards(err, remove(ctx, e, made.ID)) }()
	if err := e.CopyToContainer(ctx, made.ID, "/usr/local/lib/aigate", bytes.NewReader(program), container.CopyToContainerOptions{}); err != nil {
		return fmt.Errorf("bring gate into the container that installs: %w", err)
	}
	log := &installLog{secrets: o.Secrets, to: o.Log}
	in, err := begin(ctx, e, made.ID, nil, input, proxy, log)
	if err != nil {
		return err
	}
	defer in.close()
	code, err := in.host.Wait(ctx)
	switch refused := proxy.Refused(); {
	case err != nil:
		return fmt.Errorf("%w\n%s", err, log.last(20))
	case code != 0 && len(refused) > 0:
		return fmt.Errorf("the installers ended with %d; refused: %s\n%s", code, strings.Join(refused, ", "), log.last(20))
	case code != 0:
		return fmt.Errorf("the installers ended with %d\n%s", code, log.last(20))
	}
	files, _, err := e.CopyFromContainer(ctx, made.ID, "/deps")
	if err != nil {
		return fmt.Errorf("fetch what was installed: %w", err)
	}
	defer files.Close()
	kept, report, err := spool(files, o.Secrets)
	if err != nil {
		return err
	}
	defer kept.Close()
	var all parts
	all.add(kept)
	var built Compiled
	if d.Language == "go" {
		var packages *spooled
		if packages, built, err = compile(ctx, e, kept, sandbox, program, d, log); err != nil {
			return err
		} else if packages != nil {
			defer packages.Close()
			all.add(packages)
		}
	}
	return assemble(ctx, e, all, report, built, sandbox, ref, d, o, proxy.Refused())
}

// relayProgram is gate itself as a tar, for the engine's architecture.
func relayProgram(ctx context.Context, e Engine, supervisor string) ([]byte, error) {
	engine, err := e.Info(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask the container engine for its architecture: %w", err)
	}
	arch, err := archOf(engine.Architecture)
	if err != nil {
		return nil, err
	}
	program, err := self.Read(supervisor, arch.docker)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	if err := w.WriteHeader(&tar.Header{Name: "gate", Mode: 0o555, Size: int64(len(program)), Typeflag: tar.TypeReg, ModTime: time.Unix(0, 0)}); err != nil {
		return nil, err
	}
	if _, err := w.Write(program); err != nil {
		return nil, err
	}
	return buf.Bytes(), w.Close()
}

// installation is a container at work.
type installation struct {
	host *relay.Host
	at   types.HijackedResponse
	work sync.WaitGroup
}

// begin starts the container, fills it, hands over its input and answers its installers.
// From the start on it ends with gate. Without a proxy there is no way out of it.
func begin(ctx context.Context, e Engine, id string, fill func() error, input []byte, proxy *fetch.Proxy, log *installLog) (*installation, error) {
	at, err := e.ContainerAttach(ctx, id, container.AttachOptions{Stream: true, Stdin: true, Stdout: true, Stderr: true})
	if err != nil {
		return nil, fmt.Errorf("attach to the container that installs: %w", err)
	}
	in := &installation{at: at}
	said, output := io.Pipe()
	in.work.Go(func() {
		_, err := stdcopy.StdCopy(output, log, at.Reader)
		output.CloseWithError(cmp.Or(err, io.EOF))
	})
	if err := e.ContainerStart(ctx, id, container.StartOptions{}); err != nil {
		in.close()
		return nil, fmt.Errorf("start the container that installs: %w", err)
	}
	if fill != nil {
		if err := fill(); err != nil {
			in.close()
			return nil, err
		}
	}
	if in.host, err = relay.Open(ctx, conversation{Reader: said, Writer: at.Conn, close: at.Close}, input); err != nil {
		in.close()
		return nil, fmt.Errorf("%w\n%s", err, log.last(20))
	}
	if proxy != nil {
		in.work.Go(func() { _ = proxy.Serve(ctx, in.host.Listener()) }) // what it could not serve, the installers say
	}
	return in, nil
}

// close ends the container, by the end of its standard input, and waits for what was begun.
func (in *installation) close() {
	if in.host != nil {
		_ = in.host.Close()
	}
	in.at.Close()
	in.work.Wait()
}

// conversation is the standard input and output of a container.
type conversation struct {
	io.Reader
	io.Writer
	close func()
}

// Close implements [io.Closer].
func (c conversation) Close() error { c.close(); return nil }

// afterwards adds what went wrong in the end to what went wrong before. By itself it is no
// reason to have installed nothing: the engine removes the container when it gets to it, and
// the next installation looks for what is left.
func afterwards(err, removal error) error {
	if err == nil {
		return nil
	}
	return errors.Join(err, removal)
}

// remove ends and removes a container and waits until it is gone. The engine
// removes one that has ended by itself, at its own pace: that the two of them
// meet is no error.
func remove(ctx context.Context, e Engine, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	err := e.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
	if errdefs.IsConflict(err) { // "removal is already in progress"
		done, failed := e.ContainerWait(ctx, id, container.WaitConditionRemoved)
		select {
		case <-done:
			return nil
		case err = <-failed:
		}
	}
	if err != nil && !errdefs.IsNotFound(err) {
		return fmt.Errorf("remove container %.12s: %w", id, err)
	}
	return nil
}

func installContainer(installer string) *container.Config {
	return &container.Config{
		Image: installer, User: "1000:1000",
		Cmd:       []string{"/usr/local/lib/aigate/gate", relay.Mode},
		OpenStdin: true, StdinOnce: true, AttachStdin: true, AttachStdout: true, AttachStderr: true,
		NetworkDisabled: true, Labels: map[string]string{labelInstalls: "true"},
	}
}

// installHost is what the container may. It has no network and no rights; what it is told
// lies in memory.
func installHost() *container.HostConfig {
	pids := int64(installPids)
	return &container.HostConfig{
		AutoRemove:  true,
		NetworkMode: "none",
		LogConfig:   container.LogConfig{Type: "none"},
		CapDrop:     []string{"ALL"},
		SecurityOpt: []string{"no-new-privileges"},
		Tmpfs:       map[string]string{relay.Input: "rw,nosuid,nodev,noexec,uid=1000,gid=1000,mode=0700,size=256m"},
		Resources:   container.Resources{Memory: installMemory, MemorySwap: installMemory, PidsLimit: &pids},
	}
}

// installLog passes the installers' output on without secrets. It is safe for use by
// several goroutines.
type installLog struct {
	secrets Secrets
	to      io.Writer

	mu   sync.Mutex
	text []byte
	line []byte
}

// Write implements [io.Writer].
func (l *installLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = append(l.line, p...)
	for {
		i := bytes.IndexByte(l.line, '\n')
		if i < 0 && len(l.line) <= maxLogLine {
			return len(p), nil
		}
		if i < 0 {
			i = len(l.line) - 1
		}
		line := l.secrets.redact(string(l.line[:i+1]))
		l.line = l.line[i+1:]
		if len(l.text) < installOutput {
			l.text = append(l.text, line...)
		}
		if l.to != nil {
			_, _ = io.WriteString(l.to, line) // a log that cannot be written is no reason to fail
		}
	}
}

// maxLogLine is how much of a line is looked at as one, in bytes.
const maxLogLine = 1 << 20

func (l *installLog) last(n int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return lastLines(l.text, n)
}

// assemble builds the image out of the files that were installed. Nothing is run
// and nothing is fetched for that.
func assemble(ctx context.Context, e Engine, files parts, report []byte, compiled Compiled, sandbox Info, ref string, d Dependencies, o DependencyOptions, refused []string) error {
	said, err := readReport(report, d)
	if err != nil {
		return err
	}
	for _, r := range refused[:min(len(refused), maxProblems-len(said.problems))] {
		said.problems = append(said.problems, plainLine("not fetched: "+r))
	}
	labels := map[string]string{
		labelDependencies: d.Language, labelDepsDigest: d.Digest, labelDepsSandbox: sandbox.ID, labelDepsCommit: o.Commit,
		labelDepsCreated: time.Now().UTC().Format(time.RFC3339), labelDepsScripts: strconv.FormatBool(o.Scripts),
		labelDepsVersion: said.version,
	}
	for label, value := range map[string]any{labelDepsProjects: said.projects, labelDepsProblems: said.problems, labelDepsCompiled: compiled} {
		data, err := json.Marshal(value)
		if err != nil {
			return err
		}
		labels[label] = string(data)
	}
	res, err := e.ImageBuild(ctx, files.context(dependencyFile(sandbox.ID, d.Language, said.version != "" || said.bun)), build.ImageBuildOptions{
		Dockerfile: "Dockerfile", Tags: []string{ref}, NetworkMode: "none", Labels: labels,
		NoCache: true, Remove: true, ForceRemove: true, Version: build.BuilderV1,
	})
	if err != nil {
		return fmt.Errorf("build %s: %w", ref, err)
	}
	defer res.Body.Close()
	_, err = follow(res.Body, io.Discard)
	return err
}

// dependencyFile adds what was installed to an image. interpreter says that there is one
// among it, which programs find before that of the image.
func dependencyFile(sandbox, language string, interpreter bool) []byte {
	text := "FROM " + sandbox + "\nCOPY --chown=0:0 deps " + DependencyRoot + "\n"
	if language == "go" {
		text += "ENV GOMODCACHE=" + DependencyRoot + "/mod\n"
	}
	if interpreter {
		text += "ENV PATH=" + DependencyRoot + "/interpreter/bin:/usr/local/bin:/usr/bin:/bin\n"
	}
	return []byte(text)
}
