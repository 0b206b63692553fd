package oracle

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Answer is what a person has typed for a setting in a form on the screen.
type Answer struct{ Label, ID, Kind, Text string }

// The kinds of answers.
const (
	Choice   = "choice"
	Path     = "path"
	JSONText = "JSON"
	Masked   = "secret"
)

// form is a form as it is shown, or the review of it.
type form struct {
	program, frame string
	saved          string // the review as it was written to a file
	answers        []Answer
}

// FormShown judges a form by what was filled in before, by the same program or one before it.
func (d *Day) FormShown(program, frame string, answers []Answer) {
	judge(d, atForm, form{program: program, frame: frame, answers: answers})
}

// Reviewed judges the review of a form, as it is shown and as it was written to a file.
func (d *Day) Reviewed(program, frame, saved string, answers []Answer) {
	judge(d, atReview, form{program, frame, saved, answers})
}

var atForm = []rule[form]{{"a form has each answer that was given to it", answersStay}}

var atReview = []rule[form]{
	{"a review shows what was filled in", reviewIsFilled},
	{"the request of a review has what was filled in", requestIsFilled},
}

// linesOf is what stands below the label of a setting, up to the next label or a blank line.
func linesOf(frame, label string) (lines []string, found bool) {
	for _, line := range strings.Split(frame, "\n") {
		text := strings.TrimSpace(line)
		switch {
		case strings.TrimSuffix(text, " *") == label:
			found = true
		case found && text == "" && len(lines) > 1:
			return lines, true
		case found && text != "":
			lines = append(lines, strings.TrimSpace(strings.TrimLeft(text, "│┃|>‹› ")))
		}
	}
	return lines, found
}

// ValueIn is the choice that a form shows below a label; empty for none.
func ValueIn(frame, label string) string {
	lines, _ := linesOf(frame, label)
	for _, line := range lines {
		if word := strings.TrimFunc(line, func(c rune) bool { return !unicode.IsLetter(c) }); word == "yes" || word == "no" || word == "not answered" {
			return word
		}
	}
	return ""
}

// answersStay wants each answer below its label.
func answersStay(f form) (judged int, wrong []string) {
	for _, a := range f.answers {
		lines, found := linesOf(f.frame, a.Label)
		if !found || len(lines) < 2 && a.Kind != Choice {
			continue // on another page, or cut
		}
		is := ValueIn(f.frame, a.Label)
		if a.Kind != Choice {
			is = spaceless(strings.Join(lines, ""))
		}
		want := spaceless(a.Text)
		if a.Kind == Masked {
			continue // a later program has none of it
		}
		if cut := spaceless(strings.Join(lines[min(1, len(lines)):], "")); len(cut) > 40 && strings.HasPrefix(want, cut) {
			want = cut // a field shows as much as it has room for
		}
		if judged++; a.Kind == Choice && is != a.Text || a.Kind != Choice && !strings.Contains(is, want) {
			wrong = append(wrong, fmt.Sprintf("%s shows %q for %s, and %s was filled in", f.program, lines, a.Label, a.Text))
		}
	}
	return judged, wrong
}

func spaceless(text string) string { return strings.Join(strings.Fields(text), "") }

// latestWords is what a review says of the latest patch.
var latestWords = map[string]string{"yes": "is installed too", "no": "Not installed"}

// reviewIsFilled wants the answers by their labels: a choice in its words, the name and the version of the licence, a value as it
// was typed, and no secret.
func reviewIsFilled(f form) (judged int, wrong []string) {
	for _, a := range f.answers {
		label, want := a.Label, "changed: "+a.Text
		switch {
		case a.Kind == Choice && a.ID == "updateToLatestPatch":
			label, want = "Latest patch", latestWords[a.Text]
		case a.Kind == Choice:
			want = a.Text
		case a.Kind == Path:
			label, want = "Licence", a.Text[strings.LastIndex(a.Text, "/")+1:]
		case a.Kind == Masked:
			want = "[secret]"
		}
		found := regexp.MustCompile(`(?m)^ *` + regexp.QuoteMeta(label) + `(?:\n {10,}| +)(.*(?:\n {10,}.*)*)`).FindStringSubmatch(f.saved)
		if found == nil {
			wrong = append(wrong, fmt.Sprintf("%s: the review has no line of %s", f.program, label))
			continue
		}
		if is := spaceless(found[1]); !strings.Contains(is, spaceless(want)) && !strings.HasPrefix(is, "asproposed:"+spaceless(a.Text)) {
			wrong = append(wrong, fmt.Sprintf("%s: the review has %q for %s, and %s was filled in", f.program, found[1], label, a.Text))
		}
		judged++
	}
	return judged, wrong
}

// requestOf is the form within the request of a review.
var requestOf = regexp.MustCompile(`(?m)^upgradeSettings\s*((?:.*\n(?:  .*\n)*))`)

// requestIsFilled wants the value of each answer in the settings that the review shows as its request.
func requestIsFilled(f form) (judged int, wrong []string) {
	found := requestOf.FindStringSubmatch(f.saved)
	if found == nil {
		return 1, []string{fmt.Sprintf("%s: the review has no settings: %.2000s", f.program, f.saved)}
	}
	settings := settingsIn(found[1])
	for _, a := range f.answers {
		at := slices.IndexFunc(settings, func(s setting) bool { return s.key == a.ID })
		if a.Kind == Masked || at < 0 && a.Kind == Path {
			continue // a licence that no setting asks for is a part of its own
		}
		if judged++; at < 0 {
			wrong = append(wrong, fmt.Sprintf("%s: the request of a review has no %s: %.2000s", f.program, a.ID, found[1]))
			continue
		}
		var want string
		switch a.Kind {
		case Choice:
			want = map[string]string{"yes": "true", "no": "false"}[a.Text]
		case Path: // of its content there is nothing
			continue
		default:
			want = strings.Trim(packed(json.RawMessage(a.Text)), `"`)
		}
		if is := strings.Trim(packed(settings[at].Value), `"`); is != want {
			wrong = append(wrong, fmt.Sprintf("%s: the request of a review has %s for %s, and %s was filled in", f.program, is, a.ID, want))
		}
	}
	return judged, wrong
}
