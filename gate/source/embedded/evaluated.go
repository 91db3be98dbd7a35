package embedded

import (
	"path"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/build"
)

// evaluatedCommands are the commands that the syntax of a tool puts together in a file that
// is known by its name or its language.
func evaluatedCommands(lang gate.Language, name string, content []byte) []Code {
	base := strings.ToLower(path.Base(name))
	switch {
	case strings.HasSuffix(base, ".ninja"):
		commands, unread := build.Ninja(content)
		b := ofLines(commands)
		return append(b.region(gate.LanguageShell, gate.RoleInfra), unreadBuild(unread)...)
	case strings.HasPrefix(base, "kconfig") || base == "config.in":
		m := build.ReadMakefile(build.Kconfig(content))
		b := ofLines(append(m.Read, m.Expanded...))
		return append(b.region(gate.LanguageShell, gate.RoleInfra), unreadBuild(m.Unread)...)
	case base == "sconstruct" || base == "sconscript" || base == "wscript" || strings.HasSuffix(base, ".scons") || strings.HasSuffix(base, ".sconscript"):
		return append(literals(gate.LanguageStarlark, content), scriptCommands(gate.LanguageStarlark, content)...)
	case strings.HasSuffix(base, ".robot") || strings.HasSuffix(base, ".resource"):
		return robotCommands(content)
	case strings.HasSuffix(base, ".gyp") || strings.HasSuffix(base, ".gypi"):
		return gypCommands(content)
	case strings.HasSuffix(base, ".sty") || strings.HasSuffix(base, ".cls") || strings.HasSuffix(base, ".tex") || strings.HasSuffix(base, ".ltx") || strings.HasSuffix(base, ".dtx") || strings.HasSuffix(base, ".ins"):
		return latex(content)
	}
	switch lang {
	case gate.LanguageM4:
		plain, ok, unread := build.M4(content)
		if pythonLine.Match(content) { // it writes a program
			return append(guessed(whole(gate.LanguagePython, content), true), unreadBuild(unread)...)
		}
		if ok {
			return append(guessed(bareCommands(lang, plain), true), unreadBuild(unread)...)
		}
		return unreadBuild(unread)
	case gate.LanguageSed:
		return sedCommands(content)
	case gate.LanguageAWK:
		return awkCommands(content)
	case "fortran":
		return fortran(content, strings.HasSuffix(base, ".f") || strings.HasSuffix(base, ".for"))
	case gate.LanguageC:
		return macroCommands(content)
	}
	return nil
}

// sedCommands are the commands that a script of sed hands to a shell by the flag "e" of its
// substitution, which runs what the pattern space became, and by the command "e", which runs
// what it and the hold space were put together to. What it writes to a file may run as well.
func sedCommands(content []byte) []Code {
	var b, written builder
	var texts []string
	for i, line := range strings.Split(string(content), "\n") {
		line = strings.TrimRight(line, "\r")
		for at := 0; at < len(line) && len(b.lines) < maxCommands; at++ {
			if line[at] != 's' || at > 0 && strings.IndexByte("0123456789;{}/$!, \t|#", line[at-1]) < 0 || at+1 == len(line) || isWordByte(line[at+1]) {
				continue
			}
			text, flags, ok := substitution(line[at+1:])
			switch {
			case !ok:
			case strings.ContainsRune(flags, 'e'):
				b.flush(text, i+1, 0)
			case len(texts) < maxWords:
				texts = append(texts, text)
				written.flush(text, i+1, 0)
			}
		}
		if sedRuns.MatchString(line) {
			b.flush(strings.Join(texts, " "), i+1, 0)
		}
	}
	out := b.region(gate.LanguageShell, "")
	if sedWrites.Match(content) {
		out = append(out, guessed(written.region(gate.LanguageShell, ""), true)...)
	}
	return out
}

var (
	// sedRuns matches the command "e" without one of its own.
	sedRuns = regexp.MustCompile(`(?:^|[;{}0-9/$,!])[ \t]*e[ \t]*(?:$|[;}#])`)
	// sedWrites matches what writes to a file.
	sedWrites = regexp.MustCompile(`(?m)(?:^|[;{}0-9/$,!gpIM])[ \t]*[wW][ \t]+\S`)
)

func isWordByte(c byte) bool {
	return c == ' ' || c == '\\' || c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// substitution is what s/…/…/ puts in and its flags; text begins with the sign between them.
func substitution(text string) (with, flags string, ok bool) {
	sign := text[0]
	var parts [2]strings.Builder
	part := 0
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] != sign && text[i] != '&' {
				parts[part].WriteByte('\\')
			}
			parts[part].WriteByte(text[i])
		case c == sign && part == 1:
			rest := text[i+1:]
			n := 0
			for n < len(rest) && strings.IndexByte("gpeImM0123456789", rest[n]) >= 0 {
				n++
			}
			return parts[1].String(), rest[:n], true
		case c == sign:
			part = 1
		default:
			parts[part].WriteByte(c)
		}
	}
	return "", "", false
}

// fortran returns the commands of a program, whose texts "//" puts together and "&" has go on
// in the next line. In the fixed form, a letter in the first column begins a comment and a sign
// in the sixth goes on with the line before.
func fortran(content []byte, fixedForm bool) []Code {
	if !fortranStarts.Match(content) {
		return nil
	}
	lines := strings.Split(string(content), "\n")
	out := make([]string, len(lines))
	last := -1 // the line that goes on
	for i, line := range lines {
		line = strings.TrimRight(line, "\r \t")
		fixed := fixedForm && len(line) > 6 && line[:5] == "     " && line[5] != ' ' && last >= 0
		switch {
		case fixed:
			out[last] += line[6:]
			continue
		case last >= 0 && strings.HasSuffix(out[last], "&"):
			more := strings.TrimLeft(line, " \t")
			out[last] = strings.TrimSuffix(out[last], "&") + strings.TrimPrefix(more, "&")
			continue
		}
		if line != "" && line[0] != '!' && !(fixedForm && strings.IndexByte("Cc*", line[0]) >= 0) {
			out[i] = line
			last = i
		}
	}
	text := strings.Join(out, "\n")
	text = fortranCall.ReplaceAllStringFunc(text, func(s string) string {
		m := fortranCall.FindStringSubmatch(s)
		if m[2] == "" {
			return "(" // trim(x) and its like leave a text as it is
		}
		return "chr(" + m[2] + ")"
	})
	plain, ok, unread := build.Script([]byte(outsideQuotes(text, "//", "+")), false, false)
	if !ok {
		plain = []byte(text)
	}
	return append(literals(gate.LanguageRuby, plain), unreadBuild(unread)...)
}

var (
	fortranStarts = regexp.MustCompile(`(?i)\b(?:execute_command_line|system|popen|execvp?)\s*\(`)
	fortranCall   = regexp.MustCompile(`(?i)\b(?:trim|adjustl|adjustr)\s*\(|\b(a?char)\s*\(\s*(\d+)\s*\)`)
)

// outsideQuotes replaces a sign where it is in no text.
func outsideQuotes(s, sign, with string) string {
	var out strings.Builder
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote || c == '\n' {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.HasPrefix(s[i:], sign):
			out.WriteString(with)
			i += len(sign) - 1
			continue
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// gypCommands are the commands of a file for gyp, with its variables put in.
func gypCommands(content []byte) []Code {
	text := gypComment.ReplaceAllString(string(content), "")
	text = gypNeighbours.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
	vars := map[string]string{}
	for _, m := range gypVariable.FindAllStringSubmatch(text, maxCommands) {
		vars[m[1]] = m[2]
	}
	expand := func(s string) string {
		for range 5 {
			next := gypUse.ReplaceAllStringFunc(s, func(use string) string {
				if v, ok := vars[gypUse.FindStringSubmatch(use)[1]]; ok {
					return v
				}
				return use
			})
			if next == s || len(next) > maxDelimited {
				break
			}
			s = next
		}
		return s
	}
	var b builder
	lines := newLineIndex([]byte(text))
	for _, m := range gypCommand.FindAllStringSubmatchIndex(text, maxCommands) {
		if body, ok, _ := delimited([]byte(text[m[1]-1:])); ok {
			b.flush(oneLine(unquoted(expand(body))), lines.of(m[0]), 0)
		}
	}
	return b.region(gate.LanguageShell, gate.RoleInfra)
}

var (
	gypComment    = regexp.MustCompile(`(?m)^[ \t]*#[^\n]*`)
	gypNeighbours = regexp.MustCompile(`'[ \t]*\n\s*'|"[ \t]*\n\s*"`)
	gypVariable   = regexp.MustCompile(`['"]([\w.-]+)%?['"]\s*:\s*['"]([^'"\n]*)['"]`)
	gypUse        = regexp.MustCompile(`[<>^]@?\(([\w.-]+)\)`)
	gypCommand    = regexp.MustCompile(`[<>^]!@?\(`)
)
