package main

// jsonCarriers are JSON documents with a command in a value.
func jsonCarriers() []carrier {
	add := func(name, path, runs, before string, where place, keys ...string) carrier {
		return carrier{name: name, path: path, runs: runs, family: command, place: where, syntax: jsonSyntax(), object: &object{path: keys, before: before}}
	}
	pkg := `"name": "tools", "version": "1.0.0"`
	commented := jsonSyntax().with(func(s *syntax) { s.comment, s.lead = "//", true })
	tasks := add("vscode-tasks", ".vscode/tasks.json", "VS Code, on opening the folder", `"version": "2.0.0"`, fixed, "tasks", "[]", "command")
	tasks.syntax = commented.with(func(s *syntax) { s.utf16 = true })
	devcontainer := add("devcontainer", ".devcontainer/devcontainer.json", "VS Code, on opening the folder", `"image": "debian"`, fixed, "postCreateCommand")
	devcontainer.syntax = commented
	initialize := add("devcontainer-host", ".devcontainer.json", "VS Code, on opening the folder", `"image": "debian"`, inFolder, "initializeCommand")
	initialize.syntax = commented
	deno := add("deno", "deno.json", "deno task", "", inFolder, "tasks", "build")
	deno.syntax = commented
	return []carrier{
		add("npm-postinstall", "package.json", "npm install", pkg, inFolder, "scripts", "postinstall"),
		add("npm-preinstall", "package.json", "npm install", pkg, inFolder, "scripts", "preinstall"),
		add("npm-prepare", "package.json", "npm install", pkg, inFolder, "scripts", "prepare"),
		add("npm-test", "package.json", "npm test", pkg, inFolder, "scripts", "test"),
		add("npm-lint-staged", "package.json", "a commit", pkg, inFolder, "lint-staged", "*.js"),
		add("npm-git-hooks", "package.json", "a commit", pkg, inFolder, "simple-git-hooks", "pre-commit"),
		add("composer", "composer.json", "composer install", `"name": "a/tools"`, inFolder, "scripts", "post-install-cmd"),
		tasks, devcontainer, initialize, deno,
		add("renovate", "renovate.json", "Renovate", "", inFolder, "postUpgradeTasks", "commands", "[]"),
		add("nx", "project.json", "nx build", `"name": "tools"`, inFolder, "targets", "build", "options", "command"),
		add("vercel", "vercel.json", "a deployment", "", inFolder, "buildCommand"),
		add("nodemon", "nodemon.json", "nodemon", "", inFolder, "exec"),
		add("lintstaged", ".lintstagedrc.json", "a commit", "", inFolder, "*.js"),
		add("sublime", "tools.sublime-build", "Sublime Text", "", anywhere, "shell_cmd"),
		add("claude-hooks", ".claude/settings.json", "an agent", "", fixed, "hooks", "SessionStart", "[]", "hooks", "[]", "command"),
		add("app-json", "app.json", "a deployment", "", inFolder, "scripts", "postdeploy"),
		add("ecs", "task-definition.json", "a deployment", "", anywhere, "containerDefinitions", "[]", "command", "[]"),
		add("hook-list", ".mcp.json", "an agent", "", inFolder, "mcpServers", "tool", "command"),
	}
}

// yamlCarriers are YAML documents with a command in a value.
func yamlCarriers() []carrier {
	add := func(name, path, runs string, where place, key, document string) carrier {
		return carrier{name: name, path: path, runs: runs, family: command, place: where, syntax: yamlSyntax(), key: key, yaml: document}
	}
	workflow := func(c carrier) carrier { c.spare = "run-name"; return c }
	return []carrier{
		workflow(add("workflow", ".github/workflows/ci.yml", "GitHub Actions", fixed, "run", "on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: @@\n")),
		workflow(add("workflow-yaml", ".github/workflows/ci.yaml", "GitHub Actions", fixed, "run", "on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - name: Build\n        run: @@\n")),
		workflow(add("workflow-env", ".github/workflows/ci.yml", "GitHub Actions", fixed, "X", "on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    env:\n      X: @@\n    steps:\n      - run: eval \"$X\"\n")),
		workflow(add("workflow-shell", ".github/workflows/ci.yml", "GitHub Actions", fixed, "run", "on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - shell: bash\n        run: @@\n")),
		add("action", "action.yml", "GitHub Actions", inFolder, "run", "name: tools\ndescription: tools\nruns:\n  using: composite\n  steps:\n    - shell: bash\n      run: @@\n"),
		add("gitlab", ".gitlab-ci.yml", "GitLab CI", inFolder, "script", "build:\n  script: @@\n"),
		add("gitlab-before", ".gitlab-ci.yml", "GitLab CI", inFolder, "before_script", "default:\n  before_script: @@\nbuild:\n  script: make\n"),
		add("circleci", ".circleci/config.yml", "CircleCI", fixed, "command", "version: 2.1\njobs:\n  a:\n    steps:\n      - run:\n          command: @@\n"),
		add("azure", "azure-pipelines.yml", "Azure Pipelines", inFolder, "script", "steps:\n  - script: @@\n"),
		add("travis", ".travis.yml", "Travis CI", inFolder, "script", "language: python\nscript: @@\n"),
		add("drone", ".drone.yml", "Drone", inFolder, "commands", "kind: pipeline\nsteps:\n  - name: a\n    commands: @@\n"),
		add("appveyor", "appveyor.yml", "AppVeyor", inFolder, "install", "install: @@\n"),
		add("cloudbuild", "cloudbuild.yaml", "Cloud Build", inFolder, "script", "steps:\n  - name: debian\n    script: @@\n"),
		add("buildspec", "buildspec.yml", "CodeBuild", inFolder, "commands", "version: 0.2\nphases:\n  build:\n    commands: @@\n"),
		add("pre-commit", ".pre-commit-config.yaml", "a commit", inFolder, "entry", "repos:\n  - repo: local\n    hooks:\n      - id: x\n        name: x\n        language: system\n        entry: @@\n"),
		add("lefthook", "lefthook.yml", "a commit", inFolder, "run", "pre-commit:\n  commands:\n    lint:\n      run: @@\n"),
		add("taskfile", "Taskfile.yml", "task", inFolder, "cmd", "version: \"3\"\ntasks:\n  build:\n    cmds:\n      - cmd: @@\n"),
		add("compose", "docker-compose.yml", "docker compose up", inFolder, "command", "services:\n  a:\n    image: debian\n    command: @@\n"),
		add("compose-test", "compose.yaml", "docker compose up", inFolder, "test", "services:\n  a:\n    image: debian\n    healthcheck:\n      test: @@\n"),
		add("helm", "templates/job.yaml", "helm install", fixed, "args", "apiVersion: batch/v1\nkind: Job\nspec:\n  template:\n    spec:\n      containers:\n        - name: a\n          command: [sh, -c]\n          args: @@\n"),
		add("k8s", "deploy/cron.yaml", "kubectl apply", anywhere, "args", "apiVersion: batch/v1\nkind: CronJob\nspec:\n  jobTemplate:\n    spec:\n      template:\n        spec:\n          containers:\n            - name: a\n              command: [sh, -c]\n              args: @@\n"),
		add("ansible", "site.yml", "ansible-playbook", anywhere, "ansible.builtin.shell", "- hosts: all\n  tasks:\n    - name: Build\n      ansible.builtin.shell: @@\n"),
		add("ansible-short", "tasks/main.yaml", "ansible-playbook", anywhere, "shell", "- name: Build\n  shell: @@\n"),
		add("cloud-init", "user-data.yaml", "the first start of a machine", anywhere, "runcmd", "#cloud-config\nruncmd: @@\n"),
		add("gitpod", ".gitpod.yml", "Gitpod, on opening", inFolder, "init", "tasks:\n  - init: @@\n"),
		add("conda-build", "meta.yaml", "conda build", inFolder, "script", "package:\n  name: tools\nbuild:\n  script: @@\n"),
		add("render", "render.yaml", "a deployment", inFolder, "buildCommand", "services:\n  - type: web\n    buildCommand: @@\n"),
		add("serverless", "serverless.yml", "a deployment", inFolder, "before:package", "service: a\ncustom:\n  scripts:\n    hooks:\n      before:package: @@\n"),
		add("yaml-any", "settings.yaml", "a program that reads it", anywhere, "command", "tools:\n  command: @@\n"),
	}
}

// configCarriers are other settings with a command in them.
func configCarriers() []carrier {
	ini := hashSyntax().with(func(s *syntax) { s.crlfOK = true })
	toml := hashSyntax().with(func(s *syntax) { s.crlfOK, s.lead, s.printable = true, true, true })
	add := func(name, path, runs string, where place, s syntax, template string) carrier {
		return carrier{name: name, path: path, runs: runs, family: command, place: where, syntax: s, wrap: quoted(template)}
	}
	return []carrier{
		add("systemd", "tool.service", "systemd", anywhere, ini, "[Unit]\nDescription=Tool\n\n[Service]\nExecStart=/bin/sh -c '@@'\n"),
		add("systemd-pre", "tool.service", "systemd", anywhere, ini, "[Service]\nExecStartPre=-/bin/sh -c \"@@\"\nExecStart=/bin/true\n"),
		add("desktop", "tool.desktop", "a desktop", anywhere, ini, "[Desktop Entry]\nType=Application\nName=Tool\nExec=sh -c \"@@\"\n"),
		add("crontab", "crontab", "cron", inFolder, ini.with(func(s *syntax) { s.crlfOK = false }), "*/5 * * * * @@\n"),
		add("cron-d", "etc/cron.d/tool", "cron", fixed, ini.with(func(s *syntax) { s.crlfOK = false }), "*/5 * * * * root @@\n"),
		add("supervisord", "supervisord.conf", "supervisord", anywhere, ini, "[program:tool]\ncommand=sh -c \"@@\"\n"),
		add("logrotate", "etc/logrotate.d/tool", "logrotate", fixed, ini, "/var/log/tool.log {\n  postrotate\n    @@\n  endscript\n}\n"),
		add("udev", "99-tool.rules", "udev", anywhere, ini, "ACTION==\"add\", RUN+=\"/bin/sh -c '@@'\"\n"),
		add("ssh-config", ".ssh/config", "ssh", fixed, ini, "Host *\n  ProxyCommand @@\n"),
		add("tmux", ".tmux.conf", "tmux", inFolder, ini, "run-shell \"@@\"\n"),
		add("tox", "tox.ini", "tox", inFolder, ini, "[testenv]\ncommands = sh -c '@@'\n"),
		add("poe", "pyproject.toml", "poe build", inFolder, toml, "[tool.poe.tasks]\nbuild.shell = \"@@\"\n"),
		add("hatch", "pyproject.toml", "hatch run build", inFolder, toml, "[tool.hatch.envs.default.scripts]\nbuild = \"@@\"\n"),
		add("pipfile", "Pipfile", "pipenv run build", inFolder, toml, "[scripts]\nbuild = \"@@\"\n"),
		add("mise", "mise.toml", "mise run build", inFolder, toml, "[tasks.build]\nrun = \"@@\"\n"),
		add("netlify", "netlify.toml", "a deployment", inFolder, toml, "[build]\ncommand = \"@@\"\n"),
		add("fly", "fly.toml", "a deployment", inFolder, toml, "[deploy]\nrelease_command = \"@@\"\n"),
		add("wrangler", "wrangler.toml", "a deployment", inFolder, toml, "[build]\ncommand = \"@@\"\n"),
		add("cargo-make", "Makefile.toml", "cargo make", inFolder, toml, "[tasks.build]\nscript = \"@@\"\n"),
		add("toml-lines", "mise.toml", "mise run build", inFolder, toml.with(func(s *syntax) { s.tail = false }), "[tasks.build]\nrun = '''\n@@\n'''\n"),
		add("gitmodules", ".gitmodules", "git submodule update", inFolder, ini, "[submodule \"x\"]\n\tpath = x\n\turl = https://example.com/x\n\tupdate = !@@\n"),
		add("gitconfig", ".gitconfig", "git", inFolder, ini, "[alias]\n\tst = !@@\n"),
		add("replit", ".replit", "Replit, on opening", inFolder, toml, "run = \"@@\"\n"),
		add("env-file", "tools.conf", "a program that reads it", anywhere, ini, "[hooks]\nafter = @@\n"),
		add("kickstart", "machine.ks", "the first start of a machine", anywhere, ini, "%post\n@@\n%end\n"),
		add("user-data", "user-data", "the first start of a machine", inFolder, ini.with(func(s *syntax) { s.keep = 1 }), "#cloud-config\nruncmd:\n  - @@\n"),
		add("caddy", "pre.properties", "a program that reads it", anywhere, ini, "hook.before=@@\n"),
	}
}
