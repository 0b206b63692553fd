package keyboard

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// kind is what a piece of the input is.
type kind int

const (
	text    kind = iota // a character or a control character: what a paste may hold
	special             // a sequence of a key, or ctrl+c: what no paste holds
	escape              // the key esc
	pasted              // a piece of pasted text
	ignored             // bytes that are no key: answers, events, what is broken
	mark                // what an answer says, for the [Decoder]
	answer              // the start of an answer that a terminator ends
	opening             // of a bracketed paste
	closing             // of a bracketed paste
	unsure              // the start of a sequence, or keys: time tells
	begun               // the start of a sequence or character, useless without its end
)

const (
	esc        = 0x1b
	interrupt  = 0x03
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// maxSequence is how long a sequence of a key or an event may be.
const maxSequence = 48

// next returns the length and the kind of the first piece of b, which is not empty.
func next(b []byte) (int, kind) {
	switch {
	case b[0] == interrupt:
		return 1, special
	case b[0] != esc && b[0] < utf8.RuneSelf:
		return 1, text
	case b[0] != esc && !utf8.FullRune(b):
		return len(b), begun
	case b[0] != esc:
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError {
			return n, ignored
		}
		return n, text
	case len(b) == 1:
		return 1, unsure
	}
	switch b[1] {
	case '[':
		return control(b)
	case 'O':
		return shift(b)
	case ']', 'P', '_':
		return device(b)
	}
	return 1, escape
}

// control is next for sequences that begin with CSI.
func control(b []byte) (int, kind) {
	end := 2
	for end < len(b) && b[end] >= '0' && b[end] <= '?' {
		end++
	}
	parameters := end
	for end < len(b) && b[end] >= ' ' && b[end] <= '/' {
		end++
	}
	switch sequence := string(b[:end]); {
	case sequence == "\x1b[7$", sequence == "\x1b[8$": // shift+home and shift+end of rxvt
		return end, special
	case end == len(b) || end > maxSequence:
		return unended(b, end)
	}
	final, n := b[end], end+1
	switch {
	case (final < '@' || final > '~') && end == 2:
		return 1, escape // and the key [
	case final < '@' || final > '~':
		return end, ignored // cut off
	case end == 2 && (final == '[' || final == 'O'): // F1 of the console, shift+up of rxvt
		if len(b) == n {
			return n, begun
		}
		if strings.IndexByte("ABCDEabcd", b[n]) >= 0 {
			return n + 1, special
		}
		return n, ignored
	case end == 2 && final == 'M': // the mouse of old terminals: three bytes follow
		if n+3 > len(b) {
			return len(b), begun
		}
		return n + 3, ignored
	case string(b[:n]) == pasteStart:
		return n, opening
	case string(b[:n]) == pasteEnd:
		return n, closing
	case parameters > 2 && b[2] >= '<', end > parameters, strings.IndexByte("ABCDFHPQRSZabcd~^@", final) < 0:
		return n, ignored // an answer, or an event that nobody asked for
	}
	return n, special
}

// unended is next for a sequence without its end, of which the first bytes are as they should be.
func unended(b []byte, end int) (int, kind) {
	switch {
	case len(b) == 2:
		return 2, unsure
	case end > maxSequence:
		return maxSequence + 1, ignored
	}
	return end, begun
}

// shift is next for sequences that begin with SS3.
func shift(b []byte) (int, kind) {
	end := 2
	for end < len(b) && (b[end] >= '0' && b[end] <= '9' || b[end] == ';') {
		end++
	}
	switch {
	case end == len(b) || end > maxSequence:
		return unended(b, end)
	case strings.IndexByte("ABCDFHPQRS", b[end]) < 0 && end == 2:
		return 1, escape // and the key O
	case strings.IndexByte("ABCDFHPQRS", b[end]) < 0:
		return end, ignored
	case end > 2:
		return end + 1, ignored
	}
	return end + 1, special
}

// device is next for what only answers of terminals begin with: OSC and a number, DCS, APC.
func device(b []byte) (int, kind) {
	starts := map[byte]string{']': "0123456789", 'P': "0123456789>!+$|", '_': "G"}
	switch {
	case len(b) == 2:
		return 2, unsure
	case strings.IndexByte(starts[b[1]], b[2]) >= 0:
		return 3, answer
	}
	return 1, escape
}

// answered returns how much of b belongs to an answer that has begun, and whether it ends
// there. An answer ends with ST or BEL, or is cut off by any other control character.
func answered(b []byte) (n int, ends bool) {
	for i, c := range b {
		switch {
		case c == '\a', c == 0x18, c == 0x1a:
			return i + 1, true
		case c == esc && i+1 == len(b):
			return i, false // time tells
		case c == esc && b[i+1] == '\\':
			return i + 2, true
		case c < ' ':
			return i, true
		}
	}
	return len(b), false
}

// inPaste returns how much of b is text of a paste that is open, how long the end of the
// paste behind it is, zero if it is not there. The start of that end, and of a character,
// is left for later.
func inPaste(b []byte) (n, end int) {
	if i := bytes.Index(b, []byte(pasteEnd)); i >= 0 {
		return i, len(pasteEnd)
	}
	n = len(b)
	for i := range min(len(pasteEnd)-1, n) {
		if strings.HasPrefix(pasteEnd, string(b[n-i-1:])) {
			return n - i - 1, 0
		}
	}
	for i := 1; i < utf8.UTFMax && i <= n; i++ {
		if utf8.RuneStart(b[n-i]) {
			if !utf8.FullRune(b[n-i:]) {
				n -= i
			}
			break
		}
	}
	return n, 0
}

// piece is a part of the input that makes sense alone.
type piece struct {
	kind  kind
	bytes []byte
	more  bool // of a paste: another piece follows
}

// state is what the input is in the middle of.
type state struct {
	answering bool   // an answer
	said      string // of it, as far as it may be of interest
	pasting   bool   // a bracketed paste
}

// split appends the pieces of b that are whole, and returns what is left: nothing, or what
// is unsure or begun.
func (s *state) split(pieces []piece, b []byte) (whole []piece, rest []byte, tail kind) {
	for len(b) > 0 {
		if s.answering {
			n, ends := answered(b)
			s.said += string(b[:min(n, maxSequence-len(s.said))])
			b, s.answering = b[n:], !ends
			if ends {
				pieces = append(pieces, piece{kind: ignored, bytes: []byte(s.said)})
			}
			if !ends && len(b) > 0 {
				return pieces, b, unsure
			}
			continue
		}
		if s.pasting {
			n, end := inPaste(b)
			s.pasting = end == 0
			pieces = append(pieces, piece{pasted, b[:n], s.pasting})
			b = b[n+end:]
			if s.pasting {
				return pieces, b, begun
			}
			continue
		}
		n, kind := next(b)
		switch kind {
		case unsure, begun:
			return pieces, b, kind
		case answer:
			s.answering, s.said = true, string(b[:n])
		case opening:
			s.pasting = true
		default:
			pieces = append(pieces, piece{kind: kind, bytes: b[:n]})
		}
		b = b[n:]
	}
	return pieces, nil, text
}

// typed returns the keys of what might have been the start of a sequence.
func typed(b []byte) []piece {
	pieces := []piece{{kind: escape, bytes: b[:1]}}
	for i := range b[1:] {
		pieces = append(pieces, piece{kind: text, bytes: b[i+1 : i+2]})
	}
	return pieces
}
