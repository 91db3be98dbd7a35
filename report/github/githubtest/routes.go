package githubtest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// route answers a request that the description allows.
func (s *Server) route(w http.ResponseWriter, r *http.Request, params map[string]string, body []byte) {
	rest := strings.TrimPrefix(r.URL.Path, fmt.Sprintf("/repos/%s/%s", s.State.Owner, s.State.Repo))
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(params[name], 10, 64)
		return n
	}
	var in map[string]any
	if len(body) > 0 {
		if err := json.Unmarshal(body, &in); err != nil {
			reject(w, http.StatusBadRequest, "Problems parsing JSON")
			return
		}
	}
	switch {
	case r.Method == "GET" && params["pull_number"] != "" && !strings.HasSuffix(rest, "/files") && !strings.HasSuffix(rest, "/commits"):
		s.getPull(w, int(number("pull_number")))
	case r.Method == "GET" && strings.HasSuffix(rest, "/pulls") && params["commit_sha"] != "":
		s.pullsOfCommit(w, params["commit_sha"])
	case strings.HasSuffix(rest, "/comments") && params["issue_number"] != "":
		s.comments(w, r, int(number("issue_number")), in)
	case rest == "/issues":
		s.issues(w, r, in)
	case r.Method == "PATCH" && params["issue_number"] != "":
		s.issue(w, int(number("issue_number")), in)
	case params["comment_id"] != "":
		s.comment(w, r, number("comment_id"), in)
	case rest == "/check-runs":
		s.createCheck(w, in)
	case params["check_run_id"] != "":
		s.updateCheck(w, r, number("check_run_id"), in)
	case rest == "/code-scanning/sarifs":
		s.sarif(w, in)
	case params["username"] != "":
		s.permission(w, params["username"])
	case strings.HasSuffix(rest, "/artifacts") && params["run_id"] != "":
		files := s.State.RunFiles[number("run_id")]
		answer(w, 200, map[string]any{"total_count": len(files), "artifacts": page(w, r, files)})
	case r.Method == "GET" && params["run_id"] != "":
		found(w, s.State.Runs, number("run_id"))
	case params["artifact_id"] != "" && params["archive_format"] != "":
		s.artifact(w, number("artifact_id"))
	case params["basehead"] != "":
		s.compare(w, r, params["basehead"])
	case params["tree_sha"] != "":
		found(w, s.State.Trees, params["tree_sha"])
	case params["file_sha"] != "":
		s.blob(w, r, params["file_sha"])
	case params["path"] != "" && r.Method == "GET":
		s.contents(w, params["path"], r.URL.Query().Get("ref"))
	default:
		s.t.Errorf("githubtest has no answer to %s %s", r.Method, r.URL.Path)
		reject(w, http.StatusNotFound, "Not Found")
	}
}

func found[K comparable](w http.ResponseWriter, docs map[K]json.RawMessage, key K) {
	doc, ok := docs[key]
	if !ok {
		reject(w, http.StatusNotFound, "Not Found")
		return
	}
	answer(w, http.StatusOK, doc)
}

// JSON returns a pull request as the API writes it, cut to what gate reads.
func (p *Pull) JSON() map[string]any {
	labels := []any{}
	for _, l := range p.Labels {
		labels = append(labels, map[string]any{"name": l})
	}
	repo := any(nil)
	if p.HeadRepo != "" {
		repo = map[string]any{"full_name": p.HeadRepo}
	}
	return map[string]any{
		"number": p.Number, "title": p.Title, "body": p.Body, "labels": labels, "state": "open",
		"user": map[string]any{"login": p.Author},
		"head": map[string]any{"ref": p.HeadRef, "sha": p.HeadSHA, "repo": repo},
		"base": map[string]any{"ref": p.BaseRef, "sha": p.BaseSHA},
	}
}

func (s *Server) getPull(w http.ResponseWriter, n int) {
	p, ok := s.State.Pulls[n]
	if !ok {
		reject(w, http.StatusNotFound, "Not Found")
		return
	}
	answer(w, http.StatusOK, p.JSON())
}

func (s *Server) pullsOfCommit(w http.ResponseWriter, sha string) {
	out := []any{}
	for _, p := range s.State.Pulls {
		if p.HeadSHA == sha || slices.Contains(p.CommitPulls, sha) {
			out = append(out, p.JSON())
		}
	}
	answer(w, http.StatusOK, out)
}

func (c *Comment) json(s *Server, issue int) map[string]any {
	return map[string]any{
		"id": c.ID, "body": c.Body, "user": map[string]any{"login": c.Login},
		"html_url": fmt.Sprintf("https://github.com/%s/%s/pull/%d#issuecomment-%d", s.State.Owner, s.State.Repo, issue, c.ID),
	}
}

func (s *Server) comments(w http.ResponseWriter, r *http.Request, issue int, in map[string]any) {
	if r.Method == "GET" {
		out := []map[string]any{}
		for _, c := range s.State.Comments[issue] {
			out = append(out, c.json(s, issue))
		}
		answer(w, http.StatusOK, page(w, r, out))
		return
	}
	body := in["body"].(string)
	if utf8.RuneCountInString(body) > maxBody {
		reject(w, http.StatusUnprocessableEntity, "Body is too long (maximum is 65536 characters)")
		return
	}
	s.nextID++
	c := &Comment{ID: s.nextID, Login: s.State.Login, Body: body}
	s.State.Comments[issue] = append(s.State.Comments[issue], c)
	answer(w, http.StatusCreated, c.json(s, issue))
}

func (s *Server) comment(w http.ResponseWriter, r *http.Request, id int64, in map[string]any) {
	for issue, all := range s.State.Comments {
		for _, c := range all {
			if c.ID != id {
				continue
			}
			if r.Method == "PATCH" {
				body := in["body"].(string)
				if utf8.RuneCountInString(body) > maxBody {
					reject(w, http.StatusUnprocessableEntity, "Body is too long (maximum is 65536 characters)")
					return
				}
				if c.Login != s.State.Login {
					reject(w, http.StatusForbidden, "Resource not accessible by integration")
					return
				}
				c.Body = body
			}
			answer(w, http.StatusOK, c.json(s, issue))
			return
		}
	}
	reject(w, http.StatusNotFound, "Not Found")
}

func (c *Check) json() map[string]any {
	return map[string]any{
		"id": c.ID, "name": c.Name, "head_sha": c.HeadSHA, "status": c.Status, "conclusion": c.Conclusion,
		"html_url": fmt.Sprintf("https://github.com/checks/%d", c.ID),
	}
}

// take applies the fields of a create or update request.
func (c *Check) take(in map[string]any) string {
	c.Requests++
	if v, ok := in["status"].(string); ok {
		c.Status = v
	}
	if v, ok := in["conclusion"].(string); ok {
		c.Conclusion, c.Status = v, "completed"
	}
	out, ok := in["output"].(map[string]any)
	if !ok {
		return ""
	}
	c.Title, _ = out["title"].(string)
	c.Summary, _ = out["summary"].(string)
	if utf8.RuneCountInString(c.Summary) > maxText {
		return "summary is too long (maximum is 65535 characters)"
	}
	notes, _ := out["annotations"].([]any)
	for _, n := range notes {
		c.Annotations = append(c.Annotations, n.(map[string]any))
	}
	return ""
}

func (s *Server) createCheck(w http.ResponseWriter, in map[string]any) {
	s.nextID++
	c := &Check{ID: s.nextID, Name: in["name"].(string), HeadSHA: in["head_sha"].(string), Status: "queued"}
	if problem := c.take(in); problem != "" {
		reject(w, http.StatusUnprocessableEntity, problem)
		return
	}
	s.State.Checks = append(s.State.Checks, c)
	answer(w, http.StatusCreated, c.json())
}

func (s *Server) updateCheck(w http.ResponseWriter, r *http.Request, id int64, in map[string]any) {
	for _, c := range s.State.Checks {
		if c.ID != id {
			continue
		}
		if r.Method == "PATCH" {
			if problem := c.take(in); problem != "" {
				reject(w, http.StatusUnprocessableEntity, problem)
				return
			}
		}
		answer(w, http.StatusOK, c.json())
		return
	}
	reject(w, http.StatusNotFound, "Not Found")
}

func (s *Server) sarif(w http.ResponseWriter, in map[string]any) {
	data := in["sarif"].(string)
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil || len(raw) > maxSARIFRaw {
		reject(w, http.StatusRequestEntityTooLarge, "the sarif is not base64, or too large")
		return
	}
	s.State.SARIFs = append(s.State.SARIFs, SARIF{in["commit_sha"].(string), in["ref"].(string), data})
	answer(w, http.StatusAccepted, map[string]any{"id": "47177e22-5596-11eb-80a1-c1e54ef945c6", "url": "https://api.github.com/sarif/1"})
}

func (s *Server) permission(w http.ResponseWriter, login string) {
	role, ok := s.State.Permissions[login]
	if !ok {
		role = "none"
	}
	coarse := map[string]string{"maintain": "write", "triage": "read"}[role]
	if coarse == "" {
		coarse = role
	}
	answer(w, http.StatusOK, map[string]any{"permission": coarse, "role_name": role, "user": map[string]any{"login": login}})
}

// artifact answers as GitHub does, with a redirect to the place of the archive.
func (s *Server) artifact(w http.ResponseWriter, id int64) {
	if _, ok := s.State.Artifacts[id]; !ok {
		reject(w, http.StatusGone, "Artifact has expired")
		return
	}
	w.Header().Set("Location", fmt.Sprintf("%s/storage/%d", s.URL, id))
	w.WriteHeader(http.StatusFound)
}

// storage is where artifacts lie; it wants no token, and gets none.
func (s *Server) storage(w http.ResponseWriter, r *http.Request) {
	id, _ := strconv.ParseInt(strings.TrimPrefix(r.URL.Path, "/storage/"), 10, 64)
	if r.Header.Get("Authorization") != "" {
		s.t.Error("the token was sent to the storage of artifacts")
	}
	w.Header().Set("Content-Type", "application/zip")
	_, _ = w.Write(s.State.Artifacts[id])
}

// compare answers with the common ancestor that the test has set.
func (s *Server) compare(w http.ResponseWriter, r *http.Request, basehead string) {
	sha, ok := s.State.MergeBases[basehead]
	made, known := s.State.Made[basehead]
	if !ok && !known {
		reject(w, http.StatusNotFound, "Not Found")
		return
	}
	commits := []map[string]any{}
	for _, by := range made {
		commit := map[string]any{"author": nil, "committer": nil} // an address that no account has
		for i, role := range []string{"author", "committer"} {
			if by[i] != "" {
				commit[role] = map[string]any{"login": by[i]}
			}
		}
		commits = append(commits, commit)
	}
	answer(w, http.StatusOK, map[string]any{"status": "diverged", "merge_base_commit": map[string]any{"sha": sha},
		"total_commits": len(commits), "commits": page(w, r, commits), "files": []any{}})
}

func (s *Server) blob(w http.ResponseWriter, r *http.Request, sha string) {
	data, ok := s.State.Blobs[sha]
	if !ok {
		reject(w, http.StatusNotFound, "Not Found")
		return
	}
	if strings.Contains(r.Header.Get("Accept"), "raw") {
		_, _ = w.Write(data)
		return
	}
	answer(w, http.StatusOK, map[string]any{"sha": sha, "size": len(data), "encoding": "base64", "content": base64.StdEncoding.EncodeToString(data)})
}

func (s *Server) contents(w http.ResponseWriter, path, ref string) {
	data, ok := s.State.Contents[path+"@"+ref]
	if !ok {
		reject(w, http.StatusNotFound, "Not Found")
		return
	}
	answer(w, http.StatusOK, map[string]any{
		"type": "file", "path": path, "name": path, "size": len(data), "sha": "0", "encoding": "base64",
		"content": base64.StdEncoding.EncodeToString(data),
	})
}
