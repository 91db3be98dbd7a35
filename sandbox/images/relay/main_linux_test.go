package relay

import (
	"os"
	"testing"
	"time"
)

func TestAnInstallerEndsWithTheSession(t *testing.T) {
	host, container := session(t)
	code := make(chan int, 1)
	go func() { code <- run(container.CloseChan(), nil, os.Stderr, "tail", "-f", "/dev/null") }()
	if err := host.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case c := <-code:
		if c == 0 {
			t.Error("it ended as if it had installed everything")
		}
	case <-time.After(time.Minute):
		t.Fatal("it goes on without gate")
	}
}
