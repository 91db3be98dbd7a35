package git

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens a repository that is closed with the test.
func open(t *testing.T, dir string) *Repo {
	t.Helper()
	r, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func objects(t *testing.T, r *Repo) *Objects {
	t.Helper()
	o := r.Objects(t.Context())
	t.Cleanup(o.Close)
	return o
}

func sha1Format(t testing.TB) Format {
	t.Helper()
	f, err := formatNamed("sha1")
	if err != nil {
		t.Fatal(err)
	}
	return f
}
