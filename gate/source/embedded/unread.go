package embedded

import "fmt"

// unreadOf notes a bound that kept commands from being found.
func unreadOf(n int, of string) []Code {
	return []Code{{unread: fmt.Sprintf("what it runs was not read to the end: at most %d %s read", n, of)}}
}

// atBound notes a bound where as much was read as it lets through.
func atBound(read, most int, of string) []Code {
	if read < most {
		return nil
	}
	return unreadOf(most, of)
}
