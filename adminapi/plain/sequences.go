package plain

import "unicode/utf8"

// Controls that open, cancel or end a sequence.
const (
	bell     = 0x07
	cancel   = 0x18
	substit  = 0x1a
	escape   = 0x1b
	nextLine = 0x85
	dcs      = 0x90
	sos      = 0x98
	csi      = 0x9b
	strEnd   = 0x9c
	osc      = 0x9d
	pm       = 0x9e
	apc      = 0x9f
)

// skipEscape passes over a sequence that begins with ESC, or over the ESC alone
// where nothing follows that a terminal would take for a sequence.
func (c *cleaner) skipEscape() {
	c.at++
	if c.at == len(c.in) {
		return
	}
	switch b := c.in[c.at]; {
	case b == '[':
		c.at++
		c.skipCSI()
	case b == ']':
		c.at++
		c.skipString(true)
	case b == 'P' || b == 'X' || b == '^' || b == '_' || b == 'k':
		// ESC k sets the title of a window in screen and tmux.
		c.at++
		c.skipString(false)
	default:
		c.skipShort()
	}
}

// skipShort passes over any intermediate bytes and the final one.
func (c *cleaner) skipShort() {
	for c.at < len(c.in) && c.in[c.at] >= 0x20 && c.in[c.at] <= 0x2f {
		c.at++
	}
	if c.at < len(c.in) && c.in[c.at] >= 0x30 && c.in[c.at] <= 0x7e {
		c.at++
	}
}

// skipC1 passes over what follows an eight-bit introducer.
func (c *cleaner) skipC1(r rune) {
	switch r {
	case csi:
		c.skipCSI()
	case osc:
		c.skipString(true)
	default:
		c.skipString(false)
	}
}

// skipCSI passes over parameters, intermediates and the final byte.
func (c *cleaner) skipCSI() {
	for c.at < len(c.in) && c.in[c.at] >= 0x20 && c.in[c.at] <= 0x3f {
		c.at++
	}
	if c.at < len(c.in) && c.in[c.at] >= 0x40 && c.in[c.at] <= 0x7e {
		c.at++
	}
}

// skipString passes over the body of a string sequence and its end. Only an OSC
// may end in a bell. One that is given up or never ends takes the rest of its
// line, not the lines below: they may be what the administrator has to read.
func (c *cleaner) skipString(bellEnds bool) {
	noEnd := &c.noEnd[0]
	if bellEnds {
		noEnd = &c.noEnd[1]
	}
	if c.at >= *noEnd { // else: looked for before, without success; once is enough
		end, ok := stringEnd(c.in, c.at, bellEnds)
		if ok {
			c.at = end
			return
		}
		*noEnd = end
	}
	for c.at < len(c.in) && c.in[c.at] != '\n' && c.in[c.at] != '\r' && c.in[c.at] != escape {
		c.at++
	}
}

// stringEnd looks for the end of a string sequence, and returns the offset
// behind it. A terminal gives the string up at an ESC that does not end it, so
// nothing is looked for behind one: then end is where the search stopped.
func stringEnd(s string, at int, bellEnds bool) (end int, ok bool) {
	for at < len(s) {
		switch b := s[at]; {
		case b == escape:
			if at+1 < len(s) && s[at+1] == '\\' {
				return at + 2, true
			}
			return at, false
		case b == cancel, b == substit, b == bell && bellEnds:
			return at + 1, true
		case b < utf8.RuneSelf:
			at++
		default:
			r, size := utf8.DecodeRuneInString(s[at:])
			if r == strEnd || size == 1 && b == strEnd {
				return at + size, true
			}
			at += size
		}
	}
	return len(s), false
}
