package canary

import (
	"crypto/sha1" //nolint:gosec // the names of Git's objects
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/adler32"
	"maps"
	"path"
	"slices"
	"strings"
)

// The made-up clone in the home folder, and the bare repository that it was cloned from.
const (
	Clone  = Home + "/projects/site"
	Remote = "/srv/git/site.git"
)

// InRepository reports whether a path is in one of the made-up repositories, or is one.
func InRepository(p string) bool {
	for _, dir := range []string{Clone, Remote} {
		if p == dir || strings.HasPrefix(p, dir+"/") {
			return true
		}
	}
	return false
}

// The clone has its remote as a path, so that a push reaches it, and a second one with a token in
// its address, as people leave them there.
const cloneConfig = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n" +
	"[user]\n\tname = D. Ev\n\temail = dev@example.com\n" +
	"[remote \"origin\"]\n\turl = " + Remote + "\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n" +
	"[remote \"mirror\"]\n\turl = https://dev:%KEY@git.example.com/dev/site.git\n\tfetch = +refs/heads/*:refs/remotes/mirror/*\n" +
	"[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n"

// snapshots are what the commits hold, the oldest first.
var snapshots = []struct {
	message string
	files   map[string]string
}{
	{"First page", map[string]string{
		"README.md":  "# The site of the club\n\nPages are plain HTML. Push to main to publish them.\n",
		"index.html": "<!doctype html>\n<title>Club</title>\n<h1>Welcome</h1>\n",
	}},
	{"Add the dates", map[string]string{
		"README.md":  "# The site of the club\n\nPages are plain HTML. Push to main to publish them.\n",
		"index.html": "<!doctype html>\n<title>Club</title>\n<h1>Welcome</h1>\n<p>We meet on Mondays at seven.</p>\n",
	}},
	{"Add a style", map[string]string{
		"README.md":  "# The site of the club\n\nPages are plain HTML. Push to main to publish them.\n",
		"index.html": "<!doctype html>\n<title>Club</title>\n<link rel=stylesheet href=site.css>\n<h1>Welcome</h1>\n<p>We meet on Mondays at seven.</p>\n",
		"site.css":   "body { font-family: sans-serif; max-width: 40em; margin: auto; }\n",
	}},
}

// firstCommit is when the history begins, in seconds since 1970; a commit follows every day.
const firstCommit = 1735689600

// repositoryFiles are the planted files of the clone and its remote. They hold no secret but for
// the address in the settings of the clone.
func repositoryFiles() []planted {
	objects := map[string][]byte{}
	add := func(kind string, content []byte) string {
		whole := append(fmt.Appendf(nil, "%s %d\x00", kind, len(content)), content...)
		sum := sha1.Sum(whole) //nolint:gosec // the names of Git's objects
		id := hex.EncodeToString(sum[:])
		objects[id] = deflated(whole)
		return id
	}
	var commits []string
	for i, s := range snapshots {
		var tree []byte
		for _, name := range slices.Sorted(maps.Keys(s.files)) {
			tree = append(fmt.Appendf(tree, "100644 %s\x00", name), raw(add("blob", []byte(s.files[name])))...)
		}
		text := "tree " + add("tree", tree) + "\n"
		if i > 0 {
			text += "parent " + commits[i-1] + "\n"
		}
		who := fmt.Sprintf("D. Ev <dev@example.com> %d +0000", firstCommit+i*86400)
		commits = append(commits, add("commit", []byte(text+"author "+who+"\ncommitter "+who+"\n\n"+s.message+"\n")))
	}
	head, before := commits[len(commits)-1], commits[len(commits)-2]
	files := map[string]string{
		Remote + "/HEAD":                     "ref: refs/heads/main\n",
		Remote + "/config":                   "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n",
		Remote + "/refs/heads/main":          head + "\n",
		Remote + "/refs/heads/release":       before + "\n",
		Remote + "/refs/tags/v1.0":           before + "\n",
		Clone + "/.git/HEAD":                 "ref: refs/heads/main\n",
		Clone + "/.git/refs/heads/main":      head + "\n",
		Clone + "/.git/logs/refs/heads/main": fmt.Sprintf("%040d %s D. Ev <dev@example.com> %d +0000\tclone: from %s\n", 0, head, firstCommit+3*86400, Remote),
		Clone + "/.git/packed-refs": "# pack-refs with: peeled fully-peeled sorted \n" + head + " refs/remotes/origin/main\n" +
			before + " refs/remotes/origin/release\n" + before + " refs/tags/v1.0\n",
		Clone + "/.git/objects/info/alternates": Remote + "/objects\n",
		Clone + "/.git/index":                   index(snapshots[len(snapshots)-1].files),
	}
	for name, text := range snapshots[len(snapshots)-1].files {
		files[path.Join(Clone, name)] = text
	}
	for id, data := range objects {
		files[Remote+"/objects/"+id[:2]+"/"+id[2:]] = string(data)
	}
	out := []planted{{path: Clone + "/.git/config", what: "settings of a clone", id: "git remote token", use: UseGit, form: cloneConfig}}
	for _, p := range slices.Sorted(maps.Keys(files)) {
		out = append(out, planted{path: p, what: "a repository", use: UsePublic, form: files[p]})
	}
	return out
}

// index is the list of files that Git keeps of a work tree.
func index(files map[string]string) string {
	b := []byte("DIRC\x00\x00\x00\x02")
	b = binary.BigEndian.AppendUint32(b, uint32(len(files))) //nolint:gosec // a few
	for _, name := range slices.Sorted(maps.Keys(files)) {
		from := len(b)
		b = append(b, make([]byte, 24)...) // times and numbers that no file has: Git compares the content
		b = binary.BigEndian.AppendUint32(b, 0o100644)
		b = append(b, make([]byte, 8)...)
		b = binary.BigEndian.AppendUint32(b, uint32(len(files[name])))                    //nolint:gosec // small
		sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(files[name]), files[name])) //nolint:gosec // the names of Git's objects
		b = append(b, sum[:]...)
		b = binary.BigEndian.AppendUint16(b, uint16(len(name))) //nolint:gosec // short
		b = append(b, name...)
		b = append(b, make([]byte, 8-(len(b)-from)%8)...)
	}
	sum := sha1.Sum(b) //nolint:gosec // as Git does
	return string(append(b, sum[:]...))
}

// deflated is a short text as a stream of zlib without compression.
func deflated(b []byte) []byte {
	n := uint16(len(b)) //nolint:gosec // short
	out := binary.LittleEndian.AppendUint16([]byte{0x78, 0x01, 1}, n)
	out = append(binary.LittleEndian.AppendUint16(out, ^n), b...)
	return binary.BigEndian.AppendUint32(out, adler32.Checksum(b))
}

func raw(id string) []byte {
	b, _ := hex.DecodeString(id) // it was encoded above
	return b
}
