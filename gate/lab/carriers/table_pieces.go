package main

import (
	"fmt"
	"strings"
)

// pieceCarriers are build files in which the command is in pieces, as variables, as
// arguments of functions or as properties, which the tool puts together.
func pieceCarriers() []carrier {
	var out []carrier
	add := func(name, path, runs string, s syntax, write func(pieces []string) string) {
		out = append(out, carrier{name: "pieces-" + name, path: path, place: inFolder, family: command, syntax: s, runs: runs,
			wrap: func(c code) string { return write(pieces(c.line())) }})
	}
	each := func(format string) func([]string) string {
		return func(pieces []string) string {
			var out strings.Builder
			for i, p := range pieces {
				fmt.Fprintf(&out, format, i, p)
			}
			return out.String()
		}
	}
	uses := func(format string, pieces []string) string {
		var out strings.Builder
		for i := range pieces {
			fmt.Fprintf(&out, format, i)
		}
		return out.String()
	}
	quoted := func(pieces []string) string { return `"` + strings.Join(pieces, `", "`) + `"` }
	escape := func(pieces []string) []string {
		out := make([]string, len(pieces))
		for i, p := range pieces {
			out[i] = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(p)
		}
		return out
	}
	mk, plain := makeSyntax().with(func(s *syntax) { s.tail = false }), noSyntax()

	add("make-variables", "Makefile", "make", mk, func(p []string) string {
		return each("V%d := %s\n")(p) + "all:\n\t" + uses("$(V%d)", p) + "\n"
	})
	add("make-subst", "Makefile", "make", mk, func(p []string) string {
		return "all:\n\t$(subst QQ,," + strings.Join(p, "QQ") + ")\n"
	})
	add("make-call", "Makefile", "make", mk, func(p []string) string {
		return "define rule\nall:\n\t$(subst QQ,,$(1))\nendef\n$(eval $(call rule," + strings.Join(p, "QQ") + "))\n"
	})
	add("make-exported", "Makefile", "make", mk, func(p []string) string {
		return each("export V%d := %s\n")(p) + "all:\n\teval \"" + uses("$${V%d}", p) + "\"\n"
	})
	add("cmake-variables", "CMakeLists.txt", "cmake", plain, func(p []string) string {
		return each("set(V%d \"%s\")\n")(p) + "execute_process(COMMAND sh -c \"" + uses("${V%d}", p) + "\")\n"
	})
	add("cmake-append", "CMakeLists.txt", "cmake", plain, func(p []string) string {
		return "set(A \"\")\n" + each("string(APPEND A \"%[2]s\") # %[1]d\n")(p) + "execute_process(COMMAND sh -c \"${A}\")\n"
	})
	add("cmake-replace", "CMakeLists.txt", "cmake", plain, func(p []string) string {
		return "string(REPLACE QQ \"\" A \"" + strings.Join(p, "QQ") + "\")\nexecute_process(COMMAND sh -c \"${A}\")\n"
	})
	add("ant-properties", "build.xml", "ant", plain, func(p []string) string {
		return "<project>" + each(`<property name="v%d" value="%s"/>`)(escape(p)) + `<target name="x"><exec executable="sh"><arg value="-c"/><arg value="` + uses("${v%d}", p) + "\"/></exec></target></project>\n"
	})
	add("maven-properties", "pom.xml", "maven", plain, func(p []string) string {
		return "<project><properties>" + each("<v%[1]d>%[2]s</v%[1]d>")(escape(p)) + "</properties><build><plugins><plugin><configuration><executable>sh</executable><arguments><argument>-c</argument><argument>" +
			uses("${v%d}", p) + "</argument></arguments></configuration></plugin></plugins></build></project>\n"
	})
	add("maven-comments", "pom.xml", "maven", plain, func(p []string) string {
		return "<project><build><plugins><plugin><configuration><executable>sh</executable><arguments><argument>-c</argument><argument>" +
			strings.Join(escape(p), "<!-- a -->") + "</argument></arguments></configuration></plugin></plugins></build></project>\n"
	})
	add("msbuild-properties", "tools.csproj", "msbuild", plain, func(p []string) string {
		return "<Project><PropertyGroup>" + each("<V%[1]d>%[2]s</V%[1]d>")(escape(p)) + `</PropertyGroup><Target Name="X" BeforeTargets="Build"><Exec Command="` + uses("$(V%d)", p) + "\"/></Target></Project>\n"
	})
	add("bazel-join", "BUILD.bazel", "bazel", plain, func(p []string) string {
		return "genrule(name = \"x\", outs = [\"o\"], cmd = \"\".join([" + quoted(p) + "]))\n"
	})
	add("bazel-format", "BUILD.bazel", "bazel", plain, func(p []string) string {
		return "genrule(name = \"x\", outs = [\"o\"], cmd = \"" + strings.Repeat("{}", len(p)) + "\".format(" + quoted(p) + "))\n"
	})
	add("meson-join", "meson.build", "meson", plain, func(p []string) string {
		return "run_command('sh', '-c', ''.join(['" + strings.Join(p, "', '") + "']))\n"
	})
	add("gradle-names", "build.gradle", "gradle", plain, func(p []string) string {
		return each("def v%d = \"%s\"\n")(p) + "task x(type: Exec) { commandLine \"sh\", \"-c\", \"" + uses("${v%d}", p) + "\" }\n"
	})
	add("gradle-empty", "build.gradle", "gradle", plain, func(p []string) string {
		return "task x(type: Exec) { commandLine \"sh\", \"-c\", \"" + strings.Join(p, `${""}`) + "\" }\n"
	})
	add("kotlin-join", "build.gradle.kts", "gradle", plain, func(p []string) string {
		return "tasks.register<Exec>(\"x\") { commandLine(\"sh\", \"-c\", listOf(" + quoted(p) + ").joinToString(\"\")) }\n"
	})
	add("docker-env", "Dockerfile", "docker build", plain, func(p []string) string {
		return "FROM debian\nENV" + each(" \\\n  V%d=\"%s\"")(p) + "\nRUN sh -c \"" + uses("${V%d}", p) + "\"\n"
	})
	return out
}

// pieces cuts a command into pieces of a few letters, none of which begins or ends with a
// blank: some of these languages leave blanks out there.
func pieces(command string) []string {
	var out []string
	for len(command) > 0 {
		n := min(3, len(command))
		for n < len(command) && (command[n-1] == ' ' || command[n] == ' ') {
			n++
		}
		out = append(out, command[:n])
		command = command[n:]
	}
	return out
}
