package hook

import (
	"strings"
)

// reads reports whether a tool only reads files of this machine. Tools of servers (MCP)
// are never among them.
func reads(call string) bool {
	switch strings.ToLower(call) {
	case "read", "view", "read_file", "read_many_files", "readfile", "glob", "grep", "ls", "list_directory", "list_dir", "search_file_content", "grep_search", "file_search",
		"codebase_search", "notebookread", "todowrite", "todoread", "write_todos", "task", "agent", "exitplanmode", "askuserquestion", "ask_user", "websearch", "web_search", "google_web_search", "view_image",
		"update_plan", "report_intent", "save_memory", "delete_todos", "read_lints", "toolsearch", "skill":
		return true
	}
	return false
}

// actions reads what a call does from its arguments.
func actions(call string, args object) ([]Action, error) {
	if args == nil || reads(call) {
		return nil, nil
	}
	if patch, ok := args.text("command", "input", "patch", "patchText"); ok && (strings.EqualFold(call, "apply_patch") || strings.HasPrefix(strings.TrimSpace(patch), beginPatch)) {
		return patchActions(patch)
	}
	a := arguments{call: call}
	if err := a.read(args); err != nil {
		return nil, err
	}
	if strings.EqualFold(call, "web_fetch") {
		if prompt, ok := args.text("prompt"); ok {
			a.add(Action{Kind: KindFetch, Text: prompt})
		}
	}
	return a.out, nil
}

func replacementOf(o object) (r Replacement, ok bool) {
	for _, k := range o.keys() {
		text, isText := o[k].(string)
		switch {
		case !isText:
		case meaningOf(k) == newText && !ok:
			r.New, ok = text, true
		case meaningOf(k) == oldText && r.Old == "":
			r.Old = text
		}
	}
	for _, k := range []string{"replace_all", "replaceAll", "allow_multiple"} {
		if all, _ := o[k].(bool); all {
			r.All = true
		}
	}
	return r, ok
}
