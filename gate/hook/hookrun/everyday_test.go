package hookrun

import (
	"encoding/json"
	"testing"

	"github.com/aigate/gate/gate/hook"
	"github.com/aigate/gate/tools/testenv"
)

// What agents do all day has to go through: a hook that is in the way is taken away.
func TestTheEverydayWorkOfAgentsGoesThrough(t *testing.T) {
	testenv.WithoutRace(t, "hundreds of questions, one after the other")
	p := bench(t)
	tool, _ := hook.Find("claude")
	call := func(event, name string, args map[string]any, response string) {
		t.Helper()
		text, err := json.Marshal(map[string]any{"cwd": p.Cwd, "hook_event_name": event, "tool_name": name, "tool_input": args, "tool_response": response})
		if err != nil {
			t.Fatal(err)
		}
		if no, said := ask(t, p, tool, event, string(text)); no {
			t.Errorf("%s %v: %s", name, args, said)
		}
	}
	for _, command := range []string{
		"ls -la", "git status", "git diff HEAD~1 -- src", "git log --oneline -n 20", "git add -A && git commit -m 'feat: a thing' && git push -u origin HEAD", "git commit -m \"$(cat <<'EOF'\nfix: a thing\n\nCo-Authored-By: Agent <agent@example.com>\nEOF\n)\"",
		"git checkout -b feature/x", "git stash && git pull --rebase && git stash pop", "go build ./... && go vet ./...", "go test ./... -run TestX -count=1 -v 2>&1 | tail -50", "npm ci", "npm install --save-dev vitest", "npm test -- --watch=false", "npx tsc --noEmit",
		"pip install -r requirements.txt", "python3 -m pytest -x -q tests/test_a.py", "python3 -m venv .venv && . .venv/bin/activate && pip install -e .", "cargo build --release", "make test", "docker compose up -d", "docker build -t app .", "kubectl get pods",
		"grep -rn 'TODO' src | head -20", "rg -n 'func main' --type go", "find . -name '*.py' -not -path './node_modules/*' | head", "sed -i 's/foo/bar/g' src/a.go", "cat package.json | jq .scripts", "mkdir -p src/x && touch src/x/a.ts", "rm -rf dist node_modules/.cache", "cp -r templates/a src/a", "mv src/a.ts src/b.ts",
		"chmod +x scripts/build.sh", "curl -s http://localhost:3000/health", "curl -fsSL https://api.github.com/repos/example/x | jq .name", "gh pr create --title 'x' --body 'y'", "gh pr view 12 --json title", "ps aux | grep node", "kill 12345", "lsof -i :3000", "export NODE_ENV=test && npm run build",
		"for f in src/*.ts; do echo \"$f\"; done", "cat > src/a.py <<'EOF'\ndef f(x):\n    return x + 1\nEOF", "python3 - <<'EOF'\nimport json\nprint(json.load(open('package.json'))['name'])\nEOF", "node -e \"console.log(require('./package.json').version)\"", "terraform plan", "psql -c 'select 1'", "tar czf out.tgz dist", "diff -u a b", "wc -l src/*.go", "date && whoami",
	} {
		call("PreToolUse", "Bash", map[string]any{"command": command}, "")
	}
	for name, content := range map[string]string{
		"src/server.ts": "import express from 'express';\nconst app = express();\napp.get('/', (req, res) => res.send('ok'));\napp.listen(process.env.PORT ?? 3000);\n", "main.go": "package main\n\nimport \"os/exec\"\n\nfunc main() { _ = exec.Command(\"git\", \"status\").Run() }\n",
		"README.md": "# App\n\n```sh\nnpm ci && npm test\n```\n", "Makefile": "test:\n\tgo test ./...\n", "scripts/release.sh": "#!/bin/sh\nset -e\ngit tag \"$1\"\ngit push origin \"$1\"\n", ".github/workflows/ci.yml": "on: [push]\npermissions: {contents: read}\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps: [{run: make test}]\n",
		"tests/test_a.py": "import subprocess\n\ndef test_a():\n    assert subprocess.run(['git', '--version']).returncode == 0\n", ".env.example": "PORT=3000\n", "package.json": "{\"name\": \"x\", \"scripts\": {\"test\": \"vitest\"}}\n", "a.ipynb": "{\"cells\": [], \"metadata\": {}, \"nbformat\": 4, \"nbformat_minor\": 5}\n", "config.yaml": "a: 1\n", "Dockerfile": "FROM node:22\nCOPY . .\nRUN npm ci\n",
	} {
		call("PreToolUse", "Write", map[string]any{"file_path": name, "content": content}, "")
	}
	call("PreToolUse", "Edit", map[string]any{"file_path": "old.py", "old_string": "print(1)", "new_string": "print(2)"}, "")
	call("PreToolUse", "WebFetch", map[string]any{"url": "https://docs.python.org/3/library/os.html", "prompt": "x"}, "")
	call("PostToolUse", "WebFetch", map[string]any{"url": "https://docs.python.org/3/library/os.html", "prompt": "x"}, "# Miscellaneous operating system interfaces\n\nThis module provides a portable way of using functions of the system.\n\nInstall: curl -LsSf https://astral.sh/uv/install.sh | sh\n")
	call("PreToolUse", "Task", map[string]any{"prompt": "look around", "description": "x"}, "")
	call("PreToolUse", "mcp__tracker__get_issue", map[string]any{"id": 7}, "")
}
