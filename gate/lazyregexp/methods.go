package lazyregexp

// Find is that of package regexp.
func (r *Regexp) Find(b []byte) []byte {
	if none(r, b) {
		return nil
	}
	return made(r).Find(b)
}

// FindAll is that of package regexp.
func (r *Regexp) FindAll(b []byte, n int) [][]byte {
	if none(r, b) {
		return nil
	}
	return made(r).FindAll(b, n)
}

// FindAllIndex is that of package regexp.
func (r *Regexp) FindAllIndex(b []byte, n int) [][]int {
	if none(r, b) {
		return nil
	}
	return made(r).FindAllIndex(b, n)
}

// FindAllString is that of package regexp.
func (r *Regexp) FindAllString(s string, n int) []string {
	if none(r, s) {
		return nil
	}
	return made(r).FindAllString(s, n)
}

// FindAllStringIndex is that of package regexp.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	if none(r, s) {
		return nil
	}
	return made(r).FindAllStringIndex(s, n)
}

// FindAllStringSubmatch is that of package regexp.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	if none(r, s) {
		return nil
	}
	return made(r).FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is that of package regexp.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	if none(r, s) {
		return nil
	}
	return made(r).FindAllStringSubmatchIndex(s, n)
}

// FindAllSubmatch is that of package regexp.
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	if none(r, b) {
		return nil
	}
	return made(r).FindAllSubmatch(b, n)
}

// FindAllSubmatchIndex is that of package regexp.
func (r *Regexp) FindAllSubmatchIndex(b []byte, n int) [][]int {
	if none(r, b) {
		return nil
	}
	return made(r).FindAllSubmatchIndex(b, n)
}

// FindIndex is that of package regexp.
func (r *Regexp) FindIndex(b []byte) []int {
	if none(r, b) {
		return nil
	}
	return made(r).FindIndex(b)
}

// FindString is that of package regexp.
func (r *Regexp) FindString(s string) string {
	if none(r, s) {
		return ""
	}
	return made(r).FindString(s)
}

// FindStringIndex is that of package regexp.
func (r *Regexp) FindStringIndex(s string) []int {
	if none(r, s) {
		return nil
	}
	return made(r).FindStringIndex(s)
}

// FindStringSubmatch is that of package regexp.
func (r *Regexp) FindStringSubmatch(s string) []string {
	if none(r, s) {
		return nil
	}
	return made(r).FindStringSubmatch(s)
}

// FindStringSubmatchIndex is that of package regexp.
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	if none(r, s) {
		return nil
	}
	return made(r).FindStringSubmatchIndex(s)
}

// FindSubmatch is that of package regexp.
func (r *Regexp) FindSubmatch(b []byte) [][]byte {
	if none(r, b) {
		return nil
	}
	return made(r).FindSubmatch(b)
}

// FindSubmatchIndex is that of package regexp.
func (r *Regexp) FindSubmatchIndex(b []byte) []int {
	if none(r, b) {
		return nil
	}
	return made(r).FindSubmatchIndex(b)
}

// Match is that of package regexp.
func (r *Regexp) Match(b []byte) bool {
	if matches, known := ask(r, b); known {
		return matches
	}
	return made(r).Match(b)
}

// MatchString is that of package regexp.
func (r *Regexp) MatchString(s string) bool {
	if matches, known := ask(r, s); known {
		return matches
	}
	return made(r).MatchString(s)
}

// ReplaceAll is that of package regexp.
func (r *Regexp) ReplaceAll(src, repl []byte) []byte { return made(r).ReplaceAll(src, repl) }

// ReplaceAllFunc is that of package regexp.
func (r *Regexp) ReplaceAllFunc(src []byte, repl func([]byte) []byte) []byte {
	return made(r).ReplaceAllFunc(src, repl)
}

// ReplaceAllString is that of package regexp.
func (r *Regexp) ReplaceAllString(src, repl string) string {
	if none(r, src) {
		return src
	}
	return made(r).ReplaceAllString(src, repl)
}

// ReplaceAllStringFunc is that of package regexp.
func (r *Regexp) ReplaceAllStringFunc(src string, repl func(string) string) string {
	if none(r, src) {
		return src
	}
	return made(r).ReplaceAllStringFunc(src, repl)
}

// Split is that of package regexp.
func (r *Regexp) Split(s string, n int) []string { return made(r).Split(s, n) }

// SubexpIndex is that of package regexp.
func (r *Regexp) SubexpIndex(name string) int { return made(r).SubexpIndex(name) }
