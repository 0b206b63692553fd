package progress

import (
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/widget/rows"
)

// The fields of a filter, before a colon. The values after it are separated by commas, and
// match what begins with one of them.
const (
	fieldCode  = "code"
	fieldPhase = "phase"
	fieldKind  = "kind"
)

// The values of kind beside the kinds of the catalogue.
const (
	kindUnknown   = "unknown"   // the code is not in the catalogue
	kindOpen      = "open"      // started and not completed
	kindAttention = "attention" // either, or What now names it
)

// attentionFilter is the filter of a key.
const attentionFilter = fieldKind + ":" + kindAttention

// term is one condition of a filter.
type term struct {
	field  string // empty for text
	values []string
	not    bool
}

// termsOf parses a filter such as "code:2173 !phase:plan some words". What has no known
// field is a word of the text: words match apart and in any order. A leading ! negates a term.
func termsOf(filter string) []term {
	var terms []term
	for _, word := range strings.Fields(strings.ToLower(filter)) {
		bare, not := strings.CutPrefix(word, "!")
		field, value, found := strings.Cut(bare, ":")
		switch {
		case found && (field == fieldCode || field == fieldPhase || field == fieldKind):
			terms = append(terms, term{field, strings.Split(value, ","), not})
		case bare != "":
			terms = append(terms, term{"", []string{bare}, not})
		}
	}
	return terms
}

// Filter returns a function that reports whether a message passes the filter.
func (l *log) Filter(filter string) func(i int) bool {
	var checks []func(m progress.Message, c progress.Code) bool
	for _, t := range termsOf(filter) {
		check := l.check(t)
		checks = append(checks, func(m progress.Message, c progress.Code) bool { return check(m, c) != t.not })
	}
	return func(i int) bool {
		m := l.At(i)
		code, _ := progress.CodeOf(m.Code)
		for _, check := range checks {
			if !check(m, code) {
				return false
			}
		}
		return true
	}
}

// check returns a function that reports whether a message meets a term. The code is zero
// where it is not in the catalogue.
func (l *log) check(t term) func(progress.Message, progress.Code) bool {
	begins := func(s string) bool {
		return slices.ContainsFunc(t.values, func(value string) bool { return strings.HasPrefix(s, value) })
	}
	switch t.field {
	case fieldCode:
		return func(m progress.Message, _ progress.Code) bool { return begins(strconv.Itoa(m.Code)) }
	case fieldPhase:
		return func(_ progress.Message, c progress.Code) bool {
			return begins(strings.ToLower(c.Phase)) && (c.Phase != "" || begins(""))
		}
	case fieldKind:
		type key struct {
			code int
			when adminapi.Millis
			text string
		}
		open, named := make(map[key]bool, len(l.open)), map[key]bool{}
		for _, step := range l.open {
			open[key{step.Code.Code, step.Since, step.Text}] = true
		}
		if x := &l.reason.explanation; x.Fault {
			for _, e := range x.Evidence {
				if e.At.Kind == explain.Message && e.At.Number < l.Len() {
					m := l.At(e.At.Number)
					named[key{m.Code, m.When, m.Message}] = true
				}
			}
		}
		return func(m progress.Message, c progress.Code) bool {
			switch {
			case named[key{m.Code, m.When, m.Message}] && begins(kindAttention):
				return true
			case c.Code == 0:
				return begins(kindUnknown) || begins(kindAttention)
			case open[key{m.Code, m.When, m.Message}] && (begins(kindOpen) || begins(kindAttention)):
				return true
			}
			return begins(string(c.Kind))
		}
	}
	has := rows.Finder(t.values[0])
	return func(m progress.Message, c progress.Code) bool {
		return has(plain.Line(m.Message)) || has(strconv.Itoa(m.Code)) || has(c.Phase)
	}
}
