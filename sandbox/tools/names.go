package tools

import (
	"slices"
	"strings"
)

// Mode is the first argument that makes gate be such a command.
const Mode = "__tool"

// Folder is where the commands are, below the folder of gate itself.
const Folder = "tools"

// kinds are the commands, by what they do.
var kinds = map[string]func(c *call) int{
	"crontab": crontab,
	"curl":    curl, "wget": wget,
	"nc": netcat, "ncat": netcat, "netcat": netcat, "telnet": netcat, "socat": netcat,
	"ssh": remote, "scp": remote, "sftp": remote, "rsync": remote, "ssh-copy-id": remote,
	"dig": lookup, "nslookup": lookup, "host": lookup, "drill": lookup, "ping": lookup, "whois": lookup,
	"mail": mail, "mailx": mail, "sendmail": mail, "mutt": mail,
	"sudo": asOther, "doas": asOther,
}

// quiet are commands that read what they are sent, answer in a line where they are asked for
// something, and succeed.
var quiet = strings.Fields(`systemctl service loginctl journalctl at batch launchctl update-rc.d chkconfig systemd-run su runuser pkexec
	docker podman kubectl helm terraform aws gcloud gsutil az gh glab rclone s3cmd doctl heroku vercel
	pip pip3 pipx uv npm npx pnpm yarn gem cargo apt apt-get yum dnf apk brew snap conda
	psql mysql sqlite3 redis-cli mongosh mongo pg_dump mysqldump mongodump pg_restore
	iptables nft ufw setenforce auditctl sysctl modprobe insmod useradd adduser usermod groupadd passwd chpasswd visudo gpasswd
	chattr mkfs wipefs setcap logger xclip xsel wl-copy wl-paste pbcopy pbpaste notify-send
	ip ifconfig netstat ss lsof who last arp gpg ssh-keygen ssh-add`)

// Names are the commands that there are, sorted.
func Names() []string {
	names := slices.Clone(quiet)
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Script is the text of a command: gate runs it, by the kernel.
func Script(gate string) string { return "#!" + gate + " " + Mode + "\n" }
