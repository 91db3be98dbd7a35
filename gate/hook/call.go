package hook

import (
	"fmt"
	"strings"
)

// Arguments of tools are read by their keys. Tools of the same kind name them much
// alike, and a tool that is new tomorrow is then read as well.
func commandKeys() []string {
	return []string{"command", "cmd", "script", "commandLine", "CommandLine"}
}

func pathKeys() []string {
	return []string{"file_path", "filePath", "path", "notebook_path", "absolute_path", "target_file", "filename", "file", "TargetFile"}
}

func contentKeys() []string {
	return []string{"content", "file_text", "contents", "new_source", "code_edit", "newContent", "CodeContent"}
}

func oldKeys() []string { return []string{"old_string", "old_str", "oldString", "oldStr", "old_text"} }

func newKeys() []string {
	return []string{"new_string", "new_str", "newString", "newStr", "new_text", "insert_text"}
}

func addressKeys() []string { return []string{"url", "uri", "urls", "href"} }

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
	var out []Action
	path, hasPath := args.text(pathKeys()...)
	edit, isEdit, err := editOf(args)
	switch {
	case err != nil:
		return nil, err
	case isEdit && hasPath:
		out = append(out, Action{Kind: KindEdit, Path: path, Edit: edit})
	case isEdit: // a file that isn't named: its text is looked at as a script
		out = append(out, Action{Kind: KindEdit, Path: "unnamed.sh", Edit: edit})
	case hasPath: // whatever the tool does to it, it isn't one that only reads
		out = append(out, Action{Kind: KindEdit, Path: path, Edit: Edit{Partial: true}})
	}
	if !isEdit {
		if patch, ok := args.text(commandKeys()...); ok && strings.Contains(patch, beginPatch) { // handed to a shell
			more, err := patchActions(patch)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		}
		command, err := commandOf(args)
		if err != nil {
			return nil, err
		}
		if command != "" {
			out = append(out, Action{Kind: KindCommand, Text: command})
		}
	}
	for _, k := range addressKeys() {
		for _, address := range texts(args[k]) {
			out = append(out, Action{Kind: KindFetch, Text: address})
		}
	}
	if strings.EqualFold(call, "web_fetch") {
		if prompt, ok := args.text("prompt"); ok {
			out = append(out, Action{Kind: KindFetch, Text: prompt})
		}
	}
	return out, nil
}

// commandOf is the command of a shell that is in the arguments, "" for none. A list is
// put together with its quotes.
func commandOf(args object) (string, error) {
	for _, k := range commandKeys() {
		switch v := args[k].(type) {
		case nil:
		case string:
			return v, nil
		case []any:
			var words []string
			for _, e := range v {
				s, ok := e.(string)
				if !ok {
					return "", fmt.Errorf("its %s has something that is no text", k)
				}
				words = append(words, "'"+strings.ReplaceAll(s, "'", `'\''`)+"'")
			}
			return strings.Join(words, " "), nil
		default:
			return "", fmt.Errorf("its %s is no text", k)
		}
	}
	return "", nil
}

// editOf is the edit that is in the arguments.
func editOf(args object) (e Edit, ok bool, err error) {
	for _, k := range contentKeys() {
		if _, there := args[k]; !there {
			continue
		}
		s, isText := args[k].(string)
		if !isText {
			return e, false, fmt.Errorf("its %s is no text", k)
		}
		cell := k == "new_source" || k == "code_edit"
		return Edit{Partial: cell, Content: s}, true, nil
	}
	if list, there := args["edits"].([]any); there {
		e.Partial = true
		for _, v := range list {
			o, isObject := v.(object)
			r, found := replacementOf(o)
			if !isObject || !found {
				return e, false, fmt.Errorf("one of its edits can't be read")
			}
			e.Replacements = append(e.Replacements, r)
		}
		return e, true, nil
	}
	if r, found := replacementOf(args); found {
		return Edit{Partial: true, Replacements: []Replacement{r}}, true, nil
	}
	return e, false, nil
}

func replacementOf(o object) (r Replacement, ok bool) {
	if r.New, ok = o.text(newKeys()...); !ok {
		return r, false
	}
	r.Old, _ = o.text(oldKeys()...)
	for _, k := range []string{"replace_all", "replaceAll", "allow_multiple"} {
		if all, _ := o[k].(bool); all {
			r.All = true
		}
	}
	return r, true
}
