package policy

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/strict"
)

// maxExpression is the longest expression of a safe usage, in bytes.
const maxExpression = 500

// usages reads the lines that are safe whatever a rule says.
func (r *reader) usages(n *yaml.Node, dst *[]gate.Usage) {
	records(r, n, dst, "a safe usage", func(u *gate.Usage) []strict.Field {
		return []strict.Field{
			strict.Need("rule", func(v *yaml.Node) { r.text(v, &u.Rule, checkRuleID) }),
			strict.Need("line", func(v *yaml.Node) { r.text(v, &u.Line, checkLine) }),
			strict.Need("reason", r.doc.Text("reason", &u.Reason)),
		}
	})
}

// checkLine refuses expressions that switch the rule off: rules.disable says so
// openly.
func checkLine(text string) error {
	if len(text) > maxExpression {
		return fmt.Errorf("the expression is longer than %d bytes", maxExpression)
	}
	re, err := regexp.Compile("^(?:" + text + ")$")
	if err != nil {
		return fmt.Errorf("not an expression of RE2: %w", err)
	}
	if re.MatchString("") || re.MatchString("any line") {
		return errors.New("the expression matches any line; to switch a rule off, use rules.disable")
	}
	return nil
}
