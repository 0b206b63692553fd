package jsonedit

import (
	"regexp"
	"slices"
	"strings"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
)

var (
	wholeNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	clockTime   = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)
)

// edit edits the value under the cursor with what suits it; what holds others is
// edited as text.
func (e *Editor) edit() {
	n, ok := e.node()
	if !ok {
		return
	}
	if n.Len() > 0 {
		e.editText()
		return
	}
	switch widget := document.WidgetFor(n); {
	case widget == document.OnOff:
		e.set(n, flipped(n))
	case widget == document.CommaList && isPlain(n.Text()):
		e.beginWords(n)
	default:
		e.editLine(n, widget)
	}
}

// editLine types the value in its line.
func (e *Editor) editLine(n document.Node, widget document.Widget) {
	text, write := writerFor(n, widget)
	m := newEntry(text, "New value", hintFor(widget), func(text string) string {
		raw, reason := write(text)
		if reason == "" {
			reason = e.set(n, raw)
		}
		return reason
	})
	if f, ok := document.FieldOf(n.Path()); ok && n.Kind() == document.String {
		m.values = slices.DeleteFunc(slices.Clone(f.Values), func(v string) bool { return v == text })
		if len(m.values) > 0 {
			m.values = append(m.values, text)
		}
	}
	m.line, m.inTree = e.tree.lineOf(n), true
	e.goTo(m.line)
	e.begin(m)
}

// set makes a JSON text the value of a node, or says why it cannot be.
func (e *Editor) set(n document.Node, raw string) (why string) {
	d, err := e.tree.doc.SetValue(n.Path(), raw)
	if err != nil {
		return reason(err)
	}
	e.change(d, at(startOf(n)))
	return ""
}

// writer turns what was typed into JSON, or says why it is none.
type writer func(text string) (raw, reason string)

// writerFor returns what is typed for a value, and how it is written again. A string
// is typed without its quotes, unless it holds what a line cannot show.
func writerFor(n document.Node, widget document.Widget) (text string, write writer) {
	if n.Kind() != document.String || !isPlain(n.Text()) {
		return n.Raw(), jsonWriter(widget)
	}
	before := n.Text()
	return before, func(text string) (string, string) {
		if text == before {
			return n.Raw(), "" // with the escapes it was written with
		}
		return textWriter(widget)(text)
	}
}

// textWriter writes what is typed as a string.
func textWriter(widget document.Widget) writer {
	return func(text string) (string, string) {
		if widget == document.ClockTime && text != "" && !clockTime.MatchString(text) {
			return "", "A time of day is written HH:MM, from 00:00 to 23:59."
		}
		return document.Quote(text), ""
	}
}

// jsonWriter takes what is typed as JSON.
func jsonWriter(widget document.Widget) writer {
	return func(text string) (string, string) {
		text = strings.TrimSpace(text)
		switch widget {
		case document.Integer, document.TimeInteger:
			if !wholeNumber.MatchString(text) {
				return "", "This is a whole number, such as 60."
			}
		case document.NumberText:
			if d, err := document.Parse([]byte(text)); err != nil || d.Root().Kind() != document.Number {
				return "", "This is a number, such as 0.5 or 1e-3."
			}
		case document.OnOff:
			if text != "true" && text != "false" {
				return "", "This is true or false."
			}
		}
		if _, err := document.Parse([]byte(text)); err != nil {
			return "", reason(err) + " A text stands in quotes."
		}
		return text, ""
	}
}

// hintFor says what fits.
func hintFor(widget document.Widget) string {
	switch widget {
	case document.Integer:
		return "a whole number"
	case document.TimeInteger:
		return "a whole number, unit not stated"
	case document.NumberText:
		return "a number"
	case document.ClockTime:
		return "HH:MM"
	case document.OneLine, document.CommaList:
		return "a text, without quotes"
	}
	return "any JSON"
}

// isPlain tells whether a text is seen as it is: what is cleaned for the screen is
// better edited with its escapes.
func isPlain(text string) bool {
	return len(text) <= plain.MaxLine/2 && plain.Line(text) == text
}
