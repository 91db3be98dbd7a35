package plan

import (
	"path"
	"strings"

	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// The data of a program is not in its repository. A run that takes conditions as met finds
// some in the folders that the source names, so that it shows when it is gone.

// maxSampleFolders bounds the folders that are filled.
const maxSampleFolders = 10

var (
	folderWords = regexp.MustCompile(`(?i)path|dir\b|_dir|folder|join|root|store|data|uploads?|snapshots?|backups?|archive|glob|\brm\b|rmtree|rmSync|unlink|remove|\bfind\b|iterdir|readdir|ReadDir|files`)
	quotedName  = regexp.MustCompile(`["'\x60](?:\./)?([a-z][\w-]{2,30}(?:/[a-z][\w-]{1,30}){0,2})/?["'\x60]`)
	shellName   = regexp.MustCompile(`(?:^|[\s="'])(?:\./)?([a-z][\w-]{2,30})/`)
	// What programs make and remove themselves.
	ownFolder = regexp.MustCompile(`(?i)cache|tmp|temp|build|dist|\bout\b|output|target|logs?\b|coverage|node_modules|venv|generated|\bbin\b|\bobj\b|\busr\b|\betc\b|\bvar\b|\bdev\b|\bproc\b|\bhome\b|\bopt\b`)
)

// Samples are files in the folders of data that texts name and the tree does not have, as seen
// from a folder.
func Samples(t *workspace.Tree, dir string, texts ...string) []workspace.File {
	var out []workspace.File
	seen := map[string]bool{}
	for _, text := range texts {
		for line := range strings.Lines(text) {
			if !folderWords.MatchString(line) {
				continue
			}
			for _, m := range append(quotedName.FindAllStringSubmatch(line, 20), shellName.FindAllStringSubmatch(line, 20)...) {
				at := path.Join(dir, m[1])
				if seen[at] || len(seen) >= maxSampleFolders || ownFolder.MatchString(m[1]) || t.Has(at) || t.Dirs[at] {
					continue
				}
				seen[at] = true
				for _, name := range []string{"1.json", "2.json", "3.json", "4.json", "5.json", "6.json", "1.txt", "2.txt", "3.txt", "4.txt", "5.txt", "6.txt", "1.csv", "2.csv", "3.csv", "1.jpg", "2.jpg", "3.jpg", "1.db", "2.db", "3.db", "one/a.txt", "one/b.txt", "two/a.txt"} {
					out = append(out, workspace.File{Path: path.Join(at, name), Data: []byte(`{"` + job.Given + `": 1}` + "\n")})
				}
			}
		}
	}
	return out
}
