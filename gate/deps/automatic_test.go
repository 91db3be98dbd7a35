package deps

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate/locks"
)

func TestFailedInstallationsAreNotTriedAgainForAnHour(t *testing.T) {
	lock := locks.Lock{Language: "node", Digest: "d1"}
	a := &Automatic{State: t.TempDir(), Say: t.Logf, Getenv: func(string) string { return "" }}
	if _, ok := a.failedBefore(lock); ok {
		t.Fatal("nothing has failed yet")
	}
	a.remember(lock, errors.New("the registry\x1b[31m does not answer"))
	e, ok := a.failedBefore(lock)
	if !ok || !strings.Contains(e.Error(), "does not answer (0s ago; a run tries again after 1h0m0s, `gate deps build` at once)") || strings.Contains(e.Error(), "\x1b") {
		t.Errorf("%v, %v", e, ok)
	}
	if _, ok := a.failedBefore(locks.Lock{Language: "node", Digest: "d2"}); ok {
		t.Error("other lock files have failed as well")
	}
	past := time.Now().Add(-2 * retryAfter)
	if err := os.Chtimes(a.file("failed", lock), past, past); err != nil {
		t.Fatal(err)
	}
	if _, ok := a.failedBefore(lock); ok {
		t.Error("it counts for ever")
	}
}
