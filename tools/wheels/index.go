package wheels

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Index answers as the simple API of an index does (PEP 503): /simple/PROJECT/ lists
// the wheels of a project, and /files/FILE is one of them.
type Index struct {
	client   *http.Client
	packages map[string][]Package // by the name of the project, normal

	mu     sync.Mutex
	made   map[string][]Wheel // by the name of the project
	failed func(project string, err error)
}

// New makes an index of the packages of some suites. Failed is told which package
// could not be made a wheel, and why; such a one is not listed.
func New(client *http.Client, packages []Package, failed func(project string, err error)) *Index {
	x := &Index{client: client, packages: map[string][]Package{}, made: map[string][]Wheel{}, failed: failed}
	for _, p := range packages {
		// The policy of Debian names a package after the module that is imported; most
		// projects have that name too, some begin with "python", and some, such as attrs, end with "s".
		name := Normal(strings.TrimPrefix(p.Name, "python3-"))
		for _, project := range []string{name, "python-" + name, "py" + name, name + "s"} {
			x.packages[project] = append(x.packages[project], p)
		}
	}
	return x
}

func (x *Index) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if project, ok := strings.CutPrefix(r.URL.Path, "/simple/"); ok {
		project = Normal(strings.Trim(project, "/"))
		found := x.wheels(r.Context(), project)
		if len(found) == 0 {
			http.NotFound(w, r)
			return
		}
		for _, f := range found {
			_, _ = fmt.Fprintf(w, "<a href=\"/files/%s/%s\" data-requires-python=\"%s\">%s</a>\n",
				html.EscapeString(project), html.EscapeString(f.File), html.EscapeString(f.Requires), html.EscapeString(f.File))
		}
		return
	}
	project, file, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/files/"), "/")
	found := x.wheels(r.Context(), Normal(project))
	if i := slices.IndexFunc(found, func(f Wheel) bool { return f.File == file }); i >= 0 {
		_, _ = w.Write(found[i].Data)
		return
	}
	http.NotFound(w, r)
}

// wheels are the wheels of a project, made when it is asked for first. One that could
// not be fetched is tried again by the next question.
func (x *Index) wheels(ctx context.Context, project string) []Wheel {
	x.mu.Lock()
	defer x.mu.Unlock()
	if found, ok := x.made[project]; ok {
		return found
	}
	var found []Wheel
	whole := true
	for _, p := range x.packages[project] {
		w, err := x.wheel(ctx, project, p)
		if err != nil {
			whole = whole && ctx.Err() == nil
			x.failed(project, fmt.Errorf("%s: %w", p.Name, err))
			continue
		}
		found = append(found, w)
	}
	if whole {
		x.made[project] = found
	}
	return found
}

func (x *Index) wheel(ctx context.Context, project string, p Package) (Wheel, error) {
	body, err := get(ctx, x.client, p.URL)
	if err != nil {
		return Wheel{}, err
	}
	defer func() { _ = body.Close() }()
	deb, err := io.ReadAll(io.LimitReader(body, maxPackage+1))
	if err != nil {
		return Wheel{}, err
	}
	if len(deb) > maxPackage {
		return Wheel{}, fmt.Errorf("it is larger than %d bytes", maxPackage)
	}
	if sum := sha256.Sum256(deb); hex.EncodeToString(sum[:]) != p.SHA256 {
		return Wheel{}, fmt.Errorf("its sum is %x, and the list of its suite has %s", sum, p.SHA256)
	}
	files, err := unpack(deb)
	if err != nil {
		return Wheel{}, err
	}
	return build(project, files)
}
