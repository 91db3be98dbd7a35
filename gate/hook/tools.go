package hook

// claudeShape is how Claude Code, Codex and the hooks of VS Code are told "no".
func claudeShape(event EventType, reason string) any {
	if event.Phase == Before {
		return map[string]any{"hookSpecificOutput": map[string]any{
			"hookEventName": event.Name, "permissionDecision": "deny", "permissionDecisionReason": reason,
		}}
	}
	return map[string]any{"decision": "block", "reason": reason}
}

// others are events at which there is nothing to decide.
func others(names ...string) []EventType {
	var out []EventType
	for _, n := range names {
		out = append(out, EventType{Name: n, Phase: Other})
	}
	return out
}

func claude() Tool {
	return Tool{
		Name: "claude", Title: "Claude Code", refuse: claudeShape,
		Events: append([]EventType{{Name: "PreToolUse", Phase: Before}, {Name: "PostToolUse", Phase: After}},
			others("UserPromptSubmit", "SessionStart", "SessionEnd", "Stop", "SubagentStart", "SubagentStop", "Notification", "PreCompact", "PostCompact", "PostToolUseFailure", "PermissionDenied", "ConfigChange", "Setup")...),
		Contract: Contract{
			Missing: "the tool runs (exit code 127 is an error that doesn't block)", Killed: "the tool runs; only exit code 2 blocks", Hung: "the tool runs after the time limit (600 s where none is set)",
			Closed: `"onFailure": "block", from 2.1.295 on: then all three refuse`,
			File:   "~/.claude/settings.json, or managed settings", Source: "code.claude.com/docs/en/hooks, as quoted by pages of October 2026",
		},
		settings: `{
  "hooks": {
    "PreToolUse": [
      {"hooks": [{"type": "command", "command": "GATE hook claude PreToolUse", "timeout": LIMIT, "onFailure": "block"}]}
    ],
    "PostToolUse": [
      {"matcher": "Edit|Write|MultiEdit|NotebookEdit|WebFetch|mcp__.*", "hooks": [{"type": "command", "command": "GATE hook claude PostToolUse", "timeout": LIMIT}]}
    ]
  }
}
`,
	}
}

func codex() Tool {
	return Tool{
		Name: "codex", Title: "Codex", refuse: claudeShape,
		Events: append([]EventType{{Name: "PreToolUse", Phase: Before}, {Name: "PostToolUse", Phase: After}},
			others("UserPromptSubmit", "SessionStart", "Stop", "StopFailure", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact")...),
		Contract: Contract{
			Missing: "the tool runs", Killed: "the tool runs; exit code 2 blocks if there is a reason on standard error", Hung: "the tool runs after the time limit",
			File: "~/.codex/hooks.json; a new or changed hook runs only after it is trusted with /hooks", Source: "openai/codex codex-rs/hooks (source) and developers.openai.com/codex/hooks",
		},
		settings: `{
  "hooks": {
    "PreToolUse": [
      {"hooks": [{"type": "command", "command": "GATE hook codex PreToolUse", "timeout": LIMIT}]}
    ],
    "PostToolUse": [
      {"matcher": "apply_patch|mcp__.*", "hooks": [{"type": "command", "command": "GATE hook codex PostToolUse", "timeout": LIMIT}]}
    ]
  }
}
`,
	}
}

func cursor() Tool {
	return Tool{
		Name: "cursor", Title: "Cursor", pass: "{}\n",
		Events: append([]EventType{
			{Name: "preToolUse", Phase: Before}, {Name: "beforeShellExecution", Phase: Before}, {Name: "beforeMCPExecution", Phase: Before},
			{Name: "beforeReadFile", Phase: Before}, {Name: "beforeTabFileRead", Phase: Before},
			{Name: "postToolUse", Phase: After}, {Name: "afterFileEdit", Phase: After}, {Name: "afterTabFileEdit", Phase: After},
		}, others("sessionStart", "sessionEnd", "beforeSubmitPrompt", "afterShellExecution", "afterMCPExecution", "afterAgentResponse", "afterAgentThought", "postToolUseFailure", "subagentStart", "subagentStop", "preCompact", "stop")...),
		refuse: func(event EventType, reason string) any {
			switch {
			case event.Phase == Before:
				return map[string]any{"permission": "deny", "user_message": "gate refused this. See what it told the agent.", "agent_message": reason}
			case event.Name == "postToolUse":
				return map[string]any{"additional_context": reason}
			}
			return nil
		},
		Contract: Contract{
			Missing: "the tool runs", Killed: "the tool runs; only exit code 2 and a refusal block", Hung: "the tool runs after the time limit",
			Closed: `"failClosed": true: then all three, and output that is no JSON, refuse`,
			File:   "~/.cursor/hooks.json, or hooks of the team", Source: "cursor.com/docs/agent/hooks, as quoted by pages and threads of 2026",
		},
		settings: `{
  "version": 1,
  "hooks": {
    "preToolUse": [{"command": "GATE hook cursor preToolUse", "timeout": LIMIT, "failClosed": true}],
    "beforeShellExecution": [{"command": "GATE hook cursor beforeShellExecution", "timeout": LIMIT, "failClosed": true}],
    "beforeMCPExecution": [{"command": "GATE hook cursor beforeMCPExecution", "timeout": LIMIT, "failClosed": true}],
    "beforeReadFile": [{"command": "GATE hook cursor beforeReadFile", "timeout": LIMIT, "failClosed": true}],
    "afterFileEdit": [{"command": "GATE hook cursor afterFileEdit", "timeout": LIMIT}],
    "postToolUse": [{"command": "GATE hook cursor postToolUse", "timeout": LIMIT}]
  }
}
`,
	}
}

func gemini() Tool {
	return Tool{
		Name: "gemini", Title: "Gemini CLI", pass: "{}\n",
		Events: append([]EventType{{Name: "BeforeTool", Phase: Before}, {Name: "AfterTool", Phase: After}},
			others("BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection", "SessionStart", "SessionEnd", "Notification", "PreCompress")...),
		refuse: func(_ EventType, reason string) any { return map[string]any{"decision": "deny", "reason": reason} },
		Contract: Contract{
			Missing: "the tool runs, with a warning", Killed: "the tool runs, with a warning; only exit code 2 blocks", Hung: "not documented; a warning like every other failure, after 60 s where no limit is set",
			File: "~/.gemini/settings.json, or the system's settings", Source: "geminicli.com/docs/hooks/reference",
		},
		settings: `{
  "hooks": {
    "BeforeTool": [
      {"matcher": ".*", "hooks": [{"name": "gate", "type": "command", "command": "GATE hook gemini BeforeTool", "timeout": LIMITMS}]}
    ],
    "AfterTool": [
      {"matcher": "write_file|replace|web_fetch|mcp__.*", "hooks": [{"name": "gate", "type": "command", "command": "GATE hook gemini AfterTool", "timeout": LIMITMS}]}
    ]
  }
}
`,
	}
}

func copilot() Tool {
	return Tool{
		Name: "copilot", Title: "Copilot",
		Events: append([]EventType{
			{Name: "preToolUse", Phase: Before}, {Name: "postToolUse", Phase: After},
			{Name: "PreToolUse", Phase: Before}, {Name: "PostToolUse", Phase: After},
		}, others("userPromptSubmitted", "sessionStart", "sessionEnd", "errorOccurred", "agentStop", "subagentStop", "notification",
			"UserPromptSubmit", "SessionStart", "Stop", "SubagentStart", "SubagentStop", "PreCompact")...),
		refuse: func(event EventType, reason string) any {
			switch event.Name {
			case "PreToolUse", "PostToolUse": // of VS Code
				return claudeShape(event, reason)
			case "postToolUse":
				return nil
			}
			return map[string]any{"permissionDecision": "deny", "permissionDecisionReason": reason}
		},
		Contract: Contract{
			Missing: "refused, in versions whose reference says that exit codes other than 0 deny; older ones run the tool", Killed: "as a missing one", Hung: "the tool runs after the time limit (30 s where none is set), whatever the hook says later",
			File: "~/.copilot/hooks/gate.json, or .github/hooks/gate.json on the default branch for the cloud agent", Source: "docs.github.com/en/copilot/reference/hooks-configuration and the Copilot CLI hooks reference",
		},
		settings: `{
  "version": 1,
  "hooks": {
    "preToolUse": [{"type": "command", "bash": "GATE hook copilot preToolUse", "timeoutSec": LIMIT}],
    "postToolUse": [{"type": "command", "bash": "GATE hook copilot postToolUse", "timeoutSec": LIMIT}]
  }
}
`,
	}
}
