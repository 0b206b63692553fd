package placement

import (
	"strconv"
	"strings"

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
	var parts []string
	switch i.Kind() {
	case None:
		parts = append(parts, "Pods may run on any node")
	case Required:
		parts = append(parts, requiredText(i.Required))
	case Preferred:
		parts = append(parts, "Pods may run on any node"+preferredText(i.Preferred))
	case Both:
		parts = append(parts, requiredText(i.Required)+preferredText(i.Preferred))
	}
	parts = append(parts, tolerationsText(i.Tolerations))
	return plain.Clip(strings.Join(parts, "; ")+".", MaxSentence)
}

func requiredText(a Affinity) string {
	if len(a.Terms) == 0 {
		return "Pods run on no node, as the required affinity has no term"
	}
	return "Pods must run on " + termsText(a)
}

func preferredText(a Affinity) string {
	if len(a.Terms) == 0 {
		return ""
	}
	return " and prefer " + termsText(a)
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
	return joined(parts, maxTerms, ", or ", "or")
}

func termText(a Affinity, t Term) string {
	text := "no node (a term without a line)"
	if len(t.Lines) > 0 {
		var parts []string
		for _, l := range t.Lines {
			parts = append(parts, lineText(l))
		}
		text = "nodes " + joined(parts, maxLines, " and ", "and")
	}
	if a.Shape == WeightedList {
		text += " (weight " + strconv.Itoa(t.Weight) + ")"
	}
	return text
}

// joined sets a word between texts, and counts those beyond the most.
func joined(parts []string, limit int, between, last string) string {
	if len(parts) <= limit {
		return strings.Join(parts, between)
	}
	return strings.Join(parts[:limit], between) + " " + last + " " + strconv.Itoa(len(parts)-limit) + " more"
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
	return joined(cleanWords(values), maxValues, " or ", "or")
}

func tolerationsText(tolerations []Toleration) string {
	if len(tolerations) == 0 {
		return "they tolerate no taint"
	}
	var parts []string
	for _, t := range tolerations {
		parts = append(parts, tolerationText(t))
	}
	return "they also accept nodes with " + joined(parts, maxTolerations, ", or ", "or")
}

// tolerationText names the taints that a toleration answers.
func tolerationText(t Toleration) string {
	text := "the taint " + cleanWord(t.Key)
	switch {
	case t.Key == "" && t.Operator == Exists:
		text = "any taint"
	case t.Key == "":
		text = "any taint with the value " + cleanWord(t.Value)
	case t.Operator == Exists:
		text += " of any value"
	case t.Operator == Equal || t.Operator == "":
		text += "=" + t.cleanValue()
	default:
		text += " " + cleanWord(t.Operator) + " " + cleanWord(t.Value)
	}
	if t.Effect != "" {
		text += " and the effect " + cleanWord(t.Effect)
	}
	if t.Seconds != "" {
		text += " for " + cleanWord(t.Seconds) + " s"
	}
	return text
}

func (t Toleration) cleanValue() string {
	if t.Value == "" {
		return ""
	}
	return cleanWord(t.Value)
}

// LineText returns a line in short, such as `gpu In a100, h100`; clean.
func LineText(l Line) string {
	text := cleanWord(l.Key) + " " + cleanWord(l.Operator)
	if len(l.Values) > 0 {
		text += " " + listed(cleanWords(l.Values), maxValues, ", ")
	}
	return text
}

// TolerationText returns a toleration in short, such as `dedicated=gis:NoSchedule`
// or `every taint`; clean.
func TolerationText(t Toleration) string {
	text := cleanWord(t.Key)
	switch {
	case t.Key == "" && t.Operator == Exists:
		text = "every taint"
	case t.Operator == Exists:
	case t.Operator == Equal || t.Operator == "":
		text += "=" + t.cleanValue()
	default:
		text += " " + cleanWord(t.Operator) + " " + cleanWord(t.Value)
	}
	if t.Effect != "" {
		text += ":" + cleanWord(t.Effect)
	}
	if t.Seconds != "" {
		text += " for " + cleanWord(t.Seconds) + " s"
	}
	return text
}
