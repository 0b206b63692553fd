package keyboard

import (
	"bytes"
	"reflect"
	"slices"
	"time"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/theme"
)

// Marks travel among the keys as bytes that are no UTF-8. Bubble Tea makes a message of
// each, and the Reader lets none through from the terminal.
const (
	markBackground = 0xf8 // with the two behind it: a theme.Background
	markBehind     = 0xfb // the keys that come together go on with those right before
	markEscape     = 0xfc // the key esc: an esc itself would join the next key
	markMore       = 0xfd // the next paste goes on in the one after it
	markTogether   = 0xfe // the keys up to the next mark of an end came together
	markEnd        = 0xff
)

// Burst is two or more keys that came in one piece: typed while the line was slow, or a
// paste that the terminal does not mark. If it goes on with what came right before, which was
// more than a slow line gathers, it begins with a key that has no text, and may have one more only.
type Burst []tea.KeyMsg

// Text returns the text that a key would be in a paste, and reports whether it may be of one:
// no paste holds keys that have sequences, and esc and ctrl+c are never taken for one.
func Text(key tea.KeyMsg) ([]rune, bool) {
	switch {
	case key.Type == tea.KeyRunes && !key.Alt:
		return key.Runes, true
	case key.Type == tea.KeySpace:
		return []rune{' '}, true
	case key.Type >= 0 && key.Type != tea.KeyEsc && key.Type != tea.KeyCtrlC:
		return []rune{rune(key.Type)}, true // a control character
	}
	return nil, false
}

// encode appends the pieces of the last read to out. Text that nobody types so fast becomes
// a paste, and so does what comes soon behind it, but not one key alone or held. Where a
// question is open it stays keys that came together, and so do those behind it.
func (r *Reader) encode(out []byte, now time.Time) []byte {
	texts, keys, runs := 0, 0, 0
	cut := false
	var before []byte
	for i, p := range r.pieces {
		switch p.kind {
		case ignored:
			r.pieces[i] = r.hear(p)
		case text:
			texts++
			keys++
			if !bytes.Equal(p.bytes, before) {
				runs++
			}
			before = p.bytes
		case special, escape:
			keys++
		case closing: // the paste was given up before
			cut = true
		}
	}
	asking := r.asking.Load()
	flood := cut || runs > maxTogether
	behind := now.Sub(r.floodAt) < pasteTail && (runs > 1 || asking)
	if texts > 0 && (flood || behind) {
		if flood || runs > maxKeys {
			r.floodAt = now
		}
		if cut || !asking {
			return r.encodeFlood(out)
		}
	}
	together := texts > 0 && (keys > 1 || behind)
	if together {
		out = append(out, markTogether)
	}
	if together && behind {
		out = append(out, markBehind)
	}
	for _, p := range r.pieces {
		out = p.encode(out)
	}
	if together {
		out = append(out, markEnd)
	}
	return out
}

// encodeFlood appends the text as one paste: where keys are between, they come behind it.
func (r *Reader) encodeFlood(out []byte) []byte {
	first := slices.IndexFunc(r.pieces, func(p piece) bool { return p.kind == text })
	for _, p := range r.pieces[:first] {
		out = p.encode(out)
	}
	out = append(out, pasteStart...)
	for _, p := range r.pieces[first:] {
		if p.kind == text {
			out = append(out, p.bytes...)
		}
	}
	out = append(out, pasteEnd...)
	for _, p := range r.pieces[first:] {
		if p.kind != text {
			out = p.encode(out)
		}
	}
	return out
}

// encode appends one piece.
func (p piece) encode(out []byte) []byte {
	switch p.kind {
	case text, mark:
		return append(out, p.bytes...)
	case special:
		if len(p.bytes) == 3 && p.bytes[1] == 'O' && bytes.IndexByte([]byte("ABCDFH"), p.bytes[2]) >= 0 {
			return append(out, esc, '[', p.bytes[2]) // Bubble Tea knows not all of these
		}
		return append(out, p.bytes...)
	case escape:
		return append(out, markEscape)
	case pasted:
		if p.more && len(p.bytes) == 0 {
			return out
		}
		if p.more {
			out = append(out, markMore)
		}
		return append(append(append(out, pasteStart...), p.bytes...), pasteEnd...)
	}
	return out
}

// maxPaste is how many bytes of a paste are taken.
const maxPaste = 1 << 20

// Truncated is a paste of which only the first MiB was taken.
type Truncated tea.KeyMsg

// Decoder makes keys of the messages that Bubble Tea makes of what a [Reader] read.
type Decoder struct {
	together bool
	burst    Burst
	more     bool
	paste    []byte // of a paste so far, as UTF-8
	dropped  bool   // more of it was too much
}

// Decode returns the message that the program gets: a key, a whole paste, a [Burst], a
// [theme.Background] that the terminal tells, or what is no key as it is. It returns nil where more has to come, or there is none.
func (d *Decoder) Decode(msg tea.Msg) tea.Msg {
	if key, ok := msg.(tea.KeyMsg); ok {
		return d.key(key)
	}
	v := reflect.ValueOf(msg)
	if !v.IsValid() || v.Type().PkgPath() != keyPkg {
		return msg
	}
	switch { // their types are not exported
	case v.Kind() == reflect.Uint8: // a byte that is no key
		return d.mark(byte(v.Uint()))
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8: // a sequence that is none
		return nil
	}
	return msg
}

var keyPkg = reflect.TypeFor[tea.KeyMsg]().PkgPath()

func (d *Decoder) mark(mark byte) tea.Msg {
	switch mark {
	case markBackground, markBackground + 1, markBackground + 2:
		return theme.Background(mark - markBackground)
	case markEscape:
		return d.key(tea.KeyMsg{Type: tea.KeyEsc})
	case markBehind:
		d.burst = append(d.burst, tea.KeyMsg{Type: tea.KeyRunes})
	case markMore:
		d.more = true
	case markTogether:
		d.together, d.burst = true, nil
	case markEnd:
		d.together = false
		return d.burst
	}
	return nil
}

func (d *Decoder) key(key tea.KeyMsg) tea.Msg {
	if key.Paste {
		for _, char := range key.Runes {
			if d.dropped = d.dropped || len(d.paste)+utf8.RuneLen(char) > maxPaste; d.dropped {
				break
			}
			d.paste = utf8.AppendRune(d.paste, char)
		}
		if d.more || len(d.paste) == 0 {
			d.more = false
			return nil
		}
		dropped := d.dropped
		key.Runes, d.paste, d.dropped = []rune(string(d.paste)), nil, false
		if dropped && !d.together {
			return Truncated(key)
		}
	}
	switch {
	case !d.together:
		return key
	case key.Type != tea.KeyRunes || key.Paste:
		d.burst = append(d.burst, key)
	default:
		for _, char := range key.Runes {
			d.burst = append(d.burst, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{char}, Alt: key.Alt})
		}
	}
	return nil
}
