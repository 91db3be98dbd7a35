package static

import "testing"

func TestAFileOfSeveralPatchesHasTheLinesOfAll(t *testing.T) {
	const patches = "diff --git a/x.sh b/x.sh\n--- a/x.sh\n+++ b/x.sh\n@@ -1 +1 @@\n-old\n+one\n" +
		"diff --git a/y.sh b/y.sh\n--- a/y.sh\n+++ b/y.sh\n@@ -1 +1 @@\n same\n+two\n-- \n2.39\n\n" +
		"diff --git a/x.sh b/x.sh\n--- a/x.sh\n+++ b/x.sh\n@@ -9 +9 @@\n+three\n" +
		"diff --git a/z b/z\n--- a/z\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n"
	got := patchMembers([]byte(patches))
	want := map[string]string{"x.sh": "one\n\nthree\n", "y.sh": "same\ntwo\n"}
	if len(got) != len(want) {
		t.Fatalf("%d files: %+v", len(got), got)
	}
	for _, m := range got {
		if string(m.Data) != want[m.Name] {
			t.Errorf("%s: %q, want %q", m.Name, m.Data, want[m.Name])
		}
	}
}
