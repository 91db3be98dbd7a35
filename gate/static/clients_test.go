package static_test

import (
	"testing"

	"github.com/aigate/gate/gate"
)

func TestANewClientHasAKeyThatIsCalledAfterItsService(t *testing.T) {
	const ask = "import os, requests\nKEY = os.environ[\"GEO_API_KEY\"]\ndef find(q):\n    return requests.get(\"https://api.geo-places.example/v2\", params={\"q\": q}, headers={\"X-Key\": KEY}).json()\n"
	for name, tt := range map[string]struct {
		text string
		want gate.Severity
	}{
		"a question, with its key":          {ask, gate.SeverityUnknown},
		"a question, with a user's key":     {"import os, requests\nKEY = os.environ[\"BILLING_API_KEY\"]\ndef find(q):\n    return requests.get(\"https://api.geo-places.example/v2\", params={\"q\": q, \"k\": KEY}).json()\n", gate.SeveritySuspicious},
		"something is posted, with its key": {"import os, requests\nKEY = os.environ[\"GEO_API_KEY\"]\ndef find(q):\n    return requests.post(\"https://api.geo-places.example/v2\", json={\"q\": q, \"k\": KEY}).json()\n", gate.SeveritySuspicious},
	} {
		var worst gate.Severity
		for _, f := range deciding(t, map[string]string{"geo.py": tt.text})["geo.py"] {
			worst = max(worst, f.Severity)
		}
		if worst != tt.want {
			t.Errorf("%s: %v, want %v", name, worst, tt.want)
		}
	}
}
