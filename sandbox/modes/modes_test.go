package modes_test

import (
	"os"
	"testing"

	"github.com/aigate/gate/sandbox/gocache"
	"github.com/aigate/gate/sandbox/modes"
)

func TestFirstArgumentAloneChoosesAMode(t *testing.T) {
	none := func(string) string { return "" }
	for _, args := range [][]string{nil, {"scan"}, {"scan", gocache.Mode}, {"", gocache.Mode}, {gocache.Mode + "x"}} {
		if _, hidden := modes.Main(args, none, os.Stdin, os.Stdout, os.Stderr); hidden {
			t.Errorf("%q is a mode", args)
		}
	}
	if code, hidden := modes.Main([]string{gocache.Mode, "relative"}, none, os.Stdin, os.Stdout, os.Stderr); !hidden || code != 2 {
		t.Errorf("the cache ends with %d, hidden %v", code, hidden)
	}
}
