package judge

import "github.com/aigate/gate/gate"

// Rules documents the findings that answers of the model become, sorted by id.
func Rules() []gate.Rule {
	const instead = "Read the lines that the judge names. Its word is an opinion about the text: what the other layers say beside it counts as well."
	rule := func(id string, severity gate.Severity, title, message, why string) gate.Rule {
		return gate.Rule{ID: id, Severity: severity, Layer: gate.LayerJudge, Title: title, Message: message, Why: why, Instead: instead}
	}
	return []gate.Rule{
		rule(RuleDisagreement, gate.SeveritySuspicious, "Verdict changed by comments", "the judge changes its mind when comments are taken away",
			"Comments that turn a verdict are written for the reviewer, not for the program."),
		rule(RuleInconsistent, gate.SeveritySuspicious, "Contradictory judge answer", "the judge contradicts itself or the file",
			"A verdict whose evidence does not hold is a weak model, or a text that leads it astray."),
		rule(RuleMalicious, gate.SeverityDangerous, "Malicious code by the judge", "the judge calls a line malicious, and what it quotes is there",
			"The model saw an intent to harm, and program code checked that its evidence is really in the file."),
		rule(RuleSuspicious, gate.SeveritySuspicious, "Suspicious code by the judge", "the judge is not sure that the file is harmless",
			"The model saw something that a benign program may do as well."),
	}
}
