package attribution

import "sync"

// Signals returns the table of marks. A row is added by adding a line; its
// example is its test.
func Signals() []Signal {
	var out []Signal
	for _, rows := range [][]Signal{claudeCode(), copilot(), cursor(), codex(), devin(), aider(), google(), others(), anyAgent()} {
		out = append(out, rows...)
	}
	return out
}

func claudeCode() []Signal {
	const agent = "claude-code"
	return []Signal{
		{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Email: "noreply@anthropic.com", Example: "Claude Opus 4.5 <noreply@anthropic.com>"},
		{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Login: "claude[bot]", Example: "claude[bot] <209825114+claude[bot]@users.noreply.github.com>"},
		{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Pattern: `(?i)^claude([ -]code|[ -](opus|sonnet|haiku)\b.*|[ -]\d.*)$`, Example: "Claude Sonnet 4 <bot@example.com>"},
		{Agent: agent, Place: PlaceTrailer, Tier: TierTrailer, Key: "Claude-Session", Example: "Claude-Session: https://claude.ai/code/session_01"},
		{Agent: agent, Place: PlaceTrailer, Tier: TierTrailer, Key: "Claude-Code-Session", Example: "Claude-Code-Session: 0199"},
		{Agent: agent, Place: PlaceText, Tier: TierText, Pattern: `(?i)generated (with|by) \[?claude code\b`, Example: "🤖 Generated with [Claude Code](https://claude.com/claude-code)"},
		{Agent: agent, Place: PlaceText, Tier: TierText, Pattern: `(?i)\bclaude\.(ai|com)/(code|share|chat)/\S+`, Example: "https://claude.ai/code/session_01ABC"},
		{Agent: agent, Place: PlaceBranch, Tier: TierContext, Pattern: `(?i)^claude/`, Example: "claude/fix-login"},
	}
}

func copilot() []Signal {
	const agent = "copilot"
	return []Signal{
		{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Login: "copilot", Example: "Copilot <198982749+Copilot@users.noreply.github.com>"},
		{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Login: "copilot-swe-agent[bot]", Example: "copilot-swe-agent[bot] <198982749+copilot-swe-agent[bot]@users.noreply.github.com>"},
		{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Email: "copilot@github.com", Example: "Ada Example <copilot@github.com>"},
		{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Pattern: `(?i)^(github )?copilot( (agent|cli|coding agent|chat|autofix.*))?$`, Example: "GitHub Copilot <copilot@github.com>"},
		{Agent: agent, Place: PlaceTrailer, Tier: TierTrailer, Key: "Agent-Logs-Url", Example: "Agent-Logs-Url: https://github.com/example/repo/sessions/1"},
		{Agent: agent, Place: PlaceTrailer, Tier: TierTrailer, Key: "Copilot-Session", Example: "Copilot-Session: 1"},
		{Agent: agent, Place: PlaceText, Tier: TierText, Pattern: `(?i)(copilot coding agent|copilot workspace|created from copilot|copilot (suggestion|autofix)s?\b)`, Example: "Apply Copilot suggestion"},
		{Agent: agent, Place: PlaceBranch, Tier: TierContext, Pattern: `(?i)^copilot/`, Example: "copilot/fix-12"},
	}
}

func cursor() []Signal {
	const agent = "cursor"
	return []Signal{
		{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Email: "cursoragent@cursor.com", Example: "Cursor <cursoragent@cursor.com>"},
		{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Email: "agent@cursor.com", Example: "Cursor Agent <agent@cursor.com>"},
		{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Login: "cursor[bot]", Example: "cursor[bot] <206951365+cursor[bot]@users.noreply.github.com>"},
		{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Login: "cursoragent", Example: "Cursor Agent <199161495+cursoragent@users.noreply.github.com>"},
		{Agent: agent, Place: PlaceTrailer, Tier: TierTrailer, Key: "Made-with", Pattern: `(?i)\bcursor\b`, Example: "Made-with: Cursor"},
		{Agent: agent, Place: PlaceText, Tier: TierText, Pattern: `(?i)\bcursor\.com/(agents|background-agent)\b`, Example: "https://cursor.com/agents?id=bc-1"},
		{Agent: agent, Place: PlaceText, Tier: TierText, Pattern: `(?i)\b(by|with|using|via) (the )?\[?cursor (agent|ai|composer|bugbot|background agent)\b`, Example: "Implemented with Cursor Agent"},
		{Agent: agent, Place: PlaceBranch, Tier: TierContext, Pattern: `(?i)^cursor/`, Example: "cursor/add-cache-1a2b"},
	}
}

func codex() []Signal {
	const agent = "codex"
	return []Signal{
		{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Email: "noreply@openai.com", Example: "Codex <noreply@openai.com>"},
		{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Email: "codex@openai.com", Example: "Codex <codex@openai.com>"},
		{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Login: "chatgpt-codex-connector[bot]", Example: "chatgpt-codex-connector[bot] <199175422+chatgpt-codex-connector[bot]@users.noreply.github.com>"},
		{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Pattern: `(?i)^(openai )?codex( cli)?$|^chatgpt( codex)?$|^gpt-\d.*$`, Example: "ChatGPT <chatgpt@example.com>"},
		{Agent: agent, Place: PlaceText, Tier: TierText, Pattern: `(?i)\bchatgpt\.com/(codex|s|share|c)/\S+`, Example: "https://chatgpt.com/codex/tasks/task_e_1"},
		{Agent: agent, Place: PlaceBranch, Tier: TierContext, Pattern: `(?i)^codex/`, Example: "codex/add-tests"},
	}
}

func devin() []Signal {
	const agent = "devin"
	return []Signal{
		{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Login: "devin-ai-integration[bot]", Example: "Devin AI <158243242+devin-ai-integration[bot]@users.noreply.github.com>"},
		{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Pattern: `(?i)^devin[ -]ai\b`, Example: "Devin AI <devin@example.com>"},
		{Agent: agent, Place: PlaceText, Tier: TierText, Pattern: `(?i)\bapp\.devin\.ai/sessions?/\S+`, Example: "Link to Devin run: https://app.devin.ai/sessions/1a2b"},
		{Agent: agent, Place: PlaceBranch, Tier: TierContext, Pattern: `(?i)^devin/`, Example: "devin/1700000000-fix"},
	}
}

func aider() []Signal {
	const agent = "aider"
	return []Signal{
		{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Pattern: `(?i) \(aider\)$`, Example: "Ada Example (aider) <ada@example.com>"},
		{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Email: "aider@aider.chat", Example: "aider (gpt-5) <aider@aider.chat>"},
		{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Pattern: `(?i)^aider( \(.*\))?$`, Example: "aider (openrouter/x) <noreply@aider.chat>"},
		{Agent: agent, Place: PlaceText, Tier: TierText, Pattern: `(?i)\Aaider: `, Example: "aider: add a cache"},
		{Agent: agent, Place: PlaceBranch, Tier: TierContext, Pattern: `(?i)^aider/`, Example: "aider/cache"},
	}
}

func google() []Signal {
	return []Signal{
		{Agent: "jules", Place: PlacePerson, Tier: TierIdentity, Login: "google-labs-jules[bot]", Example: "google-labs-jules[bot] <161369871+google-labs-jules[bot]@users.noreply.github.com>"},
		{Agent: "jules", Place: PlaceText, Tier: TierText, Pattern: `(?i)\bjules\.google(\.com)?/(task|session)s?/\S+`, Example: "PR created automatically by Jules: https://jules.google.com/task/1"},
		{Agent: "jules", Place: PlaceBranch, Tier: TierContext, Pattern: `(?i)^jules[/-]`, Example: "jules/fix-1"},
		{Agent: "gemini", Place: PlacePerson, Tier: TierIdentity, Login: "gemini-cli", Example: "gemini-cli <218195315+gemini-cli@users.noreply.github.com>"},
		{Agent: "gemini", Place: PlacePerson, Tier: TierIdentity, Login: "gemini-code-assist[bot]", Example: "gemini-code-assist[bot] <176961590+gemini-code-assist[bot]@users.noreply.github.com>"},
		{Agent: "gemini", Place: PlacePerson, Tier: TierIdentity, Pattern: `(?i)^gemini([ -](cli|code assist|\d.*|pro\b.*|flash\b.*))$`, Example: "Gemini CLI <gemini@example.com>"},
	}
}

func others() []Signal {
	mail := func(agent, email, name string) Signal {
		return Signal{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Email: email, Example: name + " <" + email + ">"}
	}
	bot := func(agent, login string) Signal {
		return Signal{Agent: agent, Place: PlacePerson, Tier: TierIdentity, Login: login, Example: login + " <1+" + login + githubNoreply + ">"}
	}
	branch := func(agent, prefix string) Signal {
		return Signal{Agent: agent, Place: PlaceBranch, Tier: TierContext, Pattern: `(?i)^` + prefix + `[/-]`, Example: prefix + "/fix"}
	}
	return []Signal{
		mail("amp", "amp@ampcode.com", "Amp"),
		{Agent: "amp", Place: PlaceTrailer, Tier: TierTrailer, Key: "Amp-Thread-ID", Example: "Amp-Thread-ID: https://ampcode.com/threads/T-1"},
		mail("openhands", "openhands@all-hands.dev", "openhands"), bot("openhands", "openhands-agent"), branch("openhands", "openhands"),
		mail("opencode", "noreply@opencode.ai", "opencode"), bot("opencode", "opencode-agent[bot]"), branch("opencode", "opencode"),
		{Agent: "replit", Place: PlaceTrailer, Tier: TierTrailer, Key: "Replit-Commit-Author", Pattern: `(?i)^agent\b`, Example: "Replit-Commit-Author: Agent"},
		mail("windsurf", "noreply@windsurf.com", "Windsurf"),
		mail("roo", "roomote@roocode.com", "Roo Code"), bot("roo", "roomote[bot]"),
		bot("cline", "cline[bot]"),
		bot("amazon-q", "amazon-q-developer[bot]"),
		bot("factory", "factory-droid[bot]"), branch("factory", "droid"),
		mail("junie", "junie@jetbrains.com", "Junie"), bot("junie", "jetbrains-junie[bot]"), branch("junie", "junie"),
		bot("lovable", "lovable-dev[bot]"), bot("lovable", "gpt-engineer-app[bot]"),
		bot("v0", "v0[bot]"), {Agent: "v0", Place: PlaceBranch, Tier: TierContext, Pattern: `(?i)^v0/`, Example: "v0/page"},
		bot("sweep", "sweep-ai[bot]"), branch("sweep", "sweep"),
		mail("kiro", "agent@kiro.dev", "Kiro Agent"),
		mail("crush", "crush@charm.land", "Crush"),
		{Agent: "crush", Place: PlaceTrailer, Tier: TierTrailer, Key: "Assisted-by", Pattern: `(?i)^crush\b`, Example: "Assisted-by: Crush <crush@charm.land>"},
		{Agent: "crush", Place: PlaceText, Tier: TierText, Pattern: `(?i)generated (with|by) \[?crush\b`, Example: "💘 Generated with Crush"},
		mail("zed", "agent@zed.dev", "Zed Agent"),
		mail("goose", "goose@block.xyz", "goose"),
		mail("qwen", "qwen-coder@alibabacloud.com", "Qwen-Coder"),
		mail("warp", "agent@warp.dev", "Warp"),
		mail("kilo", "kilo@kilocode.ai", "Kilo Code"),
	}
}

// ai is a name that stands for a model or a tool of that kind, in prose. Words
// that mean other things as well, such as cursor, are not in it by themselves.
const ai = `(claude( code)?|anthropic|(github |microsoft )?copilot|chat ?gpt(-?[\w.]+)?|gpt-?[345][\w.-]*|openai( codex)?|codex( cli)?|gemini( cli)?|` +
	`devin( ai)?|aider|windsurf|codeium|opencode|openhands|deepseek[\w.-]*|qwen[\w.-]*|llama[\w.-]*|mistral[\w.-]*|grok|kimi|cline|roo code|` +
	`cursor (ai|agent|composer)|amazon q|codewhisperer|tabnine|jules|junie|kiro|lovable|replit agent|` +
	`an? (ai|llm|language model|coding agent|ai (assistant|agent|tool|model))|ai|llms?|artificial intelligence|ai (assistant|agent|tool)s?)`

// made is a participle for how code comes into being.
const made = `((auto-?)?generated|written|created|authored|produced|implemented|drafted|coded|refactored|developed|scaffolded|vibe[ -]?coded|assisted|suggested)`

// tool is a plain name of a tool that writes code, in the subject of a commit: at its
// beginning or its end, where people put who did it. Elsewhere in a subject it may be what
// the commit is about.
const tool = `(claude( code)?|anthropic claude|(github )?copilot|chat ?gpt(-?[\w.]+)?|openai codex|codex( cli)?|gemini (cli|code assist)|devin( ai)?|aider|` +
	`windsurf|codeium|opencode|openhands|amazon q|codewhisperer|cursor (ai|agent|composer)|cline|roo code|jules|junie)`

// work is what such a tool is said to have done.
const work = `(fix(es|ed)?|changes?|chang(es|ed)|edits?|edited|suggest(s|ed|ions?)|patch(es|ed)?|cleanups?|clean-?up|refactor(s|ed|ing)?|rewrites?|rewrote|updates?|` +
	`updated|adds?|added|attempts?|solutions?|implementation|version|draft|code|commits?|pass|output|answer|help(ed|s)?)`

func anyAgent() []Signal {
	return []Signal{
		{Place: PlaceTrailer, Tier: TierTrailer, Key: "Assisted-by", Pattern: `(?i)^[\w .-]+:[\w./@:-]+(\s|$)|\b` + ai + `\b|\bcursor\b`, Example: "Assisted-by: Claude:claude-opus-4 sparse"},
		{Place: PlaceTrailer, Tier: TierTrailer, Key: "Generated-by", Pattern: `(?i)\b` + ai + `\b|\bcursor\b`, Example: "Generated-by: ChatGPT 5"},
		{Place: PlaceTrailer, Tier: TierTrailer, Key: "Generated-with", Pattern: `(?i)\b` + ai + `\b|\bcursor\b`, Example: "Generated-with: Claude Code"},
		{Place: PlaceTrailer, Tier: TierTrailer, Key: "AI-generated", Example: "AI-generated: yes"},
		{Place: PlaceTrailer, Tier: TierTrailer, Key: "AI-assisted", Example: "AI-assisted: true"},
		{Place: PlaceTrailer, Tier: TierTrailer, Key: "AI-assisted-by", Example: "AI-assisted-by: Example Model 3"},
		{Place: PlaceTrailer, Tier: TierTrailer, Key: "AI-generated-by", Example: "AI-generated-by: Example Model 3"},
		{Place: PlaceTrailer, Tier: TierTrailer, Key: "AI-Agent", Example: "AI-Agent: example"},
		{Place: PlaceTrailer, Tier: TierTrailer, Key: "AI-Model", Example: "AI-Model: example-3"},
		{Place: PlaceText, Tier: TierText, Pattern: `(?im)^\W*` + made + ` (\w+ )?(by|with|using|via) (the )?(help of )?\W?\b` + ai + `\b`, Example: "Generated with ChatGPT"},
		{Place: PlaceText, Tier: TierText, Pattern: `(?i)\b(code|commits?|patch|change|changes|pr|pull request|tests?|implementation|functions?|files?|script|draft|it|this)( (was|were|is|are|has been|have been))?( \w+ly)? ` +
			made + ` (by|with|using|via) (the )?(help of )?\W?\b` + ai + `\b`, Example: "The tests were mostly written by Copilot"},
		{Place: PlaceText, Tier: TierText, Pattern: `(?i)\b(with )?(the )?(help|assistance|aid) (of|from) (the )?` + ai + `\b`, Example: "Fixed with help from ChatGPT"},
		{Place: PlaceText, Tier: TierText, Pattern: `(?i)\b(asked|prompted|told|thanks to|courtesy of|pair(ed|-program\w+)? with|vibe[ -]?cod(ed|ing) (with|using)) (the )?` + ai + `\b`, Example: "Asked ChatGPT to clean this up"},
		{Place: PlaceText, Tier: TierText, Pattern: `(?i)\b(chat ?gpt|copilot|claude code|codex cli|gemini cli)('?s)? (wrote|generated|suggested|did|made|came up with|implemented)\b`, Example: "Copilot wrote most of it"},
		{Place: PlaceText, Tier: TierText, Pattern: `(?im)(^\W*(ai|llm)[ -](generated|assisted|written)([\s\])},.;!]|$)|\[(ai|llm|ai[ -]generated|ai[ -]assisted|copilot|claude|chatgpt|codex|cursor)\])`, Example: "[AI-generated] add a parser"},
		{Place: PlaceText, Tier: TierText, Pattern: `(?i)\A\W*` + tool + `(\([^()\n]{1,40}\))?!?:\s`, Example: "Claude: rename the cache"},
		{Place: PlaceText, Tier: TierText, Pattern: `(?i)\A\W*` + tool + `('?s)? ` + work + `\b`, Example: "Copilot fixes for the flaky test"},
		{Place: PlaceText, Tier: TierText, Pattern: `(?i)\A[^\n]*(\b(via|per|by) |[(\[|–—-] ?(via |with |by |using )?)` + tool + `\W{0,4}(\(#\d+\)\s*)?(\n|\z)`, Example: "Rename the cache (ChatGPT)"},
		{Place: PlaceText, Tier: TierText, Pattern: `(?i)\b(is|was|are|were|been|partly|partially|fully|mostly|entirely) (ai|llm)[ -](generated|assisted|written)\b`, Example: "Most of this is AI-generated"},
		{Place: PlaceText, Tier: TierText, Pattern: `(?im)^\W*vibe[ -]?cod(ed|ing)\b`, Example: "vibe coded the settings page"},
		{Place: PlaceBranch, Tier: TierContext, Pattern: `(?i)^(ai|llm|agent|ai-agent)/`, Example: "ai/new-parser"},
		{Place: PlaceLabel, Tier: TierContext, Pattern: `(?i)^(ai|llm)([-_:/ ]?(generated|assisted|authored|written|created|code|agent|pr))?$`, Example: "ai-generated"},
		{Place: PlaceLabel, Tier: TierContext, Pattern: `(?i)^(generated|written|created|authored|made)[-_ :]?(by|with)[-_ :]?` + ai + `$`, Example: "generated-by-ai"},
		{Place: PlaceLabel, Tier: TierContext, Pattern: `(?i)^((ai|agent|bot|author|tool)[:/ -]+)?(claude|claude[ -]code|copilot|codex|devin|cursor|jules|openhands|sweep|aider|gemini|opencode|junie)$`, Example: "agent:codex"},
		{Place: PlaceFile, Tier: TierText, Pattern: `(?im)^[\s#/*%;<!"'-]*(this (file|code|function|module|script) (was|is) )?` + made + ` (\w+ )?(by|with|using) (the )?\W?\b` + ai + `\b.*$`, Example: "# Generated by ChatGPT"},
		{Place: PlaceFile, Tier: TierText, Pattern: `(?im)^[\s#/*%;<!"'-]*@?(ai|llm)[ -](generated|assisted|written)\b.*$`, Example: "// AI-generated, reviewed by hand"},
		{Place: PlaceRecord, Tier: TierRecord, Example: "git notes in refs/notes/ai, schema authorship/3.x (git-ai)"},
		{Place: PlaceRecord, Tier: TierRecord, Example: "Agent Trace records in .agent-trace/ or refs/notes/agent-trace"},
	}
}

// agentNames are the words by which a text without an agent of its own names
// one.
var agentNames = sync.OnceValue(func() []struct{ word, agent string } {
	return []struct{ word, agent string }{
		{"claude", "claude-code"}, {"anthropic", "claude-code"}, {"copilot", "copilot"}, {"cursor", "cursor"}, {"codex", "codex"},
		{"chatgpt", "chatgpt"}, {"chat gpt", "chatgpt"}, {"gpt", "chatgpt"}, {"openai", "chatgpt"}, {"devin", "devin"}, {"aider", "aider"},
		{"jules", "jules"}, {"gemini", "gemini"}, {"windsurf", "windsurf"}, {"codeium", "windsurf"}, {"openhands", "openhands"},
		{"opencode", "opencode"}, {"replit", "replit"}, {"roo", "roo"}, {"cline", "cline"}, {"amazon q", "amazon-q"}, {"codewhisperer", "amazon-q"},
		{"junie", "junie"}, {"lovable", "lovable"}, {"kiro", "kiro"}, {"tabnine", "tabnine"}, {"deepseek", "deepseek"}, {"qwen", "qwen"},
		{"llama", "llama"}, {"mistral", "mistral"}, {"grok", "grok"}, {"kimi", "kimi"}, {"sweep", "sweep"},
	}
})

// notAI are accounts and addresses of automation that writes no code by a model:
// dependency updates, formatting, releases, and bots that only review. A change
// of theirs is not unknown.
func notAI() []string {
	return []string{
		"dependabot[bot]", "dependabot-preview[bot]", "dependabot", "renovate[bot]", "renovate-bot", "mend-for-github-com[bot]",
		"greenkeeper[bot]", "snyk-bot", "pyup-bot", "depfu[bot]", "scala-steward", "scala-steward[bot]", "pre-commit-ci[bot]", "allcontributors[bot]",
		"semantic-release-bot", "release-please[bot]", "mergify[bot]", "kodiakhq[bot]", "bors[bot]", "imgbot[bot]", "weblate",
		"web-flow", "github-merge-queue[bot]", "changeset-bot[bot]", "codecov[bot]", "sonarcloud[bot]", "coderabbitai[bot]",
		"copilot-pull-request-reviewer[bot]", "sourcery-ai[bot]", "greptile-apps[bot]", "qodo-merge-pro[bot]", "ellipsis-dev[bot]",
	}
}

// notAIEmails are addresses of the same kind that are not GitHub's.
func notAIEmails() []string {
	return []string{
		"support@dependabot.com", "bot@renovateapp.com", "renovate@whitesourcesoftware.com", "noreply@github.com",
		"snyk-bot@snyk.io", "semantic-release-bot@martynus.net", "greenkeeper[bot]@users.noreply.github.com",
	}
}
