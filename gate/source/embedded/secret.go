package embedded

import (
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"go.yaml.in/yaml/v3"
)

// envSecret is a variable of a workflow that holds a secret of the repository.
type envSecret struct {
	name  string
	value string // what GitHub replaces, without blanks
}

// maxSecretVariables bounds how many variables of one mapping are followed.
const maxSecretVariables = 500

var (
	secretValue = regexp.MustCompile(`^\s*\$\{\{\s*(secrets\.[\w-]+|github\.token)\s*\}\}\s*$`)
	variable    = regexp.MustCompile(`^[A-Za-z_]\w{0,99}$`)
	use         = regexp.MustCompile(`\$(?:env:)?(\w+)|\$\{(\w+)\}`)
)

// secretsOf are the variables with a secret in the env of a mapping.
func secretsOf(n *yaml.Node) []envSecret {
	var out []envSecret
	for i := 0; i+1 < len(n.Content); i += 2 {
		env := n.Content[i+1]
		if n.Content[i].Value != "env" || env.Kind != yaml.MappingNode {
			continue
		}
		for j := 0; j+1 < len(env.Content) && len(out) < maxSecretVariables; j += 2 {
			name, value := env.Content[j].Value, secretValue.FindStringSubmatch(env.Content[j+1].Value)
			if value != nil && variable.MatchString(name) {
				out = append(out, envSecret{name, "${{env:" + value[1] + "}}"})
			}
		}
	}
	return out
}

// secret is what stands for the use of a variable in a script: the secret of the
// innermost mapping that has one, or the use as it is.
func (w *yamlWalk) secret(of string) string {
	name := strings.Trim(strings.TrimPrefix(strings.TrimPrefix(of, "$"), "env:"), "{}")
	for _, s := range slices.Backward(w.secrets) {
		if s.name == name {
			return s.value
		}
	}
	return of
}

// network are the programs with which a script sends something, or writes it so that the log
// of the job doesn't mask it.
var network = regexp.MustCompile(`\b(?:curl|wget|nc|ncat|nslookup|dig|Invoke-WebRequest|Invoke-RestMethod|iwr|irm)\s|\|\s*(?:rev|xxd|od|hexdump|fold)\b`)

// sent adds a script once more, with the secrets in the places of their
// variables, if it may send one somewhere. Lines that go on are joined, each on
// the line where it begins.
func (w *yamlWalk) sent(v *yaml.Node) {
	if len(w.secrets) == 0 || v.Kind != yaml.ScalarNode || !network.MatchString(v.Value) {
		return
	}
	first := v.Line
	if v.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		first++
	}
	var b builder
	var pending string
	begins := first
	for i, line := range strings.Split(v.Value, "\n") {
		if pending == "" {
			begins = first + i
		}
		pending += line
		if rest, more := strings.CutSuffix(pending, "\\"); more {
			pending = rest
			continue
		}
		if network.MatchString(pending) {
			plain := use.ReplaceAllStringFunc(pending, w.secret)
			if plain != pending {
				b.add(plain, begins, 0)
			}
		}
		pending = ""
	}
	w.out = append(w.out, b.region(gate.LanguageShell, "")...)
}
