package progress

import (
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/widget/rows"
)

// Words that a filter can begin with, before a colon. What follows is matched from
// its beginning on, one of several with commas between them.
const (
	fieldCode  = "code"
	fieldPhase = "phase"
	fieldKind  = "kind"
)

// What kind: knows beside the kinds of the catalogue.
const (
	kindUnknown   = "unknown"   // the code is not of the catalogue
	kindOpen      = "open"      // started and not completed
	kindAttention = "attention" // either
)

// asksForAttention is the filter that a key sets.
const asksForAttention = fieldKind + ":" + kindAttention

// term is one demand of a filter.
type term struct {
	field  string // empty for text
	values []string
	not    bool
}

// termsOf takes a filter apart: "code:2173 !phase:plan some words". What has no
// known word before a colon is text, as it was typed. A leading ! turns a demand
// round.
func termsOf(filter string) []term {
	var terms []term
	var words []string
	for _, word := range strings.Split(filter, " ") {
		bare, not := strings.CutPrefix(word, "!")
		field, value, found := strings.Cut(strings.ToLower(bare), ":")
		if !found || field != fieldCode && field != fieldPhase && field != fieldKind {
			words = append(words, word)
			continue
		}
		terms = append(terms, term{field, strings.Split(value, ","), not})
	}
	text, not := strings.CutPrefix(strings.TrimSpace(strings.Join(words, " ")), "!")
	if text != "" {
		terms = append(terms, term{"", []string{strings.ToLower(text)}, not})
	}
	return terms
}

// Filter returns what reports whether a message passes a filter.
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

// check returns what reports whether a message meets a term. The code is zero where
// the catalogue does not have it.
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
		open := l.openSteps()
		return func(m progress.Message, c progress.Code) bool {
			return slices.ContainsFunc(kindsOf(m, c, open), begins)
		}
	}
	has := rows.Finder(t.values[0])
	return func(m progress.Message, c progress.Code) bool {
		return has(plain.Line(m.Message)) || has(strconv.Itoa(m.Code)) || has(c.Phase)
	}
}

// openKey names what was started and goes on.
type openKey struct {
	code int
	when int64
	text string
}

func (l *log) openSteps() map[openKey]bool {
	open := make(map[openKey]bool, len(l.open))
	for _, step := range l.open {
		open[openKey{step.Code.Code, int64(step.Since), step.Text}] = true
	}
	return open
}

// kindsOf lists what a message is.
func kindsOf(m progress.Message, c progress.Code, open map[openKey]bool) []string {
	switch {
	case c.Code == 0:
		return []string{kindUnknown, kindAttention}
	case open[openKey{m.Code, int64(m.When), m.Message}]:
		return []string{string(c.Kind), kindOpen, kindAttention}
	}
	return []string{string(c.Kind)}
}
