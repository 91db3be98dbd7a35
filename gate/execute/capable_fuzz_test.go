package execute

import (
	"strings"
	"testing"

	"github.com/aigate/gate/sandbox"
)

// FuzzReadCapable holds that what the program in the container says about
// packages is an answer or an error, whose folders are clean paths.
func FuzzReadCapable(f *testing.F) {
	f.Add([]byte(`{"version": 2, "packages": [{"dir": "a"}]}`), "services/api")
	f.Add([]byte(`{"version": 2, "error": "x"}`), "")
	f.Fuzz(func(t *testing.T, stdout []byte, module string) {
		got, err := readCapable(sandbox.Result{Status: sandbox.Exited, Stdout: sandbox.Stream{Data: stdout}}, module)
		if err != nil {
			return
		}
		for dir := range got {
			if dir == "." || strings.HasSuffix(dir, "/") && dir != "/" {
				t.Fatalf("%q is no clean folder", dir)
			}
		}
	})
}
