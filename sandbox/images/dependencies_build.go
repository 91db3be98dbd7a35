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
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/build"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"
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
	// KeepSandbox takes the sandbox image that is there as it is, however old it may be:
	// building it takes minutes, and a user who runs something has not asked for that.
	KeepSandbox bool
	// Scripts lets packages run code of their own while they are installed.
	Scripts bool
	Within  time.Duration // for all projects of a language; 0 is DefaultWithin
	Secrets Secrets
	CA      []byte // certificates in PEM form that the installers trust besides the usual ones
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
	if err := o.Secrets.check(); err != nil {
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
	return i.Digest == d.Digest && i.Language == d.Language && i.Sandbox == sandbox.ID && !i.Old(time.Now())
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
	key := rand.Text()
	input, err := installInput(key, d, o)
	if err != nil {
		return err
	}
	made, err := e.ContainerCreate(ctx, installContainer(installer, len(input)), installHost(o.Network), nil, nil, "gate-deps-"+strings.ToLower(key[:12]))
	if err != nil {
		return fmt.Errorf("create the container that installs: %w", err)
	}
	defer func() { err = errors.Join(err, remove(ctx, e, made.ID)) }()
	at, err := e.ContainerAttach(ctx, made.ID, container.AttachOptions{Stream: true, Stdin: true, Stdout: true, Stderr: true})
	if err != nil {
		return fmt.Errorf("attach to the container that installs: %w", err)
	}
	defer at.Close()
	stop := context.AfterFunc(ctx, at.Close)
	defer stop()
	if err := e.ContainerStart(ctx, made.ID, container.StartOptions{}); err != nil {
		return fmt.Errorf("start the container that installs: %w", err)
	}
	if _, err := at.Conn.Write(input); err != nil {
		return fmt.Errorf("send the lock files: %w", err)
	}
	log := &installLog{key: key, secrets: o.Secrets, to: o.Log}
	// Copying ends at the key, or when the container does.
	if _, err := stdcopy.StdCopy(log, log, at.Reader); err != nil && !log.done {
		return fmt.Errorf("read what the installers say: %w\n%s", err, lastLines(log.text, 20))
	}
	if log.code != "0" {
		return fmt.Errorf("the installers ended with %s\n%s", cmp.Or(log.code, "no result"), lastLines(log.text, 20))
	}
	files, _, err := e.CopyFromContainer(ctx, made.ID, "/deps")
	if err != nil {
		return fmt.Errorf("fetch what was installed: %w", err)
	}
	defer files.Close()
	return assemble(ctx, e, files, sandbox, ref, d, o)
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

func installContainer(installer string, input int) *container.Config {
	return &container.Config{
		Image: installer, User: "1000:1000",
		Cmd:       []string{"sh", "/usr/local/lib/aigate/receive.sh", strconv.Itoa(input)},
		OpenStdin: true, StdinOnce: true, AttachStdin: true, AttachStdout: true, AttachStderr: true,
	}
}

// installHost is what the container may. It has a network and no rights; what it
// is told lies in memory.
func installHost(network string) *container.HostConfig {
	pids := int64(installPids)
	return &container.HostConfig{
		AutoRemove:  true,
		NetworkMode: container.NetworkMode(cmp.Or(network, "default")),
		LogConfig:   container.LogConfig{Type: "none"},
		CapDrop:     []string{"ALL"},
		SecurityOpt: []string{"no-new-privileges"},
		Tmpfs:       map[string]string{"/in": "rw,nosuid,nodev,noexec,uid=1000,gid=1000,mode=0700,size=256m"},
		Resources:   container.Resources{Memory: installMemory, MemorySwap: installMemory, PidsLimit: &pids},
	}
}

// installInput is the tar that the container gets: the plan, the lock files, and
// what must be in no image.
func installInput(key string, d Dependencies, o DependencyOptions) ([]byte, error) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	add := func(name string, data []byte) error {
		h := &tar.Header{Name: name, Mode: 0o600, Size: int64(len(data)), Typeflag: tar.TypeReg, Format: tar.FormatPAX}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		_, err := w.Write(data)
		return err
	}
	var plan strings.Builder
	errs := []error{add("key", []byte(key)), add("env.sh", o.Secrets.shell()), add("ca.pem", o.CA)}
	if o.Scripts {
		errs = append(errs, add("scripts", nil))
	}
	for name, data := range o.Secrets.Files {
		errs = append(errs, add(path.Join("home", name), data))
	}
	for i, p := range d.Projects {
		if strings.ContainsAny(p.Dir, "\t\n\r\x00") {
			return nil, fmt.Errorf("the folder %q has a name that cannot be handed on", p.Dir)
		}
		fmt.Fprintf(&plan, "%d\t%s\t%s\n", i, p.Kind, p.Dir)
		into := path.Join("tree", strconv.Itoa(i))
		if d.Language == "go" { // modules refer to each other by path
			into = path.Join("tree/0", p.Dir)
		}
		for _, name := range sortedPaths(p.Files) {
			errs = append(errs, add(path.Join(into, name), p.Files[name]))
		}
	}
	errs = append(errs, add("plan", []byte(plan.String())), w.Close())
	return buf.Bytes(), errors.Join(errs...)
}

// installLog passes the installers' output on without secrets, and ends at the key.
type installLog struct {
	key     string
	secrets Secrets
	to      io.Writer
	text    []byte
	line    []byte
	code    string
	done    bool
}

func (l *installLog) Write(p []byte) (int, error) {
	l.line = append(l.line, p...)
	for {
		i := bytes.IndexByte(l.line, '\n')
		if i < 0 {
			break
		}
		line := string(l.line[:i+1])
		l.line = l.line[i+1:]
		if code, ok := strings.CutPrefix(strings.TrimSpace(line), l.key+" "); ok {
			l.code, l.done = code, true
			return 0, io.EOF
		}
		line = l.secrets.redact(line)
		if len(l.text) < installOutput {
			l.text = append(l.text, line...)
		}
		if l.to != nil {
			_, _ = io.WriteString(l.to, line) // a log that cannot be written is no reason to fail
		}
	}
	if len(l.line) > 1<<20 {
		l.line = l.line[:0]
	}
	return len(p), nil
}

// assemble builds the image out of the files that were installed. Nothing is run
// and nothing is fetched for that.
func assemble(ctx context.Context, e Engine, files io.Reader, sandbox Info, ref string, d Dependencies, o DependencyOptions) error {
	kept, report, err := spool(files, o.Secrets)
	if err != nil {
		return err
	}
	defer kept.Close()
	projects, problems, err := readReport(report, d)
	if err != nil {
		return err
	}
	labels := map[string]string{
		labelDependencies: d.Language, labelDepsDigest: d.Digest, labelDepsSandbox: sandbox.ID, labelDepsCommit: o.Commit,
		labelDepsCreated: time.Now().UTC().Format(time.RFC3339), labelDepsScripts: strconv.FormatBool(o.Scripts),
	}
	for label, value := range map[string]any{labelDepsProjects: projects, labelDepsProblems: problems} {
		data, err := json.Marshal(value)
		if err != nil {
			return err
		}
		labels[label] = string(data)
	}
	res, err := e.ImageBuild(ctx, kept.context(dependencyFile(sandbox.ID, d.Language)), build.ImageBuildOptions{
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

func dependencyFile(sandbox, language string) []byte {
	text := "FROM " + sandbox + "\nCOPY --chown=0:0 deps " + DependencyRoot + "\n"
	if language == "go" {
		text += "ENV GOMODCACHE=" + DependencyRoot + "/mod\n"
	}
	return []byte(text)
}
