package embedded

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/aigate/gate/gate"
)

// proses are texts with the code in them that a tool executes.
func proses() []struct {
	name string
	lang gate.Language
	path string
	src  string
	want []string
} {
	return []struct {
		name string
		lang gate.Language
		path string
		src  string
		want []string
	}{
		{"a doctest of a docstring", gate.LanguagePython, "a.py", "def f():\n    \"\"\"F.\n\n    >>> if a:\n    ...     b\n    c\n    >>> !d\n    \"\"\"\n", []string{"python 4 if a:", "python 5     b", "shell 7 d"}},
		{"a line that goes on needs its example", gate.LanguageText, "a.txt", "... a\n  ... b\n>>> c\n... d\n\n... e\n", []string{"python 3 c", "python 4 d"}},
		{"a doctest of reStructuredText", gate.LanguageText, "a.rst", "A\n=\n\n    >>> b\n    c\n", []string{"python 4 b"}},
		{"docstrings of a program that executes one", gate.LanguagePython, "a.py", "def f():\n    r\"\"\"\n    a\n      b\n    \"\"\"\nx = \"c\"\nexec(f.__doc__)\n",
			[]string{"python 3 a", "python 4   b", "shell 3 a", "shell 4   b"}},
		{"docstrings of a program that shows them", gate.LanguagePython, "a.py", "\"\"\"a\"\"\"\nprint(__doc__)\n", nil},
		{"a cell of MyST", gate.LanguageMarkdown, "a.md", "```{code-cell} ipython3\n:tags: [a]\n\nb\n!c\n```\n", []string{"python 4 b", "shell 5 c"}},
		{"a cell between colons", gate.LanguageMarkdown, "a.md", "  :::{code-cell} bash\n  b\n  :::\n", []string{"shell 2 b"}},
		{"a block that is not closed", gate.LanguageMarkdown, "a.md", "````{jupyter-execute}\na\n```\nb\n", []string{"python 2 a", "python 3 ```", "python 4 b"}},
		{"a block that is shown", gate.LanguageMarkdown, "a.md", "```python\na\n```\n\n```{code-block} sh\nb\n```\n```html\n<script>c</script>\n```\n", nil},
		{"a block that is marked to be run", gate.LanguageMarkdown, "a.md", "```python exec=\"on\"\na\n```\n```sh exec=\"off\"\nb\n```\n", []string{"python 2 a"}},
		{"reStructuredText within Markdown", gate.LanguageMarkdown, "a.md", "```{eval-rst}\n.. program-output:: a b\n```\n", []string{"shell 2 a b"}},
		{"scripts of raw HTML", gate.LanguageMarkdown, "a.md", "# A\n\n<script>\na\n</script>\n<img onerror=\"b\">\n", []string{"javascript 4 a", "javascript 6 b"}},
		{"a page of MDX", gate.LanguageMarkdown, "a.mdx", "import a from 'b'\nexport const c =\n  d\n\nText {e({f: 1})} of <G h={i} />\n\n```js\nimport j from 'k'\n{l}\n```\n",
			[]string{"javascript 1 import a from 'b'", "javascript 2 export const c =", "javascript 3   d", "javascript 5 e({f: 1})", "javascript 6 ;", "javascript 5 i", "javascript 6 ;"}},
		{"braces of Markdown are text", gate.LanguageMarkdown, "a.md", "import a from 'b'\n\n{c}\n", nil},
		{"directives of Sphinx", gate.LanguageText, "a.rst", ".. jupyter-execute::\n   :hide: a\n\n   b\n     c\n\nText.\n\n.. command-output:: d | e\n   :shell:\n\n.. code-block:: python\n\n   f\n",
			[]string{"python 4 b", "python 5   c", "shell 9 d | e"}},
		{"a directive within another", gate.LanguageText, "a.rst", ".. note::\n\n   Text.\n\n.. ipython::\n\n   In [1]: a\n      ...: b\n", []string{"python 7 a", "python 8 b"}},
		{"a test of cram", gate.LanguagePerl, "a.t", "Text:\n\n  $ a \\\n  > b\n  c\n", []string{"shell 3 a \\", "shell 4 b"}},
		{"a test of lit", gate.LanguageC, "a.c", "// RUN: a %s | b\nint RUN;\n", []string{"shell 1 a %s | b"}},
		{"code for cog", gate.LanguageMarkdown, "a.md", "<!-- [[[cog\na\nb\n]]] -->\nc\n<!-- [[[end]]] -->\n", []string{"python 2 a", "python 3 b"}},
		{"code for cog in comments", gate.LanguageTOML, "a.toml", "# [[[cog\n# a\n# b\n# ]]]\n", []string{"python 2 a", "python 3 b"}},
		{"a doctest of Rust", gate.LanguageRust, "a.rs", "/// A.\n/// ```\n/// # b\n/// c\n/// ```\n/// ```no_run\n/// d\n/// ```\nfn a() {}\n", []string{"rust 3 b", "rust 4 c"}},
		{"a script with a prefix, in SVG", gate.LanguageHTML, "a.svg", "<s:svg>\n<s:script>a</s:script>\n", []string{"javascript 2 a"}},
		{"a script with character references, in SVG", gate.LanguageHTML, "a.svg", "<svg><script>a(&quot;&#98;&quot;)</script>\n", []string{"javascript 1 a(&quot;&#98;&quot;)", "javascript 1 a(\"b\")"}},
		{"handlers behind a slash and without quotes", gate.LanguageHTML, "a.html", "<svg/onload=a()><b title='x'onclick='c'>\n", []string{"javascript 1 a()", "javascript 1 c"}},
		{"an address that is a script", gate.LanguageHTML, "a.html", "<a href=\"java&#115;cript:a%20b\">\n<a href=\" ja\tva\nscript:c\">\n", []string{"javascript 1 a b", "javascript 2 c"}},
		{"an address that is a text", gate.LanguageHTML, "a.html", "<script src=\"data:text/javascript,a%28%29\"></script>\n<iframe src=\"data:text/html,<script>b</script>\">\n",
			[]string{"javascript 2 b", "javascript 1 a()", "javascript 2 b"}},
		{"a page within a page", gate.LanguageHTML, "a.html", "<iframe srcdoc=\"&lt;script>a&lt;/script><b onload='c'>\"></iframe>\n", []string{"javascript 1 c", "javascript 1 c", "javascript 1 a"}},
	}
}

func TestCodeThatAToolExecutesInProseIsFound(t *testing.T) {
	for _, c := range proses() {
		t.Run(c.name, func(t *testing.T) {
			var all []Code
			for _, r := range Extract(c.lang, c.path, []byte(c.src)) {
				if r.Role == executed || c.lang != gate.LanguageMarkdown {
					all = append(all, r)
				}
			}
			if got := shown(all); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// FuzzProse holds what the package promises for code in texts for people.
func FuzzProse(f *testing.F) {
	for _, c := range proses() {
		f.Add(string(c.lang), c.path, []byte(c.src))
	}
	f.Fuzz(func(t *testing.T, lang, path string, src []byte) {
		last := bytes.Count(src, []byte{'\n'}) + 1
		read := append(inProse(gate.Language(lang), path, src), markdown(path, src)...)
		for _, r := range append(read, append(doctests(src), executedDocs(src)...)...) {
			if n := bytes.Count(r.Text, []byte{'\n'}); n != len(r.Lines) {
				t.Fatalf("%d lines of text, %d places", n, len(r.Lines))
			}
			for _, line := range r.Lines {
				if line < 1 || line > last+1 {
					t.Fatalf("line %d of %d", line, last)
				}
			}
			if len(r.Text) > 2*len(src)+8*len(r.Lines) {
				t.Fatalf("%d bytes of %d", len(r.Text), len(src))
			}
		}
	})
}
