package static

import (
	"bytes"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/static/constprop"
	"github.com/aigate/gate/gate/static/modules"
)

// joint is a file that is looked at together with statements of other modules.
type joint struct {
	*across
	lang  gate.Language
	role  gate.Role
	path  string
	own   []modules.Piece
	tree  fs.FS
	rules map[string]bool // by which values may flow between the files
	lines gate.LineSet    // of the file, that the change touches
	fresh bool            // the change touches one of the constants
	// alone is what is found in the file, and in the constants, by themselves.
	alone map[mark]gate.Severity
}

// flows finds values that flow from one file into another. What else is in a module is
// no part of this one.
func (j *joint) flows(before []modules.Piece) []crossing {
	content, spots := joinPieces(append(slices.Clone(before), j.own...))
	t := j.text(content)
	t.costs.rules = maps.Clone(j.rules)
	for _, r := range j.scanner.all {
		if r.Captures() {
			t.costs.rules[r.ID] = true
		}
	}
	var out, named []crossing
	for _, x := range j.crossings(j.scanner.texts.flows(t), spots) {
		switch {
		case x.crosses() && !j.holds(before, x):
		case x.crosses():
			out = append(out, j.shown(x, t))
		case !j.rules[x.Rule]:
			named = append(named, j.shown(x, t))
		}
	}
	// A rule that goes by the name of a variable says more about a use into which a value flows.
	for _, x := range named {
		if i := slices.IndexFunc(out, func(o crossing) bool { return o.at == x.at && o.Severity < x.Severity }); i >= 0 {
			x.Flow, x.steps = slices.Clone(out[i].Flow), out[i].steps
			out = append(out, x)
		}
	}
	return out
}

// holds reports whether the statements that a flow goes through are enough for it. In a text
// of many modules, values also flow by way of objects that everything is given, and of calls
// that are not told apart; what rests on more than its own trace is no evidence.
func (j *joint) holds(before []modules.Piece, x crossing) bool {
	through := func(p modules.Piece) bool {
		last := p.Line + bytes.Count(p.Text, []byte{'\n'})
		return slices.ContainsFunc(append(x.steps, x.at), func(s spot) bool { return s.path == p.Path && p.Line <= s.line && s.line <= last })
	}
	var pieces []modules.Piece
	for _, p := range append(slices.Clone(before), j.own...) {
		if through(p) {
			pieces = append(pieces, p)
		}
	}
	content, spots := joinPieces(pieces)
	t := j.text(content)
	t.costs.rules = map[string]bool{x.Rule: true}
	return slices.ContainsFunc(j.crossings(j.scanner.texts.flows(t), spots), func(o crossing) bool {
		return o.mark() == x.mark() && o.crosses() && o.Severity >= x.Severity
	})
}

// constantly finds what the file does with constants of other modules that it alone does not do.
func (j *joint) constantly(before []modules.Piece) []crossing {
	if !tells.Match(joinTexts(before)) && !j.differs(before) {
		return nil
	}
	content, spots := joinPieces(append(slices.Clone(before), j.own...))
	t := j.text(content)
	var lines [][]byte
	var out []crossing
	for _, x := range j.crossings(j.scanner.texts.joined(t), spots) {
		if !x.crosses() {
			if j.apart(before)[x.mark()] >= x.Severity {
				continue
			}
			if lines == nil {
				lines = bytes.Split(content, []byte{'\n'})
			}
			x.name(before, lines)
		}
		out = append(out, j.shown(x, t))
	}
	return out
}

// differs reports whether constants of other modules make a line of the file say something
// else than by itself: any of it, where the change touches one of them, else one of its lines.
func (j *joint) differs(before []modules.Piece) bool {
	own := j.own
	if !j.fresh {
		own = slices.DeleteFunc(slices.Clone(own), func(p modules.Piece) bool {
			return !j.lines.Touches(p.Line, p.Line+bytes.Count(p.Text, []byte{'\n'})) && !j.constant(p)
		})
	}
	content, spots := joinPieces(append(slices.Clone(before), own...))
	without, with := bytes.Split(folded(j.lang, joinTexts(own)), []byte{'\n'}), bytes.Split(folded(j.lang, content), []byte{'\n'})
	if len(with) < len(without) {
		return true // lines don't stay: not to be compared
	}
	with = with[len(with)-len(without):]
	spots = spots[max(0, len(spots)-len(without)+1):]
	for i := range min(len(without), len(spots)) {
		if !bytes.Equal(with[i], without[i]) && (j.fresh || j.lines.Touches(spots[i].line, spots[i].line)) {
			return true
		}
	}
	return false
}

// folded is a text with its constants put together and its names resolved.
func folded(lang gate.Language, text []byte) []byte {
	if out, ok := constprop.Text(lang, text, nil); ok {
		text = out
	}
	if out, ok := constprop.Names(lang, text, nil); ok {
		text = out
	}
	return text
}

// crossings are findings of a joined text with the files that they are in.
func (j *joint) crossings(found []gate.Finding, spots []spot) []crossing {
	var out []crossing
	for _, f := range found {
		if f.Severity < gate.SeveritySuspicious || isWords(f) || strings.HasPrefix(f.Rule, "secrets/") || f.Line < 1 || f.Line > len(spots) {
			continue
		}
		x := crossing{Finding: f, at: spots[f.Line-1], ends: spots[min(max(f.EndLine, 1), len(spots))-1]}
		for _, s := range f.Flow {
			x.steps = append(x.steps, spots[min(max(s.Line, 1), len(spots))-1])
		}
		out = append(out, x)
	}
	return out
}

// crosses reports whether a value flows from one file into another.
func (x crossing) crosses() bool {
	return slices.ContainsFunc(x.steps, func(s spot) bool { return s.path != x.at.path })
}

// text is a joined text as the rules see it.
func (j *joint) text(content []byte) text {
	return text{language: j.lang, role: j.role, path: j.path, content: content, costs: newCosts(int64(len(content))), newHost: j.hostOf(content), known: j.known}
}

// mark is the rule of a finding with its place.
type mark struct {
	rule string
	at   spot
}

func (x crossing) mark() mark { return mark{x.Rule, x.at} }

// apart is what is found in the file alone, and in what comes before it alone.
func (j *joint) apart(before []modules.Piece) map[mark]gate.Severity {
	if j.alone == nil {
		j.alone = map[mark]gate.Severity{}
		for _, pieces := range [][]modules.Piece{j.own, before} {
			content, spots := joinPieces(pieces)
			for _, x := range j.crossings(j.scanner.texts.joined(j.text(content)), spots) {
				j.alone[x.mark()] = max(j.alone[x.mark()], x.Severity)
			}
		}
	}
	return j.alone
}

// flows is scan for rules about flows only: they see the text, with its constants put together
// and its names resolved.
func (x texts) flows(t text) []gate.Finding {
	out := x.rules(t)
	if folded, ok := constprop.Text(t.language, t.content, nil); ok {
		t.content, t.deobfuscated = folded, true
		out = append(out, x.rules(t)...)
	}
	if resolved, ok := constprop.Names(t.language, t.content, nil); ok {
		t.content = resolved
		out = append(out, x.rules(t)...)
	}
	return onePerLine(out)
}

// joined is scan, without the most expensive readings of what is long.
func (x texts) joined(t text) []gate.Finding {
	if len(t.content) > smallText {
		return x.asWritten(t)
	}
	return x.scan(t)
}

// name makes the definitions of the constants that the lines of a finding name its flow.
func (x *crossing) name(before []modules.Piece, lines [][]byte) {
	x.Flow, x.steps = nil, nil
	used := bytes.Join(lines[x.Line-1:min(x.EndLine, len(lines))], []byte{'\n'})
	for pass := range 2 { // those that the lines name, else the last one
		for _, p := range slices.Backward(before) {
			named := pass == 1
			for _, w := range word.FindAll(p.Text[:min(len(p.Text), 200)], 4) {
				named = named || !plainWords[string(w)] && containsWord(used, w)
			}
			if named && len(x.steps) < maxOthers {
				x.steps = append(x.steps, spot{p.Path, p.Line})
				x.Flow = append(x.Flow, gate.Step{Line: p.Line, Text: string(firstLine(p.Text))})
			}
			if named && pass == 1 {
				break
			}
		}
		if len(x.steps) > 0 {
			break
		}
	}
	slices.Reverse(x.steps)
	slices.Reverse(x.Flow)
	x.steps = append(x.steps, x.at)
	x.Flow = append(x.Flow, gate.Step{Line: x.at.line, Text: x.Evidence})
}

var word = regexp.MustCompile(`[A-Za-z_$][\w$]*`)

// plainWords come before the name in a definition.
var plainWords = map[string]bool{"const": true, "let": true, "var": true, "export": true, "def": true, "class": true, "function": true, "func": true, "async": true, "default": true, "return": true}

func containsWord(text, w []byte) bool {
	for _, m := range word.FindAll(text, -1) {
		if bytes.Equal(m, w) {
			return true
		}
	}
	return false
}

func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	return bytes.TrimSpace(line)
}

// shown has evidence of the files as they are, without the names that joining gave them.
// Where something is masked, what was seen stays as it is.
func (j *joint) shown(x crossing, t text) crossing {
	x.Line, x.EndLine = x.at.line, x.at.line
	if x.ends.path == x.at.path {
		x.EndLine = max(x.ends.line, x.at.line)
	}
	for i, s := range x.steps {
		x.Flow[i].Line = s.line
		if text, ok := j.line(s); ok && !*t.costs.masked {
			x.Flow[i].Text = text
		}
	}
	if text, ok := j.line(x.at); ok && !*t.costs.masked && x.Origin == "" {
		x.Evidence = text
	}
	return x
}

// line is the text of a line of a file.
func (j *joint) line(s spot) (string, bool) {
	content, err := bounded.ReadFile(j.tree, s.path, modules.MaxModule)
	if err != nil {
		return "", false
	}
	for range s.line - 1 {
		i := bytes.IndexByte(content, '\n')
		if i < 0 {
			return "", false
		}
		content = content[i+1:]
	}
	line := firstLine(content)
	if len(line) > gate.MaxEvidence {
		return "", false
	}
	return strings.ToValidUTF8(string(line), "\uFFFD"), true
}

// joinPieces puts pieces below one another, and says where each line comes from.
func joinPieces(pieces []modules.Piece) ([]byte, []spot) {
	var out bytes.Buffer
	var spots []spot
	for _, p := range pieces {
		out.Write(p.Text)
		out.WriteByte('\n')
		for i := range 1 + bytes.Count(p.Text, []byte{'\n'}) {
			spots = append(spots, spot{p.Path, p.Line + i})
		}
	}
	return out.Bytes(), spots
}

func joinTexts(pieces []modules.Piece) []byte {
	content, _ := joinPieces(pieces)
	return content
}

var (
	// call matches a call, and the name of what is called.
	call = regexp.MustCompile(`([\w$.]+)\s*\(`)
	// texts matches a text of more than a letter.
	someText = regexp.MustCompile("\"[^\"\\n]{2,}|'[^'\\n]{2,}|`[^`]{2,}|\"\"\"|'''|\\[\\s*(?:0x)?[0-9a-fA-F]+\\s*,")
	// pure are calls that only make a text of another one.
	pure = regexp.MustCompile(`^(?:.*\.)?(?:join|format|decode|encode|b64decode|fromhex|unhexlify|replace|strip|lower|upper|split|concat|slice|reverse|substring|substr|toString|from|freeze|String|str|bytes|bytearray|chr|map|atob|fromCharCode|dict|list|tuple|Sprintf|Join|Repeat|Replace|ReplaceAll|super|init|__init__|Path|PurePath)$`)
	// importing matches the beginning of a statement that only names a module.
	importing = regexp.MustCompile(`^\s*(?:import|from|export\s*[{*])`)
	// heads are words before a bracket that call nothing.
	heads = regexp.MustCompile(`^(?:def|func|function|class|if|for|while|return|in|and|or|not|const|let|var|async|catch|switch|import|lambda|constructor)$`)
	// tells matches texts that programs rarely hold for a good reason.
	tells = regexp.MustCompile(`(?i)\b(?:curl|wget|bash|zsh|powershell|pwsh|netcat|ncat|socat|nohup|crontab|chmod|base64|mkfifo|eval|exec)\b|\bsh\b|\bnc\s+-|/dev/(?:tcp|sd|shm)|\.ssh\b|\.aws\b|\.npmrc|\.netrc|\.gnupg|\.bashrc|\.profile|\.zshrc|/etc/|/proc/|authorized_keys|id_rsa|\brm\s+-`)
	// does matches what a constant may be given to.
	does = regexp.MustCompile(`(?i)(?:exec|eval|system|popen|spawn|subprocess|child_process|command|open|write|append|fetch|request|post|get|put|send|connect|dial|require|import|getattr|function|unlink|rmtree|remove|chmod|copy|load|run|call|start|create|read)\w*\s*[(\[.]`)
)

// constant reports whether a statement only gives a text a name: in a variable, a table, a class,
// or as what a function gives back.
func constant(text []byte) bool {
	if len(text) > maxConstantText || !someText.Match(text) || importing.Match(text) {
		return false
	}
	for _, m := range call.FindAllSubmatchIndex(text, -1) {
		name := text[m[2]:m[3]]
		before := bytes.TrimRight(text[max(0, m[2]-12):m[2]], " \t*")
		if pure.Match(name) || heads.Match(name) || bytes.HasSuffix(before, []byte("def")) || bytes.HasSuffix(before, []byte("function")) ||
			bytes.HasSuffix(before, []byte("func")) || bytes.HasSuffix(before, []byte("class")) {
			continue
		}
		return false
	}
	return true
}

// maxConstantText bounds what counts as a constant.
const maxConstantText = 4 << 10 // bytes

// uses reports whether a text does anything with constants.
func uses(text []byte) bool { return does.Match(text) }
