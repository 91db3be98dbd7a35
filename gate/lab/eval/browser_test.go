package eval

import (
	"bytes"
	"testing"

	"github.com/aigate/gate/tools/browser/browsertest"
)

func TestAComparisonHasNoBarriersInABrowser(t *testing.T) {
	r := report(t)
	c := Compare(report(t), r)
	r.Comparison = &c
	var page bytes.Buffer
	if err := WriteHTML(&page, r); err != nil {
		t.Fatal(err)
	}
	browsertest.Document(t, browsertest.Open(t), "eval", page.String())
}
