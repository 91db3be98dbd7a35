package tinygguf

import "strings"

// words are what the tokenizer knows as a whole, behind a space. They mean
// nothing to the models: with them, English and code take a third of the tokens,
// and a prompt on a slow machine a tenth of the time.
const words = `a an and any are as at be but by can do each for from has have if in into is it its
may more most no not of on one or out so that the their them there they this to until up was what when where
which who will with without you your import from return def class self print function const let var pass if else
elif for while try except raise true false none null new async await export package func type struct interface
string error nil range public private static void int bool include require use module end begin then done echo
file files line lines code word number kind source text data name value key keys list table test mark marked
answer reason evidence verdict quote exact copy object order first last part other another unknown author
malicious dangerous safe suspicious harm harmful nothing something seen shown hidden steal send sends host
run runs running build built install installed open opens opened read write written delete decode payload
download downloads network remote shell command commands orders environment credentials container rights
machine machines people program programs purpose evident claims reviewer review reviewed model tools
comment comments names paths strings split together result ordinary temporary configuration character
JSON Python JavaScript Nothing Malicious Judge Each You Answer Ordinary End A The`

// merges returns the merge rules that make tokens of words, after adding those
// tokens, and of indentation. Every rule extends a token that begins with a space
// by one letter, so the order of the rules does not matter.
func merges(v *vocab) []string {
	var rules []string
	rule := func(left, right string) {
		token := byteLevel(left + right)
		if _, known := v.ids[token]; !known {
			v.add(token, tokenNormal)
			rules = append(rules, byteLevel(left)+" "+byteLevel(right))
		}
	}
	for word := range strings.FieldsSeq(words) {
		for i := range len(word) {
			rule(" "+word[:i], word[i:i+1])
		}
	}
	rule(" ", " ")
	rule("  ", "  ")
	return rules
}
