package placement

import (
	"strconv"
	"strings"

	"geodeck/adminapi/lists"
	"geodeck/adminapi/plain"
)

// MaxSentence is the longest sentence, in cells.
const MaxSentence = 2000

// How many of each a sentence names before it counts the rest.
const (
	maxTerms       = 6
	maxLines       = 6
	maxValues      = 6
	maxTolerations = 8
)

// Sentence says in plain words where pods of an item go: any of the terms, all
// lines of a term, then the tolerations. It is clean, one line, and at most
// MaxSentence cells long: of long lists it names the first and counts the rest.
func Sentence(i Item) string {
	text := "Pods may run on any node"
	switch {
	case i.Required.Present && len(i.Required.Terms) == 0:
		text = "Pods run on no node: the required affinity has no term"
	case i.Required.Present:
		text = "Pods must run on " + termsText(i.Required)
	}
	if len(i.Preferred.Terms) > 0 {
		text += " and prefer " + termsText(i.Preferred)
	}
	tolerated := lists.Each(i.Tolerations, tolerationText)
	if len(tolerated) == 0 {
		text += "; they tolerate no taint."
	} else {
		text += "; they also accept nodes with " + plain.Listed(tolerated, maxTolerations, ", or ", " or ") + "."
	}
	return plain.Clip(text, MaxSentence)
}

// termsText joins terms, any of which is enough.
func termsText(a Affinity) string {
	if len(a.Terms) == 1 {
		return termText(a, a.Terms[0])
	}
	var parts []string
	for i, t := range a.Terms {
		parts = append(parts, "("+strconv.Itoa(i+1)+") "+termText(a, t))
	}
	return plain.Listed(parts, maxTerms, ", or ", " or ")
}

func termText(a Affinity, t Term) string {
	text := "no node (a term without lines)"
	if len(t.Lines) > 0 {
		text = "nodes " + plain.Listed(lists.Each(t.Lines, lineText), maxLines, " and ", " and ")
	}
	if a.Shape == WeightedList {
		text += " (weight " + strconv.Itoa(t.Weight) + ")"
	}
	return text
}

// lineText says a line as a relative clause.
func lineText(l Line) string {
	key := cleanWord(l.Key)
	switch l.Operator {
	case In:
		return "whose " + key + " is " + choice(l.Values)
	case NotIn:
		return "whose " + key + " is not " + choice(l.Values)
	case Exists:
		return "that have " + key
	case DoesNotExist:
		return "that have no " + key
	case Gt:
		return "whose " + key + " is above " + choice(l.Values)
	case Lt:
		return "whose " + key + " is below " + choice(l.Values)
	}
	return "for which " + LineText(l) + " holds (an unknown operator)"
}

func choice(values []string) string {
	if len(values) == 0 {
		return "(no value)"
	}
	return plain.Listed(cleanWords(values), maxValues, " or ", " or ")
}

// tolerationText names the taints that a toleration answers.
func tolerationText(t Toleration) string {
	text := "the taint " + cleanWord(t.Key) + t.valueText(" of any value")
	switch {
	case t.Key == "" && t.Operator == Exists:
		text = "any taint"
	case t.Key == "":
		text = "any taint with the value " + cleanWord(t.Value)
	}
	if t.Effect != "" {
		text += " and the effect " + cleanWord(t.Effect)
	}
	return text + t.secondsText()
}

// valueText says which values of a taint a toleration answers.
func (t Toleration) valueText(any string) string {
	switch {
	case t.Operator == Exists:
		return any
	case t.Operator != Equal && t.Operator != "":
		return " " + cleanWord(t.Operator) + " " + cleanWord(t.Value)
	case t.Value == "":
		return "="
	}
	return "=" + cleanWord(t.Value)
}

func (t Toleration) secondsText() string {
	if t.Seconds == "" {
		return ""
	}
	return " for " + cleanWord(t.Seconds) + " s"
}

// LineText returns a line in short, such as `gpu In a100, h100`; clean.
func LineText(l Line) string {
	text := cleanWord(l.Key) + " " + cleanWord(l.Operator)
	if len(l.Values) > 0 {
		text += " " + plain.Listed(cleanWords(l.Values), maxValues, ", ", ", ")
	}
	return text
}

// TolerationText returns a toleration in short, such as `dedicated=gis:NoSchedule`
// or `every taint`; clean.
func TolerationText(t Toleration) string {
	text := cleanWord(t.Key) + t.valueText("")
	if t.Key == "" && t.Operator == Exists {
		text = "every taint"
	}
	if t.Effect != "" {
		text += ":" + cleanWord(t.Effect)
	}
	return text + t.secondsText()
}

// cleanWord returns a word of others for a sentence: clean and short, visible if empty.
func cleanWord(text string) string {
	if text = strings.TrimSpace(plain.Clip(text, 60)); text == "" {
		return `""`
	}
	return text
}

func cleanWords(texts []string) []string {
	return lists.Each(texts, cleanWord)
}
