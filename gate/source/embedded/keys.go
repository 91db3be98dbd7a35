package embedded

import (
	"slices"
	"strings"
	"sync"
)

// keyUse is what tools do with the value of a key.
type keyUse int

const (
	ignored    keyUse = iota
	command           // starts it, or hands it to a shell
	group             // starts each of its members
	powershell        // hands it to PowerShell
	imageFile         // builds an image from it
	iniFile           // reads it as a file of keys and values
)

// runKeys says behind which keys the tools of pipelines, tasks and deployments
// expect what they run; one row is one family of tools. A file of any name is read
// with all of them, because any tool may be given any file.
var runKeys = sync.OnceValue(func() map[string]keyUse {
	out := map[string]keyUse{}
	add := func(use keyUse, keys string) {
		for key := range strings.FieldsSeq(keys) {
			out[key] = use
		}
	}
	// Names that most tools share.
	add(command, "run script scripts command commands cmd cmds exec execute shell sh bash args argv arguments entrypoint entry program executable test runs invoke")
	add(command, "install build start serve stop setup init prepare deploy release lint check clean before after pre post prebuild postbuild preinstall postinstall")
	// GitLab, Travis, AppVeyor, Bitbucket, Cirrus, CodeBuild, Read the Docs.
	add(command, "before_script after_script before-script after-script before_install after_install before_deploy after_deploy before_build after_build before_test after_test "+
		"after_success after_failure before_cache build_script test_script deploy_script install_script on_success on_failure on_finish pre_build post_build "+
		"pre_checkout post_checkout pre_install post_install pre_create_environment post_create_environment pre_system_dependencies post_system_dependencies pre_get_source_script pre_clone_script hooks:pre_get_sources_script")
	// GitHub, Azure, CircleCI, Buildkite, Drone, Tekton, Argo, Concourse.
	add(command, "pre-entrypoint post-entrypoint inlinescript azurecliscript runcmd steps source pre-command post-command pre-exit checkout environment-hook precommands postcommands")
	// Compose, Kubernetes, Nomad, ECS, systemd.
	add(command, "healthcheck post_start pre_stop poststart prestop execstart livenessprobe initcommand buildargs")
	// Ansible, cloud-init, Packer, Terraform, CloudFormation.
	add(command, "ansible.builtin.shell ansible.builtin.command ansible.builtin.raw ansible.builtin.script ansible.legacy.shell ansible.legacy.command expect ansible.builtin.expect "+
		"raw local_action action free_form bootcmd inline execute_command inline_shebang user_data user-data userdata custom_data startup_script startup-script metadata_startup_script local-exec remote-exec")
	// Task runners, hooks of git, templates of projects, editors, dev containers, agents.
	add(command, "_tasks _migrations prelaunchtask postdebugtask predeploy postdeploy predev preversion prebump postbump runtimeexecutable runtimeargs shellargs script-shell "+
		"husky lint-staged simple-git-hooks pre-commit pre-push commit-msg post-checkout post-merge prepare-commit-msg pre-rebase post-commit post-rewrite "+
		"apikeyhelper awsauthrefresh awscredentialexport gcpauthrefresh otelheadershelper statusline notify terminals setupcommands customlaunchsetupcommands prompt_command "+
		"onsave onopen onchange shell_cmd build_command start_command release_command")
	add(command, "options job panes windows pre_window on_project_start on_project_first_start on_project_exit func jscode functioncode pythoncode code "+
		"pager editor git_editor visual browser bash_env git_pager git_external_diff git_askpass ssh_askpass sudo_askpass manpager lessopen lessclose terminal git_ssh")
	add(iniFile, "legacy_tox_ini")
	add(group, "tasks hooks hook events aliases alias targets git-hooks githooks npmscripts")
	add(powershell, "ps pwsh powershell")
	add(imageFile, "dockerfile_inline dockerfile-inline dockerfileinline dockerfilecontents dockerfile_contents containerfile dockerfile")
	return out
})

// useOf is what tools do with the value of a key.
func useOf(key string) keyUse {
	key = strings.ToLower(key)
	if use, ok := runKeys()[key]; ok {
		return use
	}
	if slices.ContainsFunc([]string{"command", "commands", "hook", "hooks", "script", "scripts", "cmd", "cmds"}, func(end string) bool { return strings.HasSuffix(key, end) }) ||
		strings.HasPrefix(key, "before:") || strings.HasPrefix(key, "after:") || strings.HasPrefix(key, "exec_") || strings.IndexByte(key, '*') >= 0 {
		return command
	}
	return ignored
}

// Keys, in lower case, of the same object that make one command line together.
var (
	programKeys = []string{"entrypoint", "command", "cmd", "program", "path", "executable", "runtimeexecutable", "entry", "interpreter", "shell"}
	wordKeys    = []string{"command", "args", "argv", "runtimeargs", "shellargs", "arguments"}
	sourceKeys  = []string{"source", "script", "code", "inline", "run", "content"}
)

// scopes are keys, in lower case, around what becomes variables of a shell, or
// parameters by a bare name.
var scopes = []string{"env", "environment", "variables", "variable", "vars", "containerenv", "remoteenv", "matrix", "substitutions", "parameters", "parameter", "params", "inputs", "locals",
	"global", "globals", "arguments", "envs", "setenv", "define", "values", "build_args", "terminal.integrated.env.linux", "service", "container", "outputs", "item", "triggers", "parts", "defaults", "environmentvariables", "environment_variables", "set_env"}
