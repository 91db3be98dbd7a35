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
			Missing: "refused, with the setting", Killed: "refused, with the setting", Hung: "refused after 10 s, with the setting",
			Closed: `"onFailure": "block", from 2.1.295 on. Without it, and seen with 2.1.197, the tool runs in all three cases`,
			File:   "~/.claude/settings.json, or managed settings", Source: "seen: 2.1.332",
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
			Missing: "refused, with the setting", Killed: "refused, with the setting", Hung: "the tool runs after 10 s",
			Closed: "`\\|\\| (…)` behind the command. Without it the tool runs in all three cases",
			File:   "~/.codex/hooks.json; a new or changed hook runs only after it is trusted with /hooks", Source: "seen: 0.171.0; a hook that is not trusted was seen not to run",
		},
		settings: `{
  "hooks": {
    "PreToolUse": [
      {"hooks": [{"type": "command", "command": "GATE hook codex PreToolUse || ELSE", "timeout": LIMIT}]}
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
			Missing: "refused, with the setting", Killed: "refused, with the setting", Hung: "refused after 10 s, with the setting",
			Closed: `"failClosed": true, which refuses output that is no JSON as well. Without it the tool runs in all three cases`,
			File:   "~/.cursor/hooks.json, or hooks of the team", Source: "not seen: cursor.com/docs/agent/hooks, as quoted by pages and threads of 2026",
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
			Missing: "refused", Killed: "refused, with the setting", Hung: "the agent waits until the hook ends",
			Closed: "`\\|\\| (…)` behind the command. Without it the tool runs if the hook is killed, and after 10 s if it hangs",
			File:   "~/.gemini/settings.json, or the system's settings", Source: "seen: 0.61.0",
		},
		settings: `{
  "hooks": {
    "BeforeTool": [
      {"matcher": ".*", "hooks": [{"name": "gate", "type": "command", "command": "GATE hook gemini BeforeTool || ELSE", "timeout": LIMITMS}]}
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
			Missing: "refused", Killed: "refused", Hung: "the tool runs after 10 s",
			File: "~/.copilot/hooks/gate.json, or .github/hooks/gate.json on the default branch for the cloud agent", Source: "seen: Copilot CLI 1.0.102",
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
