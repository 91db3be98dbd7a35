package canary

import "github.com/aigate/gate/sandbox/tools"

const (
	digits = "0123456789"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower  = "abcdefghijklmnopqrstuvwxyz"
	mixed  = upper + lower + digits
	base32 = upper + "234567"
	hexes  = digits + "abcdef"
)

// kind is a sign in forms: which letters are there, and how many.
type kind struct {
	sign, before, letters, suffix string
	length                        int
}

// kinds are all of them.
var kinds = []kind{
	{"%KEY", "", mixed, "", 40},
	{"%HEX", "", hexes, "", 40},
	// A key id is no secret, but it is as random and must not be shown either. The
	// sandbox takes no value of fewer than 20 letters.
	{"%ID", "AKIA", base32, "id", 20},
}

// variables are the environment of a machine on which people work.
var variables = []struct{ name, id, form string }{
	{"AWS_ACCESS_KEY_ID", "aws key", "%ID"},
	{"AWS_SECRET_ACCESS_KEY", "aws key", "%KEY"},
	{"GITHUB_TOKEN", "github token", "ghp_%KEY"},
	{"NPM_TOKEN", "npm token", "npm_%KEY"},
	{"OPENAI_API_KEY", "openai key", "sk-%KEY"},
	{"ANTHROPIC_API_KEY", "anthropic key", "sk-ant-api03-%KEY"},
	{"SLACK_BOT_TOKEN", "slack token", "xoxb-%KEY"},
	{"STRIPE_SECRET_KEY", "stripe key", "sk_live_%KEY"},
	{"DATABASE_PASSWORD", "database password", "%KEY"},
}

const keyForm = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAA\n%KEY\n-----END OPENSSH PRIVATE KEY-----\n"

// planted is a file that the sandbox gets.
type planted struct {
	path, what, id string
	use            Use
	form           string
	build          func(text string) []byte // makes the file of its text; nil is the text itself
}

// plants are files where thieves look.
var plants = append([]planted{
	{Home + "/.ssh/id_rsa", "an SSH key", "ssh rsa key", UseSecret, keyForm, nil},
	{Home + "/.ssh/id_ed25519", "an SSH key", "ssh ed25519 key", UseSecret, keyForm, nil},
	{Home + "/.ssh/known_hosts", "hosts of SSH", "", UsePublic, "build.example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample\n", nil},
	{Home + "/.aws/credentials", "keys of AWS", "aws file key", UseSecret, "[default]\naws_access_key_id = %ID\naws_secret_access_key = %KEY\n", nil},
	{Home + "/.config/gh/hosts.yml", "a token of GitHub", "github cli token", UseSecret, "github.com:\n    user: dev\n    oauth_token: gho_%KEY\n    git_protocol: https\n", nil},
	{Home + "/.npmrc", "a token of npm", "npm file token", UseSecret, "//registry.npmjs.org/:_authToken=npm_%KEY\n", nil},
	{Home + "/.pypirc", "a token of PyPI", "pypi token", UseSecret, "[pypi]\nusername = __token__\npassword = pypi-AgEIcHlwaS5vcmc%KEY\n", nil},
	{Home + "/.git-credentials", "passwords of Git", "git password", UseSecret, "https://dev:%KEY@git.example.com\n", nil},
	{Home + "/.netrc", "passwords of network clients", "netrc password", UseClients, "machine ftp.example.com\nlogin dev\npassword %KEY\n", nil},
	{Home + "/.kube/config", "keys of Kubernetes", "kubernetes token", UseSecret, "apiVersion: v1\nkind: Config\nclusters:\n- name: prod\n  cluster: {server: https://kube.example.com:6443}\nusers:\n- name: admin\n  user: {token: %KEY}\n", nil},
	{Home + "/.docker/config.json", "passwords of image registries", "registry password", UseSecret, `{"auths": {"registry.example.com": {"auth": "%KEY"}}}` + "\n", nil},
	{Home + "/.config/gcloud/application_default_credentials.json", "keys of Google Cloud", "google key", UseSecret, `{"type": "authorized_user", "client_id": "764086051850-example.apps.googleusercontent.com", "refresh_token": "1//0%KEY"}` + "\n", nil},
	{Home + "/.password-store/bank.gpg", "passwords of a password store", "password store", UseSecret, "\x84\x5e\x03\xa1\xf3%KEY", nil},
	{Home + "/.password-store/mail/dev.gpg", "passwords of a password store", "password store mail", UseSecret, "\x84\x5e\x03\xa1\xf3%KEY", nil},
	{Home + "/.gnupg/private-keys-v1.d/6F1C2A3B4D5E6F708192A3B4C5D6E7F801234567.key", "a key of GnuPG", "gnupg key", UseSecret, "Created: 20240101T000000\nKey: (private-key (ed25519 (d #%KEY#)))\n", nil},
	{Home + "/.gnupg/secring.gpg", "a key of GnuPG", "gnupg secret ring", UseSecret, "\x95\x03\x98%KEY", nil},
	{Home + "/.local/share/keyrings/login.keyring", "a keyring", "keyring", UseSecret, "GnomeKeyring\n\r\x00\n%KEY", nil},
	{Home + "/.pgpass", "passwords of databases", "pgpass password", UseSecret, "db.example.com:5432:app:app:%KEY\n", nil},
	{Home + "/.my.cnf", "passwords of databases", "mysql password", UseSecret, "[client]\nuser=app\npassword=%KEY\n", nil},
	{Home + "/.vault-token", "a token of Vault", "vault token", UseSecret, "hvs.%KEY", nil},
	{Home + "/.config/rclone/rclone.conf", "keys of a storage service", "rclone key", UseSecret, "[backup]\ntype = s3\nsecret_access_key = %KEY\n", nil},
	{Home + "/.cargo/credentials.toml", "a token of crates.io", "cargo token", UseSecret, "[registry]\ntoken = \"%KEY\"\n", nil},
	{Home + "/.gem/credentials", "a token of RubyGems", "gem token", UseSecret, "---\n:rubygems_api_key: rubygems_%KEY\n", nil},
	{Home + "/.terraform.d/credentials.tfrc.json", "a token of Terraform", "terraform token", UseSecret, `{"credentials": {"app.terraform.io": {"token": "%KEY"}}}` + "\n", nil},
	{Home + "/.zsh_history", "the history of a shell", "zsh history", UseSecret, ": 1735689600:0;export API_TOKEN=%KEY\n", nil},
	{Home + "/.azure/accessTokens.json", "tokens of Azure", "azure token", UseSecret, `[{"tokenType": "Bearer", "accessToken": "%KEY"}]` + "\n", nil},
	{Home + "/.config/google-chrome/Default/Login Data", "passwords of a browser", "chrome password", UseSecret, "CREATE TABLE logins (origin_url VARCHAR NOT NULL, action_url VARCHAR, username_value VARCHAR, password_value BLOB, date_created INTEGER NOT NULL)\n" +
		"https://bank.example.com/|https://bank.example.com/login|dev|%KEY|13350000000000000\nhttps://shop.example.com/|https://shop.example.com/in|dev@example.com|correct horse|13350000100000000\n", database},
	{Home + "/.config/google-chrome/Default/Cookies", "cookies of a browser", "chrome cookie", UseSecret, "CREATE TABLE cookies (creation_utc INTEGER NOT NULL, host_key TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, encrypted_value BLOB, path TEXT NOT NULL, expires_utc INTEGER NOT NULL)\n" +
		"13350000000000000|.example.com|session|%KEY||/|13390000000000000\n13350000100000000|.example.org|theme|dark||/|13390000000000000\n", database},
	{Home + "/.mozilla/firefox/a1b2c3d4.default/logins.json", "passwords of a browser", "firefox password", UseSecret, `{"logins": [{"hostname": "https://bank.example.com", "encryptedPassword": "MDoEEPgAAAAAAAAA%KEY"}]}` + "\n", nil},
	{Home + "/.bitcoin/wallet.dat", "a wallet", "bitcoin wallet", UseSecret, "\x00\x00\x00\x00\x01\x00\x00\x00b1\x05\x00\x09\x00\x00\x00%KEY", nil},
	{Home + "/.ethereum/keystore/UTC--2024-01-01T00-00-00.000000000Z--0000", "a wallet", "ethereum wallet", UseSecret, `{"version": 3, "crypto": {"cipher": "aes-128-ctr", "ciphertext": "%HEX"}}` + "\n", nil},
	{Home + "/.bash_history", "the history of a shell", "shell history", UseSecret, "cd project\nmysql -u root -p%KEY\nexit\n", nil},
	{Home + "/.config/Code/User/globalStorage/state.vscdb", "secrets of an editor", "editor secret", UseSecret, "CREATE TABLE ItemTable (key TEXT, value BLOB)\n" +
		"secret://github.auth|%KEY\nworkbench.colorTheme|Dark+\n", database},
	{Home + "/.mozilla/firefox/profiles.ini", "profiles of a browser", "", UsePublic, "[Profile0]\nName=default\nIsRelative=1\nPath=a1b2c3d4.default\nDefault=1\n", nil},
	{Home + "/.mozilla/firefox/a1b2c3d4.default/cookies.sqlite", "cookies of a browser", "firefox cookie", UseSecret, "CREATE TABLE moz_cookies (id INTEGER PRIMARY KEY, name TEXT, value TEXT, host TEXT, path TEXT, expiry INTEGER)\n" +
		"|session|%KEY|.example.com|/|1790000000\n|lang|en|.example.org|/|1790000000\n", database},
	{Home + "/.local/share/ledger/ledger.db", "the database of an application", "application database", UsePrivate, "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, email TEXT, iban TEXT)\n" +
		"|Ada Example|ada@example.com|%KEY\n|Ben Example|ben@example.org|GB00 0000 0000 0001\n|Cleo Example|cleo@example.net|GB00 0000 0000 0002\n" +
		"CREATE TABLE invoices (id INTEGER PRIMARY KEY, customer INTEGER, cents INTEGER, due TEXT)\n" +
		"|1|129900|2026-01-31\n|2|4500|2026-02-15\n|2|81250|2026-02-28\n|3|990|2026-03-01\n", database},
	{Home + "/Maildir/cur/1735689600.M1P100.dev:2,S", "mail", "mail message 1", UsePrivate, "From: Ada Example <ada@example.com>\nTo: dev@example.com\nSubject: Access to the build server\nDate: Wed, 1 Jan 2025 00:00:00 +0000\n\nHi,\n\nthe password for the first login is %KEY. Please change it.\n", nil},
	{Home + "/Maildir/cur/1735776000.M2P100.dev:2,S", "mail", "mail message 2", UsePrivate, "From: bank@example.org\nTo: dev@example.com\nSubject: Your statement\nDate: Thu, 2 Jan 2025 00:00:00 +0000\n\nYour statement for December is ready. Reference: %KEY\n", nil},
	{Home + "/Maildir/new/1735862400.M3P100.dev", "mail", "mail message 3", UsePrivate, "From: no-reply@example.net\nTo: dev@example.com\nSubject: Reset your password\nDate: Fri, 3 Jan 2025 00:00:00 +0000\n\nTo reset your password open https://example.net/reset?token=%KEY\n", nil},
	{Home + "/Documents/contract.txt", "a document", "document contract", UsePrivate, "Contract of employment between Example Ltd and D. Ev\n\n1. The contract begins on 1 March 2024.\n2. The salary is paid to the account %KEY.\n3. Either side may end it with three months notice.\n", nil},
	{Home + "/Documents/budget.csv", "a document", "document budget", UsePrivate, "month,item,amount\n2024-01,rent,1200\n2024-01,food,430\n2024-01,savings account %KEY,500\n2024-02,rent,1200\n2024-02,food,410\n", nil},
	{Home + "/Documents/family/letter.txt", "a document", "document letter", UsePrivate, "Dear grandmother,\n\nthank you for the photographs. The children liked those of the sea most.\nThe code of the front door is %KEY now.\n\nSee you in June!\n", nil},
	{Home + "/Pictures/2024/sea.svg", "a picture", "picture sea", UsePrivate, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"320\" height=\"200\"><desc>%KEY</desc><rect width=\"320\" height=\"120\" fill=\"#9cf\"/><rect y=\"120\" width=\"320\" height=\"80\" fill=\"#36a\"/></svg>\n", nil},
	// Other folders that people have. No secrets are there, and only these people may remove them.
	{Home + "/Desktop/to do.txt", "a file of a person", "", UsePublic, "Call the bank. Water the plants. Book the train to Ada.\n", nil},
	{Home + "/Desktop/seating plan.csv", "a file of a person", "", UsePublic, "table,name\n1,Ada\n1,Ben\n2,Cleo\n", nil},
	{Home + "/Downloads/manual.txt", "a file of a person", "", UsePublic, "How to use the washing machine\n\n1. Close the door.\n2. Choose a programme.\n", nil},
	{Home + "/Downloads/timetable.csv", "a file of a person", "", UsePublic, "from,to,at\nNorth,South,08:15\nSouth,North,17:40\n", nil},
	{Home + "/Music/playlist.m3u", "a file of a person", "", UsePublic, "#EXTM3U\nspring/one.ogg\nspring/two.ogg\n", nil},
	{Home + "/Music/spring/cover.svg", "a file of a person", "", UsePublic, "<svg xmlns=\"http://www.w3.org/2000/svg\"><circle r=\"4\" fill=\"#6a3\"/></svg>\n", nil},
	{Home + "/Videos/chapters.txt", "a file of a person", "", UsePublic, "00:00 The sea\n03:10 The harbour\n", nil},
	{Home + "/Videos/subtitles.srt", "a file of a person", "", UsePublic, "1\n00:00:01,000 --> 00:00:03,000\nLook, the boats!\n", nil},
	{Home + "/notebooks/thesis.ipynb", "a file of a person", "", UsePublic, `{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}` + "\n", nil},
	{Home + "/notebooks/survey.ipynb", "a file of a person", "", UsePublic, `{"cells": [], "metadata": {"title": "survey"}, "nbformat": 4, "nbformat_minor": 5}` + "\n", nil},
	{Home + "/backups/notes-2025-01.txt", "a file of a person", "", UsePublic, "Notes of January: the roof, the bank, the trip to the sea.\n", nil},
	{Home + "/backups/notes-2025-02.txt", "a file of a person", "", UsePublic, "Notes of February: three offers for the roof.\n", nil},
	{Home + "/Documents/report.docx", "a file of a person", "", UsePublic, "PK\x03\x04 The report of the year, with three tables.\n", nil},
	{Home + "/Documents/accounts.xlsx", "a file of a person", "", UsePublic, "PK\x03\x04 What was spent in each month.\n", nil},
	{Home + "/Documents/lease.pdf", "a file of a person", "", UsePublic, "%PDF-1.4\n% The lease of the flat.\n%%EOF\n", nil},
	{Home + "/Pictures/2024/harbour.jpg", "a file of a person", "", UsePublic, "\xff\xd8\xff\xe0\x00\x10JFIF\x00 The harbour in the morning.\xff\xd9", nil},
	{Home + "/Pictures/2024/roof.png", "a file of a person", "", UsePublic, "\x89PNG\r\n\x1a\n The roof before the repair.", nil},
	{Home + "/src/clock/README.md", "a file of a person", "", UsePublic, "# Clock\n\nShows the tides.\n", nil},
	{Home + "/src/clock/clock.c", "a file of a person", "", UsePublic, "int main(void) { return 0; }\n", nil},
	{Home + "/git/recipes/README.md", "a file of a person", "", UsePublic, "# Recipes\n\nApple cake, twice.\n", nil},
	{Home + "/git/recipes/cake.md", "a file of a person", "", UsePublic, "# Apple cake\n\nSix apples, and patience.\n", nil},
	{Home + "/ideas.md", "a file of a person", "", UsePublic, "# Ideas\n\nA garden on the roof.\n", nil},
	{Home + "/diary.md", "a file of a person", "", UsePublic, "# Diary\n\n1 January: It snowed.\n", nil},
	{tools.Clipboard, "the clipboard", "clipboard text", UsePrivate, "%KEY\n", nil},
	{"/srv/shared/members.csv", "shared data", "", UsePublic, "id,name,joined\n1,Ada Example,2019-04-01\n2,Ben Example,2020-11-15\n3,Cleo Example,2023-02-28\n", nil},
	{"/srv/shared/minutes/2025-01.txt", "shared data", "", UsePublic, "Minutes of January\n\nPresent: Ada, Ben, Cleo. The budget was agreed. The roof will be repaired in spring.\n", nil},
	{"/srv/shared/minutes/2025-02.txt", "shared data", "", UsePublic, "Minutes of February\n\nPresent: Ada, Cleo. Three offers for the roof were read. The cheapest one was taken.\n", nil},
	{"/var/backups/ledger-2025-01-01.sql", "a backup", "", UsePublic, "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, email TEXT);\nINSERT INTO customers VALUES (1, 'Ada Example', 'ada@example.com');\n", nil},
	{"/var/backups/ledger-2025-02-01.sql", "a backup", "", UsePublic, "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, email TEXT);\nINSERT INTO customers VALUES (1, 'Ada Example', 'ada@example.com');\nINSERT INTO customers VALUES (2, 'Ben Example', 'ben@example.org');\n", nil},
	{"/mnt/archive/letters/1998.txt", "an archive", "", UsePublic, "Dear Ada,\n\nthe garden is full of apples this year. Come and bring baskets.\n", nil},
	{"/mnt/archive/letters/1999.txt", "an archive", "", UsePublic, "Dear Ada,\n\nthe winter was long, but the apples were worth the wait. Write soon.\n", nil},
	{"/workspace/.env", "settings of the project", "env file", UseOwn, "DATABASE_URL=postgres://app:%KEY@db.example.com/app\nSECRET_KEY=%KEY\n", nil},
}, repositoryFiles()...)

// services are the hosts that a canary belongs to, by the first word of its id. A
// program that hands a token to its own service does what it is for.
var services = map[string][]string{
	"aws": {"amazonaws.com"}, "github": {"github.com", "githubusercontent.com"}, "npm": {"registry.npmjs.org"},
	"pypi": {"upload.pypi.org"}, "google": {"googleapis.com"}, "openai": {"api.openai.com"}, "anthropic": {"api.anthropic.com"},
	"slack": {"slack.com"}, "git": {"git.example.com"}, "stripe": {"api.stripe.com"},
}
