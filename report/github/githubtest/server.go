package githubtest

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

//go:embed openapi.json
var openAPI []byte

// Limits that the OpenAPI description does not state. Source: docs.github.com
// and the API's answers.
const (
	maxBody     = 65_536 // characters of a comment
	maxText     = 65_535 // characters of the summary and the text of a check run
	maxPage     = 100
	maxSARIFRaw = 10 << 20 // bytes after gzip
)

// Request is one recorded request.
type Request struct {
	Method string
	Path   string
	Body   []byte
}

// Fault makes a request fail: return a status other than 0 to answer with it.
// header may be set. attempt counts the requests of that method and path, from 1.
type Fault func(method, path string, attempt int, header http.Header) (status int)

// Server is a running fake. Its exported state may be read and changed by tests
// through Lock.
type Server struct {
	URL string

	mu       sync.Mutex
	t        testing.TB
	http     *httptest.Server
	router   routers.Router
	requests []Request
	attempts map[string]int
	fault    Fault
	nextID   int64
	State    State
}

// State is what the fake knows.
type State struct {
	Owner, Repo string
	Login       string // who the token speaks as
	Pulls       map[int]*Pull
	Comments    map[int][]*Comment // by issue
	Issues      []*Issue
	Checks      []*Check
	SARIFs      []SARIF
	Permissions map[string]string // role_name by login
	Runs        map[int64]json.RawMessage
	Artifacts   map[int64][]byte           // zip by artifact id
	RunFiles    map[int64][]map[string]any // artifacts of a run
	Trees       map[string]json.RawMessage // by sha
	Blobs       map[string][]byte          // by sha
	Contents    map[string][]byte          // by "path@ref"
	MergeBases  map[string]string          // by "base...head"
	Made        map[string][][2]string     // author and committer of each commit, by "base...head"
}

// Pull is one pull request.
type Pull struct {
	Number           int
	Title, Body      string
	Author           string
	HeadRef, HeadSHA string
	HeadRepo         string // "" is a fork that is gone
	BaseRef, BaseSHA string
	Labels           []string
	CommitPulls      []string // commits that belong to it, besides the head
}

// Comment is one comment on an issue or pull request.
type Comment struct {
	ID    int64
	Login string
	Body  string
}

// Check is one check run with all its annotations so far.
type Check struct {
	ID          int64
	Name        string
	HeadSHA     string
	Status      string
	Conclusion  string
	Title       string
	Summary     string
	Annotations []map[string]any
	Requests    int
}

// SARIF is one upload.
type SARIF struct{ CommitSHA, Ref, Data string }

// New starts a fake for one repository. It stops with the test.
func New(t testing.TB, owner, repo string) *Server {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(openAPI)
	if err != nil {
		t.Fatalf("load GitHub's OpenAPI description: %v", err)
	}
	doc.Servers = nil // any host
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatalf("route GitHub's OpenAPI description: %v", err)
	}
	s := &Server{t: t, router: router, attempts: map[string]int{}, nextID: 1000, State: State{
		Owner: owner, Repo: repo, Login: "github-actions[bot]",
		Pulls: map[int]*Pull{}, Comments: map[int][]*Comment{}, Permissions: map[string]string{}, Made: map[string][][2]string{},
		Runs: map[int64]json.RawMessage{}, Artifacts: map[int64][]byte{}, RunFiles: map[int64][]map[string]any{},
		Trees: map[string]json.RawMessage{}, Blobs: map[string][]byte{}, Contents: map[string][]byte{}, MergeBases: map[string]string{},
	}}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.http.URL
	t.Cleanup(s.http.Close)
	return s
}

// FailWith installs a fault; nil takes it away.
func (s *Server) FailWith(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.attempts = f, map[string]int{}
}

// Lock runs fn while no request is served.
func (s *Server) Lock(fn func(*State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn(&s.State)
}

// Requests returns what was asked so far, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Count returns how many requests of a method had a path with that part.
func (s *Server) Count(method, part string) int {
	n := 0
	for _, r := range s.Requests() {
		if r.Method == method && strings.Contains(r.Path, part) {
			n++
		}
	}
	return n
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		reject(w, http.StatusBadRequest, "unreadable body")
		return
	}
	s.requests = append(s.requests, Request{r.Method, r.URL.Path, body})
	if strings.HasPrefix(r.URL.Path, "/storage/") {
		s.storage(w, r)
		return
	}
	key := r.Method + " " + r.URL.Path
	s.attempts[key]++
	if s.fault != nil {
		if status := s.fault(r.Method, r.URL.Path, s.attempts[key], w.Header()); status != 0 {
			reject(w, status, "injected fault")
			return
		}
	}
	if r.Header.Get("Authorization") == "" {
		reject(w, http.StatusUnauthorized, "Bad credentials")
		return
	}
	params, err := s.validate(r, body)
	if err != nil {
		s.t.Errorf("%s %s is not what GitHub's API describes: %v", r.Method, r.URL, err)
		reject(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	if params["owner"] != s.State.Owner || params["repo"] != s.State.Repo {
		reject(w, http.StatusNotFound, "Not Found")
		return
	}
	s.route(w, r, params, body)
}

// validate holds a request against the OpenAPI description.
func (s *Server) validate(r *http.Request, body []byte) (map[string]string, error) {
	r.Body = io.NopCloser(bytes.NewReader(body))
	route, params, err := s.router.FindRoute(r)
	if err != nil {
		return nil, err
	}
	err = openapi3filter.ValidateRequest(r.Context(), &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc},
	})
	return params, err
}

func reject(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"message": message, "documentation_url": "https://docs.github.com/rest"})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// page cuts a list as the query asks and links to the next page.
func page[T any](w http.ResponseWriter, r *http.Request, all []T) []T {
	size, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
	if size <= 0 || size > maxPage {
		size = 30
	}
	n, _ := strconv.Atoi(r.URL.Query().Get("page"))
	n = max(n, 1)
	from, to := min((n-1)*size, len(all)), min(n*size, len(all))
	if to < len(all) {
		next := *r.URL
		q := next.Query()
		q.Set("page", strconv.Itoa(n+1))
		next.RawQuery = q.Encode()
		w.Header().Set("Link", fmt.Sprintf(`<http://%s%s>; rel="next"`, r.Host, next.String()))
	}
	return all[from:to]
}
