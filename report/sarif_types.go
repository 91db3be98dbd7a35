package report

import (
	"slices"

	"github.com/aigate/gate/gate"
)

// The part of SARIF 2.1.0 that gate writes, in the standard's order and with its
// names.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool              sarifTool         `json:"tool"`
		AutomationDetails sarifAutomation   `json:"automationDetails"`
		ColumnKind        string            `json:"columnKind"`
		Invocations       []sarifInvocation `json:"invocations"`
		Results           []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifAutomation struct {
		ID string `json:"id"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifRule struct {
		ID         string              `json:"id"`
		Name       string              `json:"name"`
		Short      sarifText           `json:"shortDescription"`
		Full       sarifText           `json:"fullDescription"`
		Help       sarifText           `json:"help"`
		Default    sarifConfiguration  `json:"defaultConfiguration"`
		Properties sarifRuleProperties `json:"properties"`
	}
	sarifConfiguration struct {
		Level string `json:"level"`
	}
	sarifRuleProperties struct {
		Tags             []string `json:"tags"`
		SecuritySeverity string   `json:"security-severity"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Related      []sarifLocation    `json:"relatedLocations,omitempty"`
		CodeFlows    []sarifCodeFlow    `json:"codeFlows,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
		Properties   sarifProperties    `json:"properties"`

		severity gate.Severity // decides what stays when not all of them fit
	}
	sarifProperties struct {
		Layer    string `json:"layer"`
		InChange bool   `json:"inChange"`
		Decides  bool   `json:"decides"`
		// Also are the other rules that saw the same harm.
		Also []string `json:"also,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Status        string `json:"status"`
		Justification string `json:"justification"`
	}
	sarifCodeFlow struct {
		ThreadFlows []sarifThreadFlow `json:"threadFlows"`
	}
	sarifThreadFlow struct {
		Locations []sarifStep `json:"locations"`
	}
	sarifStep struct {
		Location sarifLocation `json:"location"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId"`
	}
	sarifRegion struct {
		Start int `json:"startLine"`
		End   int `json:"endLine"`
	}
)

// describe returns the rules that the results name, sorted by id, and where each
// of them occurs.
func (b *sarif) describe(results []sarifResult) ([]sarifRule, map[string]int) {
	severities := map[string]gate.Severity{}
	var ids []string
	for _, r := range results {
		if _, ok := severities[r.RuleID]; !ok {
			ids = append(ids, r.RuleID)
		}
		severities[r.RuleID] = max(severities[r.RuleID], r.severity)
	}
	slices.Sort(ids)
	rules, index := make([]sarifRule, 0, len(ids)), map[string]int{}
	for i, id := range ids {
		index[id] = i
		rules = append(rules, describeRule(id, severities[id], b.rules[id]))
	}
	return rules, index
}

// describeRule documents a rule as far as that is known. seen is the worst
// severity of its findings.
func describeRule(id string, seen gate.Severity, doc gate.Rule) sarifRule {
	severity := doc.Severity
	if severity == gate.SeverityUnknown {
		severity = seen
	}
	r := sarifRule{
		ID:         id,
		Name:       id,
		Short:      sarifText{id},
		Help:       sarifText{"See what the finding says; `gate rules explain " + id + "` may know more."},
		Default:    sarifConfiguration{sarifLevel(severity)},
		Properties: sarifRuleProperties{Tags: []string{"security"}, SecuritySeverity: securitySeverity(severity)},
	}
	if doc.Title != "" {
		r.Short = sarifText{visible(doc.Title)}
	}
	r.Full = r.Short
	if doc.Why != "" {
		r.Full = sarifText{doc.Why}
		r.Help = sarifText{doc.Why}
		if doc.Instead != "" {
			r.Help.Text += "\n\nInstead: " + doc.Instead
		}
	}
	for _, ref := range doc.Refs[:min(len(doc.Refs), sarifMaxTags-1)] {
		r.Properties.Tags = append(r.Properties.Tags, visible(ref))
	}
	return r
}

// securitySeverity is the score by which code scanning names an alert: above 9.0
// critical, 7.0 to 8.9 high, 4.0 to 6.9 medium, 0.1 to 3.9 low.
func securitySeverity(s gate.Severity) string {
	switch s {
	case gate.SeverityNote:
		return "1.0"
	case gate.SeveritySuspicious:
		return "5.0"
	default:
		return "9.1"
	}
}
