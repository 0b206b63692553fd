package jsonedit

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"geodeck/adminapi/document"
	"geodeck/adminapi/pattern"
	"geodeck/adminapi/plain"
)

var (
	wholeNumber = pattern.New(`^-?(0|[1-9][0-9]*)$`)
	clockTime   = pattern.New(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)
)

// refusal is why what was typed is not taken, for a person.
type refusal string

// Error returns the sentence.
func (r refusal) Error() string { return string(r) }

// writer turns what was typed into JSON, or says why it is none.
type writer func(text string) (raw string, err error)

// asJSON is the writer of what is JSON already.
func asJSON(text string) (raw string, err error) { return text, nil }

// writerFor returns what is typed for a value, and how it is written back. A string
// is typed without its quotes, unless it holds what a line cannot show.
func writerFor(n document.Node, widget document.Widget) (text string, write writer) {
	if n.Kind() != document.String || !isPlain(n.Text()) {
		return n.Raw(), jsonWriter(widget)
	}
	before := n.Text()
	return before, func(text string) (string, error) {
		if text == before {
			return n.Raw(), nil // with the escapes it was written with
		}
		return textWriter(widget)(text)
	}
}

// textWriter writes what is typed as a string.
func textWriter(widget document.Widget) writer {
	return func(text string) (string, error) {
		if widget == document.ClockTime && text != "" && !clockTime().MatchString(text) {
			return "", refusal("Enter a time as HH:MM, from 00:00 to 23:59.")
		}
		return document.Quote(text), nil
	}
}

// jsonWriter takes what is typed as JSON.
func jsonWriter(widget document.Widget) writer {
	return func(text string) (string, error) {
		text = strings.TrimSpace(text)
		switch widget {
		case document.Integer, document.TimeInteger:
			if plainly := cmp.Or(strings.TrimLeft(text, "0"), "0"); plainly != text && wholeNumber().MatchString(plainly) {
				return "", refusal(text + " is not a whole number; write " + plainly + ".")
			}
			if !wholeNumber().MatchString(text) {
				return "", refusal("Enter a whole number, such as 60.")
			}
		case document.NumberText:
			if d, err := document.Parse([]byte(text)); err != nil || d.Root().Kind() != document.Number {
				return "", refusal("Enter a number, such as 0.5 or 1e-3.")
			}
		case document.OnOff:
			if text != "true" && text != "false" {
				return "", refusal("Enter true or false.")
			}
		}
		if _, err := document.Parse([]byte(text)); err != nil {
			return "", refusal(reason(err) + " A string needs quotes.")
		}
		return text, nil
	}
}

// hintFor says what fits.
func hintFor(widget document.Widget) string {
	switch widget {
	case document.Integer:
		return "a whole number"
	case document.TimeInteger:
		return "a whole number, unit not documented"
	case document.NumberText:
		return "a number"
	case document.ClockTime:
		return "HH:MM"
	case document.OneLine, document.CommaList:
		return "a string, without quotes"
	}
	return "any JSON"
}

// isPlain reports whether a text is seen as it is: what is cleaned for the screen is
// better edited with its escapes.
func isPlain(text string) bool {
	return len(text) <= plain.MaxLine/2 && plain.Line(text) == text
}

// newValue says how the value of a new field is typed. Settings of an extension are
// texts, whatever they say.
func newValue(f document.Field) (label string, write writer) {
	if f.Kind == document.String || f.Widget >= document.OneLine {
		return "its text", textWriter(f.Widget)
	}
	if hint := hintFor(f.Widget); f.Widget != document.AnyWidget {
		return hint, jsonWriter(f.Widget)
	}
	return "its value, as JSON", jsonWriter(f.Widget)
}

// extensionAt returns the extension that a value is, or lies in.
func extensionAt(n document.Node) (document.Node, bool) {
	for ; n.Valid(); n = n.Parent() {
		list := n.Parent()
		if !list.Valid() || list.Kind() != document.Array || list.Parent() != n.Document().Root() {
			continue
		}
		if key, _ := list.Key(); key == "extensions" {
			return n, true
		}
	}
	return document.Node{}, false
}

// ExtensionState names an extension and says whether it is on; empty for anything
// else. The text is as it was written.
func ExtensionState(n document.Node) string {
	if extension, ok := extensionAt(n); !ok || extension != n {
		return ""
	}
	name, ok := n.Child("typeName")
	if !ok {
		return ""
	}
	switch enabled, _ := n.Child("enabled"); {
	case !enabled.Valid():
		return name.Text()
	case isOn(enabled):
		return name.Text() + ", on"
	default:
		return name.Text() + ", off"
	}
}

func isOn(n document.Node) bool { return strings.EqualFold(n.Text(), "true") }

// flipped returns the other one of true and false, as a text where it is one now.
func flipped(n document.Node) string {
	raw := strconv.FormatBool(!isOn(n))
	if n.Kind() == document.String {
		return document.Quote(raw)
	}
	return raw
}

// isHolder reports whether a value is an object or array.
func isHolder(n document.Node) bool {
	return n.Kind() == document.Object || n.Kind() == document.Array
}

// countOf says how much an object or array holds.
func countOf(n document.Node) string {
	if n.Kind() == document.Object {
		return plain.Plural(n.Len(), "key")
	}
	return plain.Plural(n.Len(), "element")
}

// reason says in plain words why an edit was not made.
func reason(err error) string {
	var syntax *document.SyntaxError
	var edit *document.EditError
	switch {
	case errors.As(err, &syntax) && syntax.Line > 1:
		return fmt.Sprintf("Line %d, column %d: %s", syntax.Line, syntax.Column, plain.Line(syntax.Message))
	case errors.As(err, &syntax):
		return fmt.Sprintf("Column %d: %s", syntax.Column, plain.Line(syntax.Message))
	case errors.As(err, &edit):
		return plain.Capital(plain.Line(edit.Message))
	}
	return plain.Line(err.Error())
}
