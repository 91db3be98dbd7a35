package policy

import (
	"errors"
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v3"

	"github.com/aigate/gate/gate"
)

// maxExpression is the longest expression of a safe usage, in bytes.
const maxExpression = 500

// usages reads the lines that are safe whatever a rule says.
func (r *reader) usages(n *yaml.Node, dst *[]gate.Usage) {
	items, ok := r.items(n)
	if !ok {
		return
	}
	var out []gate.Usage
	for _, item := range items {
		var u gate.Usage
		if item.Kind != yaml.MappingNode {
			r.fail(item, "a safe usage is written {rule: id, line: RE2, reason: text}")
			continue
		}
		for k, v := range r.pairs(item) {
			switch k.Value {
			case "rule":
				r.text(v, &u.Rule, checkRuleID)
			case "line":
				r.text(v, &u.Line, checkLine)
			case "reason":
				r.text(v, &u.Reason, nil)
			default:
				r.fail(k, "unknown key %q in a safe usage (allowed: rule, line, reason)", k.Value)
			}
		}
		if u.Rule == "" || u.Line == "" || u.Reason == "" {
			r.fail(item, "a safe usage needs rule, line and reason")
		}
		out = append(out, u)
	}
	*dst = out
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
