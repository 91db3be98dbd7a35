package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// agent is a coding agent: how it is started, and what its tools are called.
type agent struct {
	name     string // as `gate hook settings` has it
	program  string // below node_modules; "node FILE" for a script
	settings string // below the home folder
	// args start it with one task, and allow every tool.
	args []string
	// env says where the model is.
	env func(server string) []string
	// also writes more settings.
	also func(home, project, server string) error
	// command and create ask for a command and for a new file.
	command func(line string) call
	create  func(path, text string) call
	// hung is what happens when a hook hangs.
	hung string
	// silent says that the model isn't told what a hook with exit code 2 wrote.
	silent bool
}

func jsonCall(tool string, arguments object) call {
	text, _ := json.Marshal(arguments) // texts alone can always be written
	return call{tool: tool, arguments: string(text)}
}

func agents() []agent {
	return []agent{claude(), codex(), gemini(), copilot()}
}

func claude() agent {
	return agent{
		name: "claude", program: "@anthropic-ai/claude-code-linux-x64/claude", settings: ".claude/settings.json",
		args: []string{"-p", "do it", "--model", "test", "--allowedTools", "Bash,Write"},
		env: func(server string) []string {
			return []string{"ANTHROPIC_BASE_URL=" + server, "ANTHROPIC_API_KEY=none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1"}
		},
		command: func(line string) call {
			return jsonCall("Bash", object{"command": line, "description": "a task"})
		},
		create: func(path, text string) call {
			return jsonCall("Write", object{"file_path": path, "content": text})
		},
		hung: refused,
	}
}

func codex() agent {
	return agent{
		name: "codex", program: "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex", settings: ".codex/hooks.json",
		// Trust in a hook is given in the agent's own window; here there is none.
		args: []string{"exec", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", "do it"},
		env:  func(string) []string { return []string{"GATE_AGENTS_KEY=none"} },
		also: func(home, project, server string) error {
			return os.WriteFile(filepath.Join(home, ".codex", "config.toml"), fmt.Appendf(nil, `model = "gpt-5.5"
model_provider = "test"
[model_providers.test]
name = "test"
base_url = "%s/v1"
wire_api = "responses"
env_key = "GATE_AGENTS_KEY"
[projects."%s"]
trust_level = "trusted"
`, server, project), 0o600)
		},
		command: func(line string) call { return jsonCall("exec_command", object{"cmd": line}) },
		create: func(path, text string) call {
			lines := strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n+")
			return call{tool: "apply_patch", free: true, arguments: "*** Begin Patch\n*** Add File: " + path + "\n+" + lines + "\n*** End Patch"}
		},
		hung: runs,
	}
}

func gemini() agent {
	return agent{
		name: "gemini", program: "node @google/gemini-cli/bundle/gemini.js", settings: ".gemini/settings.json",
		args: []string{"-y", "-p", "do it", "-m", "gemini-2.5-flash"},
		env: func(server string) []string {
			return []string{"GOOGLE_GEMINI_BASE_URL=" + server, "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true"}
		},
		also: func(home, _, _ string) error {
			file := filepath.Join(home, ".gemini", "settings.json")
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			var all object
			if err := json.Unmarshal(text, &all); err != nil {
				return err
			}
			all["security"] = object{"auth": object{"selectedType": "gemini-api-key"}}
			if text, err = json.Marshal(all); err != nil {
				return err
			}
			return os.WriteFile(file, text, 0o600)
		},
		command: func(line string) call {
			return jsonCall("run_shell_command", object{"command": line, "description": "a task"})
		},
		create: func(path, text string) call {
			return jsonCall("write_file", object{"file_path": path, "content": text})
		},
		hung: waits,
	}
}

func copilot() agent {
	return agent{
		name: "copilot", program: "@github/copilot-linux-x64/copilot", settings: ".copilot/hooks/gate.json",
		args: []string{"-p", "do it", "--allow-all-tools"},
		env: func(server string) []string {
			return []string{"COPILOT_PROVIDER_BASE_URL=" + server + "/v1", "COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=m", "COPILOT_OFFLINE=true"}
		},
		command: func(line string) call {
			return jsonCall("bash", object{"command": line, "description": "a task"})
		},
		create: func(path, text string) call {
			return jsonCall("create", object{"path": path, "file_text": text})
		},
		hung:   runs,
		silent: true,
	}
}
