package main

import (
	"cmp"
	"fmt"
	"strings"
)

// dataDisguises are about how JSON and YAML write the same value.
func dataDisguises() []disguise {
	var out []disguise
	for _, d := range []struct {
		name, about string
		style       objectStyle
		odd         string
	}{
		{"json-duplicate-outer", "a harmless object of the same name comes first", objectStyle{duplicate: outer}, "a key that occurs twice"},
		{"json-duplicate-inner", "a harmless value of the same name comes first", objectStyle{duplicate: inner}, "a key that occurs twice"},
		{"json-case-outer", "a harmless object whose name differs in case comes behind", objectStyle{otherCase: outer}, "a key that differs in case only"},
		{"json-case-inner", "a harmless value whose name differs in case comes behind", objectStyle{otherCase: inner}, "a key that differs in case only"},
		{"json-escaped-keys", "keys are written as escapes", objectStyle{escapedKeys: true}, "a key that is written as escapes"},
		{"json-escaped-text", "the value is written as escapes", objectStyle{escapedText: true}, "text that is written as escapes"},
		{"json-spread", "every pair on a line of its own", objectStyle{spread: true}, ""},
		{"json-nested", "another value of 15,000 brackets comes first", objectStyle{nested: 15000}, "15,000 brackets"},
	} {
		out = append(out, disguise{name: d.name, about: d.about, odd: d.odd, apply: textually(func(p *program, _ syntax) bool {
			if p.carrier.object == nil {
				return false
			}
			p.put(p.carrier.object.text(p.code.line(), d.style))
			return true
		})})
	}
	return append(out, yamlDisguises()...)
}

// yamlDisguises write the value of a YAML carrier in another way.
func yamlDisguises() []disguise {
	var out []disguise
	add := func(name, about string, write func(c *carrier, line, indent string) string, odd string) {
		out = append(out, disguise{name: "yaml-" + name, about: about, odd: odd, apply: textually(func(p *program, _ syntax) bool {
			c := p.carrier
			if c.yaml == "" {
				return false
			}
			text := c.yaml[:strings.Index(c.yaml, c.key+": @@")]
			column := len(text) - strings.LastIndexByte(text, '\n') - 1
			written := write(c, p.code.line(), strings.Repeat(" ", column+2))
			p.put(written)
			return written != ""
		})})
	}
	add("plain", "the value without quotes", func(c *carrier, line, _ string) string { return c.scalar(c.key, line) }, "")
	add("single", "the value in single quotes", func(c *carrier, line, _ string) string { return c.scalar(c.key, "'"+line+"'") }, "")
	add("literal", "the value as a block", func(c *carrier, line, in string) string {
		return c.scalar(c.key, "|\n"+in+"echo begin\n"+in+line)
	}, "")
	add("folded", "the value as a folded block, a word a line", func(c *carrier, line, in string) string {
		return c.scalar(c.key, ">-\n"+in+strings.ReplaceAll(line, " ", "\n"+in))
	}, "")
	add("plain-lines", "the value without quotes on several lines", func(c *carrier, line, in string) string {
		return c.scalar(c.key, strings.Replace(strings.ReplaceAll(line, " | ", " |\n"+in), " >", "\n"+in+">", 1))
	}, "")
	add("escapes", "the value as escapes", func(c *carrier, line, _ string) string {
		var b strings.Builder
		for _, r := range line {
			fmt.Fprintf(&b, `\x%02x`, r)
		}
		return c.scalar(c.key, `"`+b.String()+`"`)
	}, "text that is written as escapes")
	add("escaped-lines", "the value in double quotes that go over lines", func(c *carrier, line, in string) string {
		cut := len(line) / 2
		for line[cut] == ' ' {
			cut++
		}
		return c.scalar(c.key, `"`+line[:cut]+"\\\n"+in+line[cut:]+`"`)
	}, "")
	add("anchor", "the value is an alias of one above", func(c *carrier, line, _ string) string {
		if strings.HasPrefix(c.yaml, "- ") {
			return ""
		}
		return cmp.Or(c.spare, "x-shared") + ": &shared " + jsonString(line) + "\n" + c.scalar(c.key, "*shared")
	}, "")
	add("tag", "the value has a tag", func(c *carrier, line, _ string) string { return c.scalar(c.key, "!!str "+jsonString(line)) }, "")
	add("quoted-key", "the key is in quotes", func(c *carrier, line, _ string) string { return c.scalar(`"`+c.key+`"`, jsonString(line)) }, "")
	add("escaped-key", "the key is written as escapes", func(c *carrier, line, _ string) string {
		var b strings.Builder
		for _, r := range c.key {
			fmt.Fprintf(&b, `\x%02x`, r)
		}
		return c.scalar(`"`+b.String()+`"`, jsonString(line))
	}, "a key that is written as escapes")
	add("explicit-key", "the key has a question mark", func(c *carrier, line, in string) string {
		return strings.Replace(c.yaml, c.key+": @@", "? "+c.key+"\n"+in[2:]+": "+jsonString(line), 1)
	}, "")
	return out
}
