package main

import (
	"encoding/json"
	"strings"
)

// markupCarriers are documents with code in them.
func markupCarriers() []carrier {
	html := htmlSyntax()
	script := html.with(func(s *syntax) { s.lead, s.cr, s.block = true, false, block{} })
	cell := func(lang string) func(code) string {
		return func(c code) string { return "Notes.\n\n```{" + lang + "}\n" + c.text() + "```\n" }
	}
	lineEnds := noSyntax().with(func(s *syntax) { s.crlfOK = true })
	prose := syntax{comment: "<!--", close: "-->", tail: true, crlfOK: true, bom: true, mark: no, junk: no}
	return []carrier{
		{name: "html", path: "page.html", family: javascript, syntax: script, runs: "a browser or Electron", wrap: lines("", "<!doctype html>\n<script>\n@@\n</script>\n")},
		{name: "html-module", path: "page.htm", family: javascript, syntax: script, runs: "a browser or Electron", wrap: lines("", "<!doctype html>\n<script type=\"module\">\n@@\n</script>\n")},
		{name: "html-handler", path: "page.html", family: javascript, syntax: script, runs: "a browser or Electron", wrap: func(c code) string {
			return "<img src=\"x.png\" onerror=\"" + strings.ReplaceAll(c.line(), `"`, "&quot;") + "\">\n"
		}},
		{name: "svg", path: "logo.svg", family: javascript, syntax: script, runs: "a browser", wrap: lines("", "<svg xmlns=\"http://www.w3.org/2000/svg\"><script><![CDATA[\n@@\n]]></script></svg>\n")},
		{name: "vue", path: "page.vue", family: javascript, syntax: script.with(func(s *syntax) { s.utf16, s.nul, s.bytes, s.junk = false, false, false, no }), runs: "a bundler, or a server", wrap: lines("", "<template><p>x</p></template>\n<script>\n@@\nexport default {};\n</script>\n")},
		{name: "svelte", path: "page.svelte", family: javascript, syntax: script.with(func(s *syntax) { s.utf16, s.nul, s.bytes, s.junk = false, false, false, no }), runs: "a bundler, or a server", wrap: lines("", "<script>\n@@\n</script>\n<p>x</p>\n")},
		{name: "astro", path: "page.astro", family: javascript, syntax: noSyntax().with(func(s *syntax) { s.tail, s.crlfOK = true, true }), runs: "astro build", wrap: lines("", "---\n@@\n---\n<p>x</p>\n")},
		{name: "ejs", path: "page.ejs", family: javascript, syntax: script.with(func(s *syntax) { s.utf16, s.nul, s.bytes = false, false, false }), runs: "a server", wrap: lines("", "<p>\n<%\n@@\n%>\n</p>\n")},
		{name: "mdx", path: "page.mdx", family: javascript, syntax: noSyntax().with(func(s *syntax) { s.tail, s.crlfOK = true, true }), runs: "a bundler", wrap: func(c code) string { return "# Page\n\n{" + "(() => { " + c.line() + " })()}\n" }},
		{name: "erb", path: "page.erb", family: command, syntax: script.with(func(s *syntax) { s.utf16, s.nul = false, false }), runs: "a server", wrap: quoted("<p><%= `@@` %></p>\n")},
		{name: "jsp", path: "page.jsp", family: command, syntax: script.with(func(s *syntax) { s.utf16, s.nul = false, false }), runs: "a server", wrap: quoted("<% Runtime.getRuntime().exec(new String[] {\"sh\", \"-c\", \"@@\"}); %>\n")},
		{name: "rmd", path: "page.Rmd", family: command, syntax: prose, runs: "knitr", wrap: quoted("# Notes\n\n```{r}\nsystem(\"@@\")\n```\n")},
		{name: "rmd-bash", path: "page.Rmd", family: command, syntax: prose, runs: "knitr", wrap: cell("bash")},
		{name: "qmd", path: "page.qmd", family: python, syntax: prose, runs: "quarto render", wrap: cell("python")},
		{name: "md-jupytext", path: "page.md", family: python, syntax: lineEnds, runs: "Jupytext", wrap: lines("", "---\njupyter:\n  jupytext: {text_representation: {extension: .md, format_name: markdown}}\n---\n\n```python\n@@\n```\n")},
		{name: "md-myst", path: "doc/page.md", family: python, syntax: lineEnds, runs: "MyST-NB", wrap: lines("", "---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---\n\n```{code-cell} ipython3\n@@\n```\n")},
		{name: "md-quarto", path: "page.md", family: python, syntax: lineEnds, runs: "quarto render", wrap: lines("", "---\ntitle: Notes\njupyter: python3\n---\n\n```{python}\n@@\n```\n")},
		{name: "org", path: "notes.org", family: command, syntax: hashSyntax(), runs: "Emacs Org Babel", wrap: lines("", "* Notes\n#+begin_src sh :results output\n@@\n#+end_src\n")},
		{name: "ipynb", path: "notes.ipynb", family: python, syntax: jsonSyntax(), runs: "Jupyter", wrap: notebook(4)},
		{name: "ipynb-v3", path: "notes.ipynb", family: python, syntax: jsonSyntax(), runs: "Jupyter", wrap: notebook(3)},
		{name: "ipynb-shell", path: "notes.ipynb", family: command, syntax: jsonSyntax(), runs: "Jupyter", wrap: func(c code) string {
			return notebook(4)(code{c.family, []string{"!" + c.line()}})
		}},
		{name: "ipynb-magic", path: "notes.ipynb", family: command, syntax: jsonSyntax(), runs: "Jupyter", wrap: func(c code) string {
			return notebook(4)(code{c.family, []string{"%%bash", c.line()}})
		}},
		{name: "csproj", path: "tool.csproj", family: command, syntax: html.with(xml), runs: "dotnet build", wrap: element("<Project>\n  <Target Name=\"x\" BeforeTargets=\"Build\"><Exec Command=\"@@\" /></Target>\n</Project>\n")},
		{name: "props", path: "Directory.Build.props", place: inFolder, family: command, syntax: html.with(xml), runs: "dotnet build", wrap: element("<Project>\n  <Target Name=\"x\" BeforeTargets=\"Build\"><Exec Command=\"@@\" /></Target>\n</Project>\n")},
		{name: "ant", path: "build.xml", place: inFolder, family: command, syntax: html.with(xml), runs: "ant", wrap: element("<project default=\"x\">\n  <target name=\"x\"><exec executable=\"sh\"><arg value=\"-c\"/><arg value=\"@@\"/></exec></target>\n</project>\n")},
		{name: "pom", path: "pom.xml", place: inFolder, family: command, syntax: html.with(xml), runs: "mvn", wrap: element("<project><build><plugins><plugin><artifactId>exec-maven-plugin</artifactId><configuration><executable>sh</executable><arguments><argument>-c</argument><argument>@@</argument></arguments></configuration></plugin></plugins></build></project>\n")},
		{name: "plist", path: "com.example.tool.plist", family: command, syntax: html.with(xml), runs: "launchd", wrap: element("<plist version=\"1.0\"><dict><key>ProgramArguments</key><array><string>sh</string><string>-c</string><string>@@</string></array></dict></plist>\n")},
	}
}

// xml is what XML does not tolerate, compared with HTML.
func xml(s *syntax) { s.nul, s.bytes, s.junk, s.cr = false, false, no, true }

// element escapes the code for XML.
func element(template string) func(code) string {
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
	return func(c code) string { return strings.Replace(template, "@@", escape.Replace(c.line()), 1) }
}

// notebook is a Jupyter notebook with the code in one cell.
func notebook(version int) func(code) string {
	return func(c code) string {
		source := strings.SplitAfter(strings.TrimSuffix(c.text(), "\n"), "\n")
		cell := map[string]any{"cell_type": "code", "metadata": map[string]any{}, "outputs": []any{}, "source": source}
		doc := map[string]any{"metadata": map[string]any{}, "nbformat": version, "nbformat_minor": 0}
		if version == 3 {
			delete(cell, "source")
			cell["input"], cell["language"] = source, "python"
			doc["worksheets"] = []any{map[string]any{"cells": []any{cell}, "metadata": map[string]any{}}}
		} else {
			cell["execution_count"] = nil
			doc["cells"] = []any{cell}
		}
		data, err := json.MarshalIndent(doc, "", " ")
		if err != nil {
			return "" // a map of strings can be encoded
		}
		return string(data) + "\n"
	}
}
