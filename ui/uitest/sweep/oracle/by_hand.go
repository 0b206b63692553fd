package oracle

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Hand is a document on one line that a person edits by hand: what it has to be by now, byte for byte, and what was before.
type Hand struct {
	Base, Text   string
	done, undone []string
	saved        []string // what it has been since it surely was on disk, the newest last
}

// Stroke is one edit by hand.
type Stroke struct {
	Do    string // set, text, add, insert, remove, rename, up, down, undo, redo, or typed: what is given up, or refused
	Path  string // of what it is about: of add and insert that of what it goes behind, or into
	Key   string // of what is added, or the new one
	Typed string // as a person types it
	Raw   string // as it has to be written
}

// NewHand is a document that nobody has edited yet.
func NewHand(text string) *Hand { return &Hand{Base: text, Text: text} }

// Do makes an edit, and reports whether it changes something.
func (h *Hand) Do(s Stroke) bool {
	from, to := &h.done, &h.undone
	var next string
	switch s.Do {
	case "redo":
		from, to = to, from
		fallthrough
	case "undo":
		if len(*from) == 0 {
			return false
		}
		next, *from = (*from)[len(*from)-1], (*from)[:len(*from)-1]
		*to = append(*to, h.Text)
	default:
		if next = s.on(h.Text); next == h.Text {
			return false
		}
		h.done, h.undone = append(h.done, h.Text), nil
	}
	h.Text = next
	h.saved = append(h.saved, next)
	return true
}

// Steps is how many edits can be undone.
func (h *Hand) Steps() int { return len(h.done) }

// Differs reports whether it means something else than the site has: in what order the keys of an object are is nothing to send.
func (h *Hand) Differs() bool { return treeOf(h.Text).meaning(false) != treeOf(h.Base).meaning(false) }

// Kept says that the document surely is on disk as it is now.
func (h *Hand) Kept() { h.saved = []string{h.Text} }

// Resumes goes on with what a later program has found, and reports whether that is the document as it was kept last, or became since.
// Nothing of it can be undone any more.
func (h *Hand) Resumes(text string) bool {
	is := slices.Contains(h.saved, text) || len(h.saved) == 0 && text == h.Base
	h.Text, h.done, h.undone = text, nil, nil
	h.Kept()
	return is
}

// span is a value of a text, and where it is in it.
type span struct {
	*tree
	path     string
	key      int // where its key begins, or itself
	from, to int
	line     int // its number on the screen, from 1
	nth      int
	up       *span
	within   []*span
}

// spansOf are the values of a document, each before what it holds.
func spansOf(text string) (all []*span) {
	t := treeOf(text)
	if t == nil {
		return nil
	}
	s := &span{tree: t, line: 1}
	s.place(text, 0)
	s.list(&all)
	return all
}

// place finds a value and what it holds from a byte on, and returns the number of the line behind it.
func (s *span) place(text string, at int) int {
	blank := func() {
		for at < len(text) && strings.IndexByte(blanks+",:", text[at]) >= 0 {
			at++
		}
	}
	blank()
	s.key = at
	if s.up != nil && s.up.open == '{' {
		at += scalarLength(text[at:])
		blank()
	}
	s.from = at
	if s.open == 0 {
		s.to = at + len(s.raw)
		return s.line + 1
	}
	at++
	line := s.line + 1
	for i, kid := range s.kids {
		in := &span{tree: kid, line: line, nth: i, up: s}
		if s.open == '{' {
			in.path = s.below(s.path, unquoted(s.keys[i]))
		} else if names := s.names(s.path); names != nil {
			in.path = s.below(s.path, names[i])
		} else {
			in.path = s.path + "[" + strconv.Itoa(i) + "]"
		}
		line = in.place(text, at)
		at = in.to
		s.within = append(s.within, in)
	}
	at += strings.IndexByte(text[at:], s.open+2)
	s.to = at + 1
	if len(s.kids) > 0 {
		line++
	}
	return line
}

func (s *span) list(all *[]*span) {
	*all = append(*all, s)
	for _, in := range s.within {
		in.list(all)
	}
}

func spanAt(text, path string) *span {
	for _, s := range spansOf(text) {
		if s.path == path {
			return s
		}
	}
	return nil
}

// on is a document after an edit; the same where that cannot be made.
func (s Stroke) on(text string) string {
	at := spanAt(text, s.Path)
	if at == nil || s.Do == "typed" || s.Do == "broken" || s.Do == "look" || at.up == nil && s.Do != "add" && s.Do != "insert" {
		return text
	}
	switch s.Do {
	case "set", "text":
		return text[:at.from] + s.Raw + text[at.to:]
	case "rename":
		return text[:at.key] + asText(s.Key) + text[at.key+scalarLength(text[at.key:]):]
	case "remove":
		switch in := at.up.within; {
		case len(in) == 1:
			return text[:at.up.from+1] + text[at.up.to-1:]
		case at.nth > 0:
			return text[:in[at.nth-1].to] + text[at.to:]
		default:
			return text[:at.key] + text[in[1].key:]
		}
	case "up", "down":
		first := at.nth
		if s.Do == "up" {
			first--
		}
		if first < 0 || first+1 >= len(at.up.within) {
			return text
		}
		a, b := at.up.within[first], at.up.within[first+1]
		return text[:a.key] + text[b.key:b.to] + text[a.to:b.key] + text[a.key:a.to] + text[b.to:]
	}
	item := s.Raw
	if s.Do == "add" {
		item = asText(s.Key) + ":" + item
	}
	switch {
	case at.open == 0:
		return text[:at.to] + "," + item + text[at.to:]
	case len(at.within) == 0:
		return text[:at.from+1] + item + text[at.to-1:]
	}
	end := at.within[len(at.within)-1].to
	return text[:end] + "," + item + text[end:]
}

// asText is a text as JSON, with no escapes but those that it needs.
func asText(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text)
	return strings.TrimSpace(b.String())
}
