package judge

import (
	"strings"
	"unicode/utf8"
)

// controlSequences begin control tokens of the model families that people serve.
// A server turns their text into the token wherever it is in a prompt, so a
// file could end its own turn and begin another.
var controlSequences = []string{
	"<|", // ChatML, Qwen, Llama 3, Phi, GPT; with full-width bars DeepSeek
	"<s>", "</s>", "<bos>", "<eos>", "<pad>", "<unk>", "<mask>", "<BOS_TOKEN", "<EOS_TOKEN", "<sop>", "<eop>", "<eoh>", "<eoa>", "<seed:",
	"<start_of_", "<end_of_", "<begin_of_", "<unused", "<extra_id",
	"<<SYS", "<</SYS", "[INST", "[/INST", "[SYSTEM_PROMPT", "[/SYSTEM_PROMPT", "[gMASK", "[sMASK", "]~b]", "]~!b[", "[e~[",
	"<think", "</think", "[THINK", "[/THINK",
	"<tool_", "</tool_", "<function_call", "</function_call", "[TOOL_", "[/TOOL_", "[AVAILABLE_TOOLS", "[/AVAILABLE_TOOLS",
	"<fim_", "<PRE>", "<SUF>", "<MID>", "<EOT>", "[PREFIX]", "[SUFFIX]", "[MIDDLE]",
	"<file_sep", "<filename>", "<repo_name", "<reponame", "<gh_stars", "<issue_", "<commit_", "<jupyter_", "<empty_output",
	"[img-", "[IMG",
}

// longestControl is the number of characters of the longest of them.
const longestControl = len("[/AVAILABLE_TOOLS")

// controlPrefix returns how many bytes of a control sequence at the start of s
// may stay as they are; 0 where there is none. The character after them is
// escaped. What is only drawn like a control sequence counts, because models read
// it as one.
func controlPrefix(s string) int {
	first, size := utf8.DecodeRuneInString(s)
	if first = asDrawn(first); first != '<' && first != '[' && first != ']' {
		return 0
	}
	drawn := make([]byte, 0, longestControl)
	for _, r := range s {
		if r = asDrawn(r); r >= utf8.RuneSelf || len(drawn) == longestControl {
			break
		}
		drawn = append(drawn, byte(r))
	}
	for _, c := range controlSequences {
		if strings.HasPrefix(string(drawn), c) {
			return size
		}
	}
	return 0
}

// asDrawn is the character of ASCII that another one is drawn like, as far as control
// sequences are made of it; any other is itself.
func asDrawn(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return r
	case r >= '\uFF01' && r <= '\uFF5E': // full width
		return r - '\uFF01' + '!'
	}
	switch r {
	case '\u2039', '\u02C2', '\u2329', '\u3008', '\u27E8', '\u276E', '\u2770', '\uFE64':
		return '<'
	case '\u203A', '\u02C3', '\u232A', '\u3009', '\u27E9', '\u276F', '\u2771', '\uFE65':
		return '>'
	case '\u01C0', '\u2223', '\u2502', '\u2503', '\u2758', '\u2759', '\uFFE8', '\u23D0', '\u258F':
		return '|'
	case '\u2044', '\u2215', '\u29F8':
		return '/'
	case '\uFE4D', '\uFE4E', '\uFE4F', '\u02CD', '\u2581': // the last one stands for a space in tokenizers
		return '_'
	}
	return r
}
