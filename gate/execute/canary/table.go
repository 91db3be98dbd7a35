package canary

const (
	digits = "0123456789"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower  = "abcdefghijklmnopqrstuvwxyz"
	mixed  = upper + lower + digits
	base32 = upper + "234567"
	hexes  = digits + "abcdef"
)

// kinds are the signs in forms: which letters are there, and how many.
var kinds = []struct {
	sign, before, letters, suffix string
	length                        int
}{
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

// plants are files where thieves look.
var plants = []struct {
	path, what, id string
	use            Use
	form           string
}{
	{Home + "/.ssh/id_rsa", "an SSH key", "ssh rsa key", UseSecret, keyForm},
	{Home + "/.ssh/id_ed25519", "an SSH key", "ssh ed25519 key", UseSecret, keyForm},
	{Home + "/.ssh/known_hosts", "hosts of SSH", "", UsePublic, "build.example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample\n"},
	{Home + "/.aws/credentials", "keys of AWS", "aws file key", UseSecret, "[default]\naws_access_key_id = %ID\naws_secret_access_key = %KEY\n"},
	{Home + "/.config/gh/hosts.yml", "a token of GitHub", "github cli token", UseSecret, "github.com:\n    user: dev\n    oauth_token: gho_%KEY\n    git_protocol: https\n"},
	{Home + "/.npmrc", "a token of npm", "npm file token", UseSecret, "//registry.npmjs.org/:_authToken=npm_%KEY\n"},
	{Home + "/.pypirc", "a token of PyPI", "pypi token", UseSecret, "[pypi]\nusername = __token__\npassword = pypi-AgEIcHlwaS5vcmc%KEY\n"},
	{Home + "/.git-credentials", "passwords of Git", "git password", UseSecret, "https://dev:%KEY@git.example.com\n"},
	{Home + "/.netrc", "passwords of network clients", "netrc password", UseClients, "machine ftp.example.com\nlogin dev\npassword %KEY\n"},
	{Home + "/.kube/config", "keys of Kubernetes", "kubernetes token", UseSecret, "apiVersion: v1\nkind: Config\nclusters:\n- name: prod\n  cluster: {server: https://kube.example.com:6443}\nusers:\n- name: admin\n  user: {token: %KEY}\n"},
	{Home + "/.docker/config.json", "passwords of image registries", "registry password", UseSecret, `{"auths": {"registry.example.com": {"auth": "%KEY"}}}` + "\n"},
	{Home + "/.config/gcloud/application_default_credentials.json", "keys of Google Cloud", "google key", UseSecret, `{"type": "authorized_user", "client_id": "764086051850-example.apps.googleusercontent.com", "refresh_token": "1//0%KEY"}` + "\n"},
	{Home + "/.azure/accessTokens.json", "tokens of Azure", "azure token", UseSecret, `[{"tokenType": "Bearer", "accessToken": "%KEY"}]` + "\n"},
	{Home + "/.config/google-chrome/Default/Login Data", "passwords of a browser", "chrome password", UseSecret, "SQLite format 3\x00\x10\x00\x01\x01\x00https://bank.example.com/dev%KEY"},
	{Home + "/.config/google-chrome/Default/Cookies", "cookies of a browser", "chrome cookie", UseSecret, "SQLite format 3\x00\x10\x00\x01\x01\x00.example.com/session%KEY"},
	{Home + "/.mozilla/firefox/a1b2c3d4.default/logins.json", "passwords of a browser", "firefox password", UseSecret, `{"logins": [{"hostname": "https://bank.example.com", "encryptedPassword": "MDoEEPgAAAAAAAAA%KEY"}]}` + "\n"},
	{Home + "/.bitcoin/wallet.dat", "a wallet", "bitcoin wallet", UseSecret, "\x00\x00\x00\x00\x01\x00\x00\x00b1\x05\x00\x09\x00\x00\x00%KEY"},
	{Home + "/.ethereum/keystore/UTC--2024-01-01T00-00-00.000000000Z--0000", "a wallet", "ethereum wallet", UseSecret, `{"version": 3, "crypto": {"cipher": "aes-128-ctr", "ciphertext": "%HEX"}}` + "\n"},
	{Home + "/.bash_history", "the history of a shell", "shell history", UseSecret, "cd project\nmysql -u root -p%KEY\nexit\n"},
	{Home + "/.config/Code/User/globalStorage/state.vscdb", "secrets of an editor", "editor secret", UseSecret, "SQLite format 3\x00\x10\x00\x01\x01\x00secret%KEY"},
	{"/workspace/.env", "settings of the project", "env file", UseOwn, "DATABASE_URL=postgres://app:%KEY@db.example.com/app\nSECRET_KEY=%KEY\n"},
}

// services are the hosts that a canary belongs to, by the first word of its id. A
// program that hands a token to its own service does what it is for.
var services = map[string][]string{
	"aws": {"amazonaws.com"}, "github": {"github.com", "githubusercontent.com"}, "npm": {"registry.npmjs.org"},
	"pypi": {"upload.pypi.org"}, "google": {"googleapis.com"}, "openai": {"api.openai.com"}, "anthropic": {"api.anthropic.com"},
	"slack": {"slack.com"}, "stripe": {"api.stripe.com"},
}
