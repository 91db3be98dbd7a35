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
	return all(r, b, n, made(r).FindAll, same)
}

// FindAllIndex is that of package regexp.
func (r *Regexp) FindAllIndex(b []byte, n int) [][]int {
	return all(r, b, n, made(r).FindAllIndex, moved)
}

// FindAllString is that of package regexp.
func (r *Regexp) FindAllString(s string, n int) []string {
	return all(r, s, n, made(r).FindAllString, same)
}

// FindAllStringIndex is that of package regexp.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return all(r, s, n, made(r).FindAllStringIndex, moved)
}

// FindAllStringSubmatch is that of package regexp.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return all(r, s, n, made(r).FindAllStringSubmatch, same)
}

// FindAllStringSubmatchIndex is that of package regexp.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return all(r, s, n, made(r).FindAllStringSubmatchIndex, moved)
}

// FindAllSubmatch is that of package regexp.
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	return all(r, b, n, made(r).FindAllSubmatch, same)
}

// FindAllSubmatchIndex is that of package regexp.
func (r *Regexp) FindAllSubmatchIndex(b []byte, n int) [][]int {
	return all(r, b, n, made(r).FindAllSubmatchIndex, moved)
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
