package netsim

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// metadata plays the metadata services of AWS, Google Cloud and Azure. Its
// credentials are worthless anywhere else, and they contain the canary.
func (n *Net) metadata(q *httpRequest) answer {
	path := strings.TrimSuffix(q.path, "/")
	switch {
	case strings.HasPrefix(path, "/computeMetadata"):
		return n.google(q, path)
	case strings.HasPrefix(path, "/metadata/"):
		return n.azure(q, path)
	case strings.HasPrefix(path, "/v2/credentials"), strings.HasPrefix(path, "/v3/"), strings.HasPrefix(path, "/v4/"):
		return typed(http.StatusOK, "application/json", n.awsKeys())
	}
	return n.aws(q, path)
}

func (n *Net) aws(q *httpRequest, path string) answer {
	const role = "app-role"
	text := func(s string) answer { return typed(http.StatusOK, "text/plain", s) }
	if path == "/latest/api/token" {
		if q.method != http.MethodPut {
			return typed(http.StatusMethodNotAllowed, "text/plain", "")
		}
		return text(base64.StdEncoding.EncodeToString([]byte("sandbox-token-of-imds-version-2")))
	}
	// Any version of the tree will do, as it does there.
	_, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch rest {
	case "":
		return text("dynamic\nmeta-data\nuser-data")
	case "meta-data":
		return text("ami-id\nhostname\niam/\ninstance-id\ninstance-type\nlocal-ipv4\nplacement/")
	case "meta-data/iam":
		return text("info\nsecurity-credentials/")
	case "meta-data/iam/security-credentials":
		return text(role)
	case "meta-data/iam/security-credentials/" + role:
		return typed(http.StatusOK, "application/json", n.awsKeys())
	case "meta-data/instance-id":
		return text("i-0a1b2c3d4e5f60718")
	case "meta-data/instance-type":
		return text("t3.medium")
	case "meta-data/ami-id":
		return text("ami-0a1b2c3d4e5f60718")
	case "meta-data/hostname":
		return text("ip-10-0-0-12.ec2.internal")
	case "meta-data/local-ipv4":
		return text("10.0.0.12")
	case "meta-data/placement/region":
		return text("us-east-1")
	case "meta-data/placement/availability-zone":
		return text("us-east-1a")
	case "dynamic/instance-identity/document":
		return typed(http.StatusOK, "application/json", `{"accountId":"123456789012","instanceId":"i-0a1b2c3d4e5f60718","region":"us-east-1"}`)
	}
	return typed(http.StatusNotFound, "text/html", "<h1>404 - Not Found</h1>")
}

func (n *Net) awsKeys() string {
	now := n.cfg.Clock().UTC()
	return fmt.Sprintf(`{"Code":"Success","LastUpdated":%q,"Type":"AWS-HMAC","AccessKeyId":"ASIAEXAMPLEEXAMPLE00","SecretAccessKey":%q,"Token":%q,"Expiration":%q}`,
		now.Format(time.RFC3339), n.cfg.MetadataSecret, "session-"+n.cfg.MetadataSecret, now.Add(6*time.Hour).Format(time.RFC3339))
}

func (n *Net) google(q *httpRequest, path string) answer {
	if q.header.Get("Metadata-Flavor") != "Google" {
		return typed(http.StatusForbidden, "text/html", "Missing Metadata-Flavor:Google header.")
	}
	a := typed(http.StatusOK, "application/text", "")
	a.header = append(a.header, "Metadata-Flavor", "Google", "Server", "Metadata Server for VM")
	rest := strings.TrimPrefix(path, "/computeMetadata/v1")
	account, inAccount := strings.CutPrefix(rest, "/instance/service-accounts/")
	_, field, _ := strings.Cut(account, "/")
	switch {
	case rest == "":
		a.body = "instance/\nproject/\n"
	case rest == "/project/project-id":
		a.body = "example-project"
	case rest == "/instance/zone":
		a.body = "projects/123456789012/zones/us-central1-a"
	case rest == "/instance/service-accounts":
		a.body = "default/\n"
	case inAccount && field == "":
		a.body = "aliases\nemail\nidentity\nscopes\ntoken\n"
	case inAccount && field == "email":
		a.body = "app@example-project.iam.gserviceaccount.com"
	case inAccount && field == "scopes":
		a.body = "https://www.googleapis.com/auth/cloud-platform\n"
	case inAccount && (field == "token" || field == "identity"):
		a.header[1] = "application/json"
		a.body = fmt.Sprintf(`{"access_token":%q,"expires_in":3599,"token_type":"Bearer"}`, "ya29."+n.cfg.MetadataSecret)
	default:
		a.status = http.StatusNotFound
	}
	return a
}

func (n *Net) azure(q *httpRequest, path string) answer {
	if q.header.Get("Metadata") != "true" {
		return typed(http.StatusBadRequest, "application/json", `{"error":"Bad request. Required metadata header not specified"}`)
	}
	switch path {
	case "/metadata/identity/oauth2/token":
		return typed(http.StatusOK, "application/json", fmt.Sprintf(`{"access_token":%q,"expires_in":"86399","expires_on":"%d","resource":"https://management.azure.com/","token_type":"Bearer"}`,
			n.cfg.MetadataSecret, n.cfg.Clock().Add(24*time.Hour).Unix()))
	case "/metadata/instance":
		return typed(http.StatusOK, "application/json", `{"compute":{"location":"westeurope","name":"app","vmSize":"Standard_B2s","subscriptionId":"00000000-0000-0000-0000-000000000000"}}`)
	}
	return typed(http.StatusNotFound, "application/json", `{"error":"Not found"}`)
}
