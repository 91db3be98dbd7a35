package judge

import (
	"strconv"
	"strings"
)

// What two chunks share, so that something that lies across their border is
// seen whole by one of them.
const (
	overlapShare = 8 // 1/8 of a chunk
	overlapLines = 16
	// A line longer than 1/pieceShare of a chunk is shown in pieces.
	pieceShare = 4
)

// maxChunks bounds what one file can cost. A file of the default size limit has
// about ten; more come only from text that grows by escaping.
const maxChunks = 64

// split packs lines into chunks of at most budget bytes, marks included, and
// prefers to cut where a new top-level construct begins. Chunks overlap.
func split(lines []line, budget int) [][]line {
	pieces := breakLongLines(lines, budget/pieceShare)
	var chunks [][]line
	for start := 0; start < len(pieces); {
		end, size := start, 0
		for end < len(pieces) && size+pieces[end].cost() <= budget {
			size += pieces[end].cost()
			end++
		}
		if end == len(pieces) {
			return append(chunks, pieces[start:])
		}
		// At least one piece always fits, because pieces are small.
		end = border(pieces, start, max(end, start+1))
		chunks = append(chunks, pieces[start:end])
		start = back(pieces, start, end, budget/overlapShare)
	}
	return chunks
}

// cost is how many bytes a line takes in the prompt.
func (l line) cost() int {
	return codeWordLen + len(":| \n") + len(strconv.Itoa(l.number)) + len(l.text)
}

// border moves the end of a chunk back to a place where the code itself has a
// border, if there is one in its last quarter: a line without indentation behind
// a blank one.
func border(pieces []line, start, end int) int {
	for i := end; i > start+(end-start)*3/4; i-- {
		before, at := pieces[i-1], pieces[i]
		if at.number > before.number+1 && strings.IndexAny(at.text, " \t)}]") != 0 {
			return i
		}
	}
	return end
}

// back returns where the chunk after the one that ends at end begins: at least one
// line before, at most as many as take so many bytes.
func back(pieces []line, start, end, bytes int) int {
	next := end
	for next > start+1 && end-next < overlapLines && (next == end || bytes >= pieces[next-1].cost()) {
		next--
		bytes -= pieces[next].cost()
	}
	return next
}

// breakLongLines cuts lines that cost more than size bytes into overlapping
// pieces that carry the same number.
func breakLongLines(lines []line, size int) []line {
	var out []line
	for _, l := range lines {
		room := size - line{number: l.number}.cost()
		for l.cost() > size {
			cut := nonEscapeCut(l.text, room)
			out = append(out, line{l.number, l.text[:cut]})
			resume := nonEscapeCut(l.text, cut-room/overlapShare)
			if resume <= 0 {
				resume = cut
			}
			l.text = l.text[resume:]
		}
		out = append(out, l)
	}
	return out
}
