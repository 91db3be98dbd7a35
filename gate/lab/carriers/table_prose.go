package main

import "strings"

// proseCarriers are texts for people with code that a tool executes all the same.
func proseCarriers() []carrier {
	plain := noSyntax().with(func(s *syntax) { s.tail, s.crlfOK = true, true })
	prompts := func(indent, template string) func(code) string {
		return func(c code) string {
			return strings.Replace(template, "@@", indent+">>> "+strings.Join(c.statements, "\n"+indent+">>> "), 1)
		}
	}
	const page = "Use\n===\n\nThis is how to call it from a program of your own.\n\n"
	return []carrier{
		{name: "doctest-py", path: "tool.py", family: python, syntax: pythonSyntax().with(func(s *syntax) { s.cr, s.feed, s.block, s.cookie = false, false, block{}, false }), runs: "pytest --doctest-modules",
			wrap: prompts("    ", "def add(x):\n    \"\"\"Add one.\n\n@@\n    \"\"\"\n    return x + 1\n")},
		{name: "doctest-txt", path: "test_use.txt", family: python, syntax: plain, runs: "pytest", wrap: prompts("", page+"@@\n")},
		{name: "doctest-rst", path: "doc/use.rst", family: python, syntax: plain, runs: "sphinx-build -b doctest", wrap: prompts("    ", page+"@@\n")},
		{name: "doctest-md", path: "doc/use.md", family: python, syntax: plain, runs: "pytest --doctest-glob", wrap: prompts("", "# Use\n\n```pycon\n@@\n```\n")},
		{name: "docstring", path: "tool.py", family: python, syntax: plain.with(func(s *syntax) { s.comment = "#" }), runs: "python", wrap: lines("    ", "def tool():\n    \"\"\"\n@@\n    \"\"\"\n\n\nimport inspect\nexec(inspect.getdoc(tool))\n"),
			odd: "a program that runs a text"},
		{name: "sphinx-execute", path: "doc/use.rst", family: python, syntax: plain, runs: "sphinx-build", wrap: lines("   ", page+".. jupyter-execute::\n   :hide-output:\n\n@@\n")},
		{name: "sphinx-command", path: "doc/use.rst", family: command, syntax: plain, runs: "sphinx-build", wrap: quoted(page + ".. command-output:: @@\n   :shell:\n")},
		{name: "myst-cell", path: "doc/use.md", family: python, syntax: plain, runs: "jupyter-book build", wrap: lines("", "# Use\n\n```{code-cell} ipython3\n:tags: [hide-output]\n@@\n```\n")},
		{name: "myst-shell", path: "doc/use.md", family: command, syntax: plain, runs: "jupyter-book build", wrap: quoted("# Use\n\n:::{code-cell} ipython3\n!@@\n:::\n")},
		{name: "md-exec", path: "doc/use.md", family: python, syntax: plain, runs: "mkdocs build", wrap: lines("", "# Use\n\n```python exec=\"on\"\n@@\n```\n")},
		{name: "cog", path: "doc/use.md", family: python, syntax: plain, runs: "cog -r", wrap: lines("", "# Use\n\n<!-- [[[cog\n@@\n]]] -->\n<!-- [[[end]]] -->\n"), odd: "a comment that no page shows"},
		{name: "mdx-module", path: "doc/use.mdx", family: javascript, syntax: plain, runs: "a bundler", wrap: func(c code) string {
			return "export const size = 1\n" + strings.Join(c.statements, "\n") + "\n\n# Use\n\nThe size is {size}.\n"
		}},
		{name: "cram", path: "tests/use.t", family: command, syntax: plain, runs: "cram", wrap: quoted("Use it:\n\n  $ true\n  $ @@\n  ok\n")},
		{name: "lit", path: "tests/use.ll", family: command, syntax: plain, runs: "llvm-lit", wrap: quoted("; RUN: @@\ndefine void @main() {\n  ret void\n}\n")},
		{name: "svg-prefix", path: "logo.svg", family: javascript, syntax: plain, runs: "a browser", wrap: lines("", "<s:svg xmlns:s=\"http://www.w3.org/2000/svg\"><s:script><![CDATA[\n@@\n]]></s:script></s:svg>\n")},
		{name: "html-within", path: "page.html", family: javascript, syntax: htmlSyntax().with(func(s *syntax) { s.block, s.cr = block{}, false }), runs: "a browser or Electron", wrap: func(c code) string {
			return "<iframe srcdoc=\"<script>" + strings.ReplaceAll(c.line(), `"`, "&quot;") + "</script>\"></iframe>\n"
		}},
	}
}
