package constprop

import (
	"bytes"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestShellVariablesStandForTheConstantsTheyHold(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"a path":                                {"disk=/dev/sda\ndd of=$disk", "disk=/dev/sda\ndd of=/dev/sda"},
		"in braces and quotes":                  {`f="/etc/passwd"; cat "${f}"`, `f="/etc/passwd"; cat "/etc/passwd"`},
		"in single quotes it is text":           {"f=/etc/passwd\necho '$f' \\$f", ""},
		"in a comment it is text":               {"f=/etc/passwd\n# $f\n", ""},
		"of another variable":                   {"d=/etc\nf=$d/ssh\nls $f/x", "d=/etc\nf=/etc/ssh\nls /etc/ssh/x"},
		"pieces of a command":                   {"a=cu b=rl\n$a$b -d x", "a=cu b=rl\ncurl -d x"},
		"appended":                              {"a=cu\na+=rl\n$a x", "a=cu\na+=rl\ncurl x"},
		"exported and local":                    {"export A=/etc\nf() { local B=$A/x; rm $B; }", "export A=/etc\nf() { local B=/etc/x; rm /etc/x; }"},
		"the last value counts":                 {"d=/etc\nls $d\nd=/tmp\nls $d", "d=/etc\nls /etc\nd=/tmp\nls /tmp"},
		"used before it is assigned":            {"f() { rm $d; }\nd=/etc\nf", "f() { rm /etc; }\nd=/etc\nf"},
		"assigned twice after it":               {"f() { rm $d; }\nd=/etc\nd=/tmp\nf", ""},
		"a loop over words":                     {"for f in /etc/passwd /etc/shadow; do cat \"$f\"; done", "for f in /etc/passwd /etc/shadow; do cat \"/etc/passwd /etc/shadow\"; done"},
		"a loop over what is found":             {"for f in $(ls); do cat $f; done", ""},
		"an array":                              {"a=(/etc/passwd '/etc/x')\ncat \"${a[@]}\"", "a=(/etc/passwd '/etc/x')\ncat /etc/passwd /etc/x"},
		"an array that gets what is not known":  {"a=(curl)\na+=($(ls))\n\"${a[@]}\"", ""},
		"arguments of the caller":               {"a=/etc\nset -- -d $(ls)\ncurl \"$@\"", ""},
		"an array that is added to":             {"a=(curl)\na+=(-d)\na+=(@$HOME/x u)\n\"${a[@]}\"", "a=(curl)\na+=(-d)\na+=(@$HOME/x u)\ncurl -d @$HOME/x u"},
		"arguments that a script gives itself":  {"set -- -d /etc/x\nset -- \"$@\" u\ncurl \"$@\"", "set -- -d /etc/x\nset -- -d /etc/x u u\ncurl -d /etc/x u"},
		"an element by its number":              {"a=(curl 'sh')\n${a[0]} x | ${a[1]}", "a=(curl 'sh')\ncurl x | sh"},
		"an element by its key":                 {"declare -A s=([get]=curl [\"use\"]=sh)\n${s[get]} x | ${s[\"use\"]}", "declare -A s=([get]=curl [\"use\"]=sh)\ncurl x | sh"},
		"an element that is set alone":          {"s[get]=curl\n${s[get]} x", "s[get]=curl\ncurl x"},
		"an element that is not known":          {"s=($(ls) /etc)\nrm ${s[0]}", ""},
		"an element by a key that is not known": {"s=([a]=/etc)\nrm ${s[$k]}", ""},
		"printed into a variable":               {"g=curl\nprintf -v c '%s -fsS %s' $g x\n$c", "g=curl\nprintf -v c '%s -fsS %s' curl x\ncurl -fsS x"},
		"printed by a command":                  {"b=$(printf '/%s/rc.%s' etc local)\nls $b", "b=/etc/rc.local\nls /etc/rc.local"},
		"printed by a command with parameters":  {"b=/x\nb=$(printf '/%s' \"$1\")\nls $b", ""},
		"the default of what is never set":      {"curl x | ${b:-ba}sh", "curl x | bash"},
		"a default that is no interpreter":      {"${CURL:-curl} x\nrm -rf \"${D:-/tmp/x}\"", ""},
		"a default of what is set":              {"b=$(ls)\ncurl x | ${b:-bash}", ""},
		"the last part of the shell":            {"curl x | ${SHELL##*/}", "curl x | bash"},
		"the home folder without a slash":       {"rm -rf \"${HOME%/}\"/*", "rm -rf \"$HOME\"/*"},
		"a home folder that is set":             {"HOME=$(mktemp -d)\nrm -rf \"${HOME%/}\"/*", ""},
		"printed with what is not known":        {"c=/etc\nprintf -v c '%s' \"$1\"\nrm $c", ""},
		"what a command says":                   {"d=$(pwd)\nrm $d", ""},
		"what a command says, after a constant": {"d=/etc\nd=`pwd`\nrm $d", ""},
		"what a user types":                     {"d=/etc\nread -r d\nrm $d", ""},
		"a parameter":                           {"d=$1\nrm $d", ""},
		"a default":                             {"d=${1:-/etc}\nrm $d", ""},
		"a cut value":                           {"d=/etc/x\nrm ${d%/*}", ""},
		"a comparison":                          {"[ $x == /etc ]\nrm $x", ""},
		"an argument is no variable":            {"dd if=/dev/zero of=/dev/sda\necho $nothing", ""},
		"a here document":                       {"c=/tmp/x\ncat <<EOF\nrun $c\nEOF\n", "c=/tmp/x\ncat <<EOF\nrun /tmp/x\nEOF\n"},
		"appended to a list":                    {"c=(rm)\nc+=(-rf)\nc+=(\"$HOME\")\n\"${c[@]}\"", "c=(rm)\nc+=(-rf)\nc+=(\"$HOME\")\nrm -rf $HOME"},
		"its own arguments":                     {"set -- -d @/k\nset -- \"$@\" http://c\ncurl \"$@\"", "set -- -d @/k\nset -- -d @/k http://c http://c\ncurl -d @/k http://c"},
		"one of its own arguments":              {"set -- curl x\n$1 $2", "set -- curl x\ncurl x"},
		"the arguments of a function":           {"set -- a b\nf() { rm \"$@\"; }", ""},
		"arguments that are shifted":            {"set -- a b\nshift\nrm $1", ""},
		"arguments of the user":                 {"rm \"$@\"\nset -- a\n", ""},
		"letters in lower case":                 {"x=CURL; ${x,,} a", "x=CURL; curl a"},
		"letters in upper case":                 {"x=path; echo ${x^^} ${x@U}", "x=path; echo PATH PATH"},
		"a part":                                {"x=abcurlde; ${x:2:4} a ${x: -2}", "x=abcurlde; curl a de"},
		"with another part":                     {"x=cuQrlQ; ${x//Q/} a; ${x/Q/}", "x=cuQrlQ; curl a; curlQ"},
		"without its beginning":                 {"x=xcurl; ${x#x} a", "x=xcurl; curl a"},
		"without a pattern":                     {"x=/a/b; ls ${x##*/}", ""},
		"a default where there is a value":      {"x=$1; ls ${x:-b}", ""},
		"split by another character":            {"x=curlX-dXa\nIFS=X; $x", "x=curlX-dXa\nIFS=X; curl -d a"},
		"split for one command only":            {"x=a,b\nIFS=, read -r y\nls $x", "x=a,b\nIFS=, read -r y\nls a,b"},
		"joined by nothing":                     {"IFS=; set -- c u r l; c=\"$*\"; $c a", "IFS=; set -- c u r l; c=\"curl\"; curl a"},
		"printed from numbers":                  {`$(printf "\143\165\162\154") a`, "curl a"},
		"printed in a row":                      {"printf -v c %s cu rl; $c a", "printf -v c %s cu rl; curl a"},
		"turned round":                          {"$(rev <<< lruc) a; $(echo lruc | rev) b", "curl a; curl b"},
		"of other letters":                      {"$(echo phey | tr a-z n-za-m) a", "curl a"},
		"of letters that a user gives":          {"$(echo $1 | tr a-z A-Z) a", ""},
		"an empty value":                        {"d=\nrm $d/x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := variables([]byte(c.script), nil)
			if ok != (c.want != "") || ok && string(got) != c.want {
				t.Errorf("got %q, %v, want %q", got, ok, c.want)
			}
		})
	}
}

func FuzzVariablesKeepTheLines(f *testing.F) {
	for _, seed := range []string{"a=b; echo $a", "for x in a b\ndo echo \"$x\"; done", "a=(b 'c\nd') ${a[@]}", "a=\"b\nc\" $a", "a+=$a $a", "cat <<E\n$a\nE\na=1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, script string) {
		out, ok := Names(gate.LanguageShell, []byte(script), nil)
		if ok && bytes.Count(out, []byte("\n")) != strings.Count(script, "\n") {
			t.Errorf("%d lines became %d: %q", strings.Count(script, "\n"), bytes.Count(out, []byte("\n")), out)
		}
		if len(out) > 2*len(script)+2*4096 {
			t.Errorf("%d bytes became %d", len(script), len(out))
		}
	})
}
