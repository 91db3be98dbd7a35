package active

import (
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

var (
	// switchedOff matches keys that switch off the mapping they are in.
	switchedOff = regexp.MustCompile(`^\s*(?:-\s+)?(?:if\s*:\s*["']?(?:\$\{\{\s*)?(?:false|0|never\(\))(?:\s*\}\})?["']?|` +
		`when\s*:\s*["']?(?:never|manual|false)["']?|enabled\s*:\s*["']?(?:false|no|off)["']?|condition\s*:\s*["']?(?:false|never\(\))["']?|` +
		`ignore\s*:\s*true|disabled\s*:\s*true|active\s*:\s*false|suspend\s*:\s*true|replicas\s*:\s*0)\s*(?:#.*)?$`)
	// hidden matches the first line of a block that only others use.
	hidden = regexp.MustCompile(`^["']?((?:\.|x-)[\w./-]+)["']?\s*:`)
	anchor = regexp.MustCompile(`&([\w.-]+)`)
	use    = regexp.MustCompile(`\*([\w.-]+)|["'\s\[,]((?:\.|x-)[\w./-]+)`)
)

// block is a part that only runs where another uses it.
type block struct {
	first, last int // indices, last included
	names       []string
	used        bool
}

// yamlOff finds jobs and steps that are switched off, and hidden blocks that no other uses.
func yamlOff(lines []string) []bool {
	off := make([]bool, len(lines))
	switches := 0
	for i, line := range lines {
		if switches < maxNames && strings.IndexByte(line, ':') >= 0 && switchedOff.MatchString(line) {
			switches++
			first, last := mapping(lines, i)
			for j := first; j < last; j++ {
				off[j] = true
			}
		}
	}
	blocks := hiddenBlocks(lines)
	markUsed(lines, blocks)
	for _, b := range blocks {
		for i := b.first; !b.used && i <= b.last; i++ {
			off[i] = true
		}
	}
	return off
}

// mapping is the first line, and the one behind the last, of the mapping that a key is
// in. At the top of a file that is the key alone: it switches nothing that is a part.
func mapping(lines []string, at int) (first, last int) {
	depth := keyDepth(lines[at])
	if depth == 0 {
		return at, at + 1
	}
	first = at
	for i := at; i >= max(0, at-maxBlock); i-- {
		in := indented(lines[i])
		if in < 0 {
			continue
		}
		if keyDepth(lines[i]) < depth || in < depth && i != at {
			if in < depth && keyDepth(lines[i]) == depth {
				first = i // the item of a list that the key belongs to
			}
			break
		}
		first = i
		if in < depth { // "- key" begins the mapping
			break
		}
	}
	last = at + 1
	for last < min(len(lines), at+maxBlock) {
		if in := indented(lines[last]); in >= 0 && in < depth {
			break
		}
		last++
	}
	for last > at+1 && indented(lines[last-1]) < 0 {
		last--
	}
	return first, last
}

// keyDepth is the depth of a key behind the sign of an item.
func keyDepth(line string) int {
	depth := indented(line)
	for depth >= 0 && strings.HasPrefix(line[depth:], "- ") {
		rest := strings.TrimLeft(line[depth+1:], " ")
		depth = len(line) - len(rest)
	}
	return depth
}

func hiddenBlocks(lines []string) []*block {
	var out []*block
	for i, line := range lines {
		m := hidden.FindStringSubmatch(line)
		if m == nil || len(out) >= maxNames {
			continue
		}
		b := &block{first: i, last: blockEnd(lines, i, 0, true) - 1, names: []string{m[1]}}
		for _, text := range lines[b.first : b.last+1] {
			for _, a := range anchor.FindAllStringSubmatch(text, 4) {
				b.names = append(b.names, a[1])
			}
		}
		out = append(out, b)
	}
	return out
}

// blockAt is the block that a line is in, nil for none. Blocks are in order.
func blockAt(blocks []*block, line int) *block {
	lo, hi := 0, len(blocks)
	for lo < hi {
		if mid := (lo + hi) / 2; blocks[mid].last < line {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(blocks) && blocks[lo].first <= line {
		return blocks[lo]
	}
	return nil
}

// markUsed finds the blocks that something uses which is no hidden block itself, and those
// that these use in turn.
func markUsed(lines []string, blocks []*block) {
	if len(blocks) == 0 {
		return
	}
	named := map[string][]*block{}
	for _, b := range blocks {
		for _, n := range b.names {
			named[n] = append(named[n], b)
		}
	}
	uses := map[*block][]*block{} // nil uses what no hidden block does
	for i, line := range lines {
		by := blockAt(blocks, i)
		for _, m := range use.FindAllStringSubmatch(line, -1) {
			uses[by] = append(uses[by], named[m[1]+m[2]]...)
		}
	}
	for todo := uses[nil]; len(todo) > 0; {
		b := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; !b.used {
			b.used, todo = true, append(todo, uses[b]...)
		}
	}
}
