package netsim

// Env returns the environment variables that make common runtimes and tools trust
// the authority whose [Authority.PEM] is in the file caPath, as KEY=VALUE. Java
// and Windows programs, and those that pin a certificate, are not among them.
func Env(caPath string) []string {
	keys := []string{
		"SSL_CERT_FILE",       // OpenSSL, Go, Python's ssl, Ruby, PHP, rustls-native-certs
		"NODE_EXTRA_CA_CERTS", // Node.js
		"REQUESTS_CA_BUNDLE",  // Python requests
		"HTTPLIB2_CA_CERTS",   // Python httplib2
		"WEBSOCKET_CLIENT_CA_BUNDLE",
		"CURL_CA_BUNDLE", // curl, requests
		"GIT_SSL_CAINFO",
		"PIP_CERT",
		"AWS_CA_BUNDLE",
		"CARGO_HTTP_CAINFO",
		"NPM_CONFIG_CAFILE", "npm_config_cafile", // npm, pnpm
		"YARN_HTTPS_CA_FILE_PATH",
		"DENO_CERT",
		"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
		"PERL_LWP_SSL_CA_FILE",
	}
	env := make([]string, len(keys))
	for i, k := range keys {
		env[i] = k + "=" + caPath
	}
	return env
}
