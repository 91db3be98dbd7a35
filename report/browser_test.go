package report

import (
	"testing"

	"github.com/aigate/gate/tools/browser/browsertest"
)

func TestAReportHasNoBarriersInABrowser(t *testing.T) {
	b := browsertest.Open(t)
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			browsertest.Document(t, b, "report "+c.name, render(t, "html", c.result, Options{}))
		})
	}
}
