package images

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"

	"github.com/aigate/gate/sandbox/images/relay"
)

// The bounds of what is compiled beforehand. It saves time and is needed for nothing, so
// what is beyond them is left to the runs.
const (
	// maxCompiled bounds the build cache: the largest projects of Go that are known come to
	// about as much, and an image's layers are read by every container.
	maxCompiled = 1 << 30
	// compileWithin bounds the time, in which an engine with two processors compiles some
	// thousand packages. It never takes more than half of the time that is left.
	compileWithin = 6 * time.Minute
	// The files of the commit that the compilers get.
	maxSource      = 8 << 20 // bytes of one
	maxSources     = 512 << 20
	maxSourceFiles = 100_000
)

// compile makes a build cache of what the sources of a commit import, and of themselves, on
// top of the modules that were installed. That happens in a container of the image that code
// runs in, without a network: what is compiled, with which flags and in which place has to be
// the same as there. An error is the end of the time or of the engine; what could not be
// compiled is no error, and there is nothing where the packages are nil.
func compile(ctx context.Context, e Engine, modules *spooled, sandbox Info, program []byte, d Dependencies, log *installLog) (packages *spooled, c Compiled, err error) {
	if d.Sources == nil {
		return nil, Compiled{Why: "the sources that need them are not known"}, nil
	}
	within := compileWithin
	if end, bounded := ctx.Deadline(); bounded {
		within = min(within, time.Until(end)/2)
	}
	bounded, cancel := context.WithTimeout(ctx, within+within/2) // its own bound comes first
	defer cancel()
	packages, c, err = compileIn(bounded, e, modules, sandbox, program, d, within, log)
	if err != nil && ctx.Err() == nil {
		return nil, Compiled{Why: plainLine(err.Error())}, nil
	}
	return packages, c, err
}

func compileIn(ctx context.Context, e Engine, modules *spooled, sandbox Info, program []byte, d Dependencies, within time.Duration, log *installLog) (_ *spooled, c Compiled, err error) {
	env, err := environmentOf(ctx, e, sandbox.ID)
	if err != nil {
		return nil, c, err
	}
	script, err := buildContext.ReadFile("deps-go/compile.sh")
	if err != nil {
		return nil, c, err
	}
	made, err := e.ContainerCreate(ctx, installContainer(compiler(ctx, e, sandbox, d.Like)), installHost(), nil, nil, "gate-deps-"+strings.ToLower(rand.Text()[:12]))
	if err != nil {
		return nil, c, fmt.Errorf("create the container that compiles: %w", err)
	}
	defer func() { err = afterwards(err, remove(ctx, e, made.ID)) }()
	bring := func(to string, files io.Reader) error {
		if err := e.CopyToContainer(ctx, made.ID, to, files, container.CopyToContainerOptions{}); err != nil {
			return fmt.Errorf("bring files into the container that compiles: %w", err)
		}
		return nil
	}
	if err := errors.Join(bring("/", compilerFolders(script)), bring(path.Dir(relay.Installer), bytes.NewReader(program))); err != nil {
		return nil, c, err
	}
	var left leftOut
	fill := func() error {
		sources, end := sourcesOf(d.Sources)
		err := errors.Join(bring(path.Dir(DependencyRoot), parts{modules}.files()), bring("/", sources))
		left = end()
		return err
	}
	input, err := inputTar(func(add func(string, []byte) error) error {
		return errors.Join(add(relay.Environment, env), add("plan", planOf(d)),
			add("seconds", strconv.AppendInt(nil, int64(within.Seconds()), 10)), add("kilobytes", strconv.AppendInt(nil, maxCompiled>>10, 10)))
	})
	if err != nil {
		return nil, c, err
	}
	in, err := begin(ctx, e, made.ID, fill, input, nil, log)
	if err != nil {
		return nil, c, err
	}
	defer in.close()
	if code, err := in.host.Wait(ctx); err != nil || code != 0 {
		return nil, c, fmt.Errorf("the compilation ended with %d: %w", code, err)
	}
	files, _, err := e.CopyFromContainer(ctx, made.ID, "/deps")
	if err != nil {
		return nil, c, fmt.Errorf("fetch what was compiled: %w", err)
	}
	defer files.Close()
	packages, report, err := spool(files, log.secrets)
	if err != nil {
		return nil, c, err
	}
	if c, err = readCompiled(report); err != nil {
		return nil, c, errors.Join(err, packages.Close())
	}
	c.Bytes = packages.size
	c.Why = plainLine(strings.Join(slices.DeleteFunc([]string{c.Why, left.String()}, func(s string) bool { return s == "" }), "; "))
	return packages, c, nil
}

// compiler is the image that compiles: the sandbox image, or one on top of it that has
// compiled most packages already, in less than half of the space for them.
func compiler(ctx context.Context, e Engine, sandbox Info, like string) string {
	if like == "" {
		return sandbox.ID
	}
	have, err := inspectDependencies(ctx, e, like)
	if err != nil || have.Language != "go" || have.Sandbox != sandbox.ID || have.Compiled.Packages == 0 || have.Compiled.Bytes > maxCompiled/2 {
		return sandbox.ID
	}
	return have.ID
}

// readCompiled reads what the script says it has compiled.
func readCompiled(report []byte) (Compiled, error) {
	f := strings.SplitN(strings.TrimSuffix(string(report), "\n"), "\t", 3)
	if len(f) != 3 {
		return Compiled{}, fmt.Errorf("the report about what was compiled means nothing: %.200q", report)
	}
	done, wrong := strconv.Atoi(f[0])
	of, alsoWrong := strconv.Atoi(f[1])
	if wrong != nil || alsoWrong != nil || done < 0 || of < done {
		return Compiled{}, fmt.Errorf("the report about what was compiled means nothing: %.200q", report)
	}
	return Compiled{Packages: done, Of: of, Why: plainLine(f[2])}, nil
}

// environmentOf is the environment that an image gives to programs, as the relay takes it.
func environmentOf(ctx context.Context, e Engine, id string) ([]byte, error) {
	got, err := e.ImageInspect(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("inspect the sandbox image: %w", err)
	}
	if got.Config == nil {
		return nil, errors.New("the sandbox image has no environment")
	}
	return []byte(strings.Join(append(got.Config.Env, ""), "\x00")), nil
}

// compilerFolders are the folders that the container needs, and the script.
func compilerFolders(script []byte) io.Reader {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, h := range []tar.Header{
		{Name: strings.TrimPrefix(path.Dir(DependencyRoot), "/") + "/", Mode: 0o755, Typeflag: tar.TypeDir},
		{Name: "deps/", Mode: 0o777, Typeflag: tar.TypeDir},
		{Name: strings.TrimPrefix(path.Dir(relay.Installer), "/") + "/", Mode: 0o755, Typeflag: tar.TypeDir},
		{Name: strings.TrimPrefix(relay.Installer, "/"), Mode: 0o555, Size: int64(len(script)), Typeflag: tar.TypeReg},
	} {
		// Writing to memory cannot fail.
		_ = w.WriteHeader(&h)
		if h.Size > 0 {
			_, _ = w.Write(script)
		}
	}
	_ = w.Close()
	return &buf
}

// leftOut are the files of a commit that the compilers did not get.
type leftOut struct {
	files int
	first string // one of them
}

func (l *leftOut) add(name string) {
	if l.files++; l.files == 1 {
		l.first = name
	}
}

// String is "" where there is nothing to say.
func (l leftOut) String() string {
	switch l.files {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("the compilers did not get %.200q", l.first)
	}
	return fmt.Sprintf("the compilers did not get %d files, among them %.200q", l.files, l.first)
}

// sourcesOf is the tree of a commit as a tar of the workspace. What is beyond the bounds is
// not in it, and what needs that is compiled by the runs. end stops the reading and says
// what was left out.
func sourcesOf(tree fs.FS) (files io.Reader, end func() leftOut) {
	r, w := io.Pipe()
	done := make(chan leftOut, 1)
	go func() {
		left, err := writeSources(w, tree)
		w.CloseWithError(err)
		done <- left
	}()
	return r, func() leftOut {
		_ = r.Close()
		return <-done
	}
}

// writeSources leaves out links, and folders in which no package of the project lies.
func writeSources(to io.Writer, tree fs.FS) (left leftOut, err error) {
	w := tar.NewWriter(to)
	total, count := int64(0), 0
	err = fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			left.add(p)
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if count >= maxSourceFiles || info.Size() > maxSource || total+info.Size() > maxSources {
			left.add(p)
			return nil
		}
		data, err := fs.ReadFile(tree, p)
		if err != nil {
			return err
		}
		count, total = count+1, total+int64(len(data))
		h := &tar.Header{Name: path.Join("workspace", p), Mode: 0o644, Size: int64(len(data)), Typeflag: tar.TypeReg, ModTime: time.Unix(1577836800, 0), Format: tar.FormatPAX}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	})
	if err != nil {
		return left, fmt.Errorf("read the sources of the commit: %w", err)
	}
	return left, w.Close()
}
