package netsim

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestALargeUploadIsSearchedToItsEndWhenTheProgramHasGone(t *testing.T) {
	l := newLab(t, Limits{Drain: 5 * time.Minute}) // under the race detector, on a busy machine
	c := l.connect("tcp", "203.0.113.9:4444")
	data := append(bytes.Repeat([]byte("x"), 3_000_000), secret...)
	if _, err := c.Write(data); err != nil {
		t.Fatal(err)
	}
	c.Close()
	l.Close()
	events := l.Events()
	if !slices.ContainsFunc(events, func(e Event) bool {
		return e.Bytes == int64(len(data)) && slices.ContainsFunc(e.Canaries, func(c string) bool { return strings.Contains(c, "plain") })
	}) {
		t.Errorf("no canary at the end of %d bytes: %+v", len(data), events)
	}
	if l.Lost() != 0 {
		t.Errorf("%d events lost", l.Lost())
	}
}
