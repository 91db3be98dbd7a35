package canary

// text undoes encodings of bytes as text. Where the alignment is not known, which
// is everywhere, all of them are tried: each has a node of its own.
type text struct {
	base64 [4]*node
	base32 [8]*node
	hex    [2]*node

	percent, backslash escapes
	decimal            decimals

	sextets, quintets, digits group
	zero                      bool // as in node
}

// group collects the bits of an encoding.
type group struct {
	bits  uint64
	n     uint32 // characters so far
	fresh int    // characters since something that is no part of the encoding
}

func newText(parent *node, inflate bool) *text {
	t := &text{}
	child := func(name string) *node { return newNode(parent.s, parent.via+name+" of ", false, inflate) }
	for i := range t.base64 {
		t.base64[i] = child("base64")
	}
	for i := range t.hex {
		t.hex[i] = child("hex")
	}
	for i := range t.base32 {
		t.base32[i] = child("base32")
		t.base32[i].blind = true
	}
	if !inflate { // then there is nothing left to look for
		t.base32 = [8]*node{}
	}
	t.percent = escapes{to: child("percent-encoding"), mark: '%'}
	t.backslash = escapes{to: child("escapes"), mark: '\\'}
	t.percent.to.escaped, t.backslash.to.escaped = parent, parent
	t.decimal = decimals{to: child("decimal")}
	return t
}

func (t *text) feed(b byte) {
	class := classes[b]
	if class&isBase64 != 0 {
		if at := t.sextets.push(base64s[b], 6, 4); at >= 0 {
			to := t.base64[at]
			if t.sextets.fresh == 4 {
				to.boundary()
			}
			v := t.sextets.bits
			to.feed(byte(v >> 16))
			to.feed(byte(v >> 8))
			to.feed(byte(v))
		}
	} else if class&isSpace == 0 {
		t.sextets.fresh = 0
	}
	if t.base32[0] != nil {
		if class&isBase32 != 0 {
			if at := t.quintets.push(base32s[b], 5, 8); at >= 0 {
				to := t.base32[at]
				if t.quintets.fresh == 8 {
					to.boundary()
				}
				for shift := 32; shift >= 0; shift -= 8 {
					to.feed(byte(t.quintets.bits >> shift))
				}
			}
		} else if class&isSpace == 0 {
			t.quintets.fresh = 0
		}
	}
	if t.zero && b|0x20 != 'x' {
		t.nibble(0)
	}
	t.zero = b == '0'
	switch {
	case t.zero:
	case class&isHex != 0:
		t.nibble(nibbles[b])
	case class&(isSpace|alnum) == 0 && b != '\\' && b != ':' && b != '%' && b != ',' && b != '-':
		t.digits.fresh = 0
	}
	t.percent.feed(b)
	t.backslash.feed(b)
	t.decimal.feed(b)
}

func (t *text) nibble(v byte) {
	if at := t.digits.push(v, 4, 2); at >= 0 {
		to := t.hex[at]
		if t.digits.fresh == 2 {
			to.boundary()
		}
		to.feed(byte(t.digits.bits))
	}
}

// push adds a character of some bits and returns the alignment at which the last
// size characters make whole bytes, -1 while there are fewer.
func (g *group) push(v byte, bits, size uint) int {
	g.bits = g.bits<<bits | uint64(v)
	g.n++
	g.fresh++
	if g.n < uint32(size) {
		return -1
	}
	return int(g.n % uint32(size))
}

func (t *text) flush(end bool) {
	if end {
		if t.zero {
			t.nibble(0)
		}
		t.decimal.feed(' ')
		// Groups at the end of base64 and base32 may be short.
		for range 3 {
			if at := t.sextets.push(0, 6, 4); at >= 0 {
				v := t.sextets.bits
				t.base64[at].feed(byte(v >> 16))
				t.base64[at].feed(byte(v >> 8))
				t.base64[at].feed(byte(v))
			}
		}
	}
	for _, kids := range [][]*node{t.base64[:], t.base32[:], t.hex[:], {t.percent.to, t.backslash.to, t.decimal.to}} {
		for _, n := range kids {
			if n != nil {
				n.flush(end)
			}
		}
	}
}

// escapes undoes %41, or \x41 and \u0041, in text that need not be escaped as a
// whole.
type escapes struct {
	to    *node
	mark  byte
	state uint8 // 0: text; 1: after the mark; 2: within digits
	want  uint8 // digits to come
	value byte
}

func (e *escapes) feed(b byte) {
	switch e.state {
	case 1:
		e.value = 0
		switch {
		case e.mark == '%' && classes[b]&isHex != 0:
			e.state, e.want, e.value = 2, 1, nibbles[b]
			return
		case e.mark == '\\' && b == 'x':
			e.state, e.want = 2, 2
			return
		case e.mark == '\\' && b == 'u':
			e.state, e.want = 2, 4
			return
		}
	case 2:
		if classes[b]&isHex != 0 {
			e.value = e.value<<4 | nibbles[b]
			if e.want--; e.want == 0 {
				e.state = 0
				e.to.undone = 8
				e.to.feed(e.value)
			}
			return
		}
	}
	e.state = 0
	if b == e.mark {
		e.state = 1
		return
	}
	e.to.feed(b)
}

// decimals makes bytes of the numbers in text: [104, 101, 108].
type decimals struct {
	to    *node
	value uint16 // of the number so far; over 255 it stays there
	some  bool
}

func (d *decimals) feed(b byte) {
	if '0' <= b && b <= '9' {
		d.some = true
		d.value = min(d.value*10+uint16(b-'0'), 256)
		return
	}
	if d.some && d.value < 256 {
		d.to.feed(byte(d.value))
	}
	d.some, d.value = false, 0
}
