package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Keys are what a person has done at the keys of a program up to a write.
type Keys struct {
	Yes      int      // how often they have confirmed that something is sent
	Accepted []string // the questions, as they were shown, whose word they have typed, also in a program before
}

// confirmedOnce wants a confirmation for each write of a program with a person at its keys.
func confirmedOnce(a arrival) (int, []string) {
	if a.Keys == nil {
		return 0, nil
	}
	sent := 1
	for _, w := range a.before {
		if w.Program == a.Program && w.Changes() {
			sent++
		}
	}
	if sent > a.Keys.Yes {
		return 1, []string{fmt.Sprintf("POST %s is write number %d of %s, and %d were confirmed", a.Path, sent, a.Program, a.Keys.Yes)}
	}
	return 1, nil
}

// overwritingAccepted wants what others made of an edited value, and an edit overwrites, to stand in a question whose word
// was typed before.
func overwritingAccepted(a arrival) (int, []string) {
	if a.Keys == nil || a.Intent == nil || a.Intent.Began == "" || a.Intent.Key == "" || a.Fields.Get("service") == "" || a.Base == "" {
		return 0, nil
	}
	began, theirs, sent := raw(a.Intent.Began, a.Intent.Key), raw(a.Base, a.Intent.Key), raw(a.text(), a.Intent.Key)
	if theirs == began || theirs == sent || theirs == "" {
		return 0, nil
	}
	for _, asked := range a.Keys.Accepted {
		if strings.Contains(asked, "drift") && strings.Contains(asked, " to "+theirs) {
			return 1, nil
		}
	}
	return 1, []string{fmt.Sprintf("POST %s overwrites %s, which others made of %s, and nobody has accepted that", a.Path, theirs, a.Intent.Key)}
}

// raw is the value of the first member of a name, as it is written; empty for none.
func raw(text, key string) string {
	found := member(key).FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	return found[2]
}

func member(key string) *regexp.Regexp {
	return regexp.MustCompile(`("` + regexp.QuoteMeta(key) + `"\s*:\s*)("(?:[^"\\]|\\.)*"|[^,}\s]+)`)
}

// Beside is a member that a person has edited beside what they want. One that was not there is Added.
type Beside struct {
	Key, Raw string
	Added    bool
	Sure     bool // nothing was in the way of keeping it
}

// besidesSent wants what was edited before, and was kept, to go out with the rest as it was written.
func besidesSent(a arrival) (judged int, wrong []string) {
	if a.Intent == nil || a.Fields.Get("service") == "" {
		return 0, nil
	}
	for _, b := range a.Intent.Besides {
		if !b.Sure {
			continue
		}
		if judged++; raw(a.text(), b.Key) != b.Raw {
			wrong = append(wrong, fmt.Sprintf("POST %s sends %s as %.60q, and it was edited to %.60q before", a.Path, b.Key, raw(a.text(), b.Key), b.Raw))
		}
	}
	return judged, wrong
}

// withoutBesides is a document without what was edited beside what is wanted.
func withoutBesides(text string, besides []Beside) string {
	for _, b := range besides {
		if !b.Added {
			text = without(text, b.Key)
			continue
		}
		if at := member(b.Key).FindStringIndex(text); at != nil {
			rest := strings.TrimLeft(text[at[1]:], " \n\r\t")
			text = text[:at[0]] + strings.TrimLeft(strings.TrimPrefix(rest, ","), " \n\r\t")
		}
	}
	return text
}

// Opening is a text that a program gives to an editor.
type Opening struct {
	Program, Text string
	Kept          string // what the editor before has left, or what there was before it where that left nothing
	Broken        bool   // that is no JSON
}

// Opens judges what an editor is given: broken text as it was written, else each value as it was.
func (d *Day) Opens(o Opening) { judge(d, atOpening, o) }

var atOpening = []rule[Opening]{{"an editor is given what was kept", givenIsKept}}

func givenIsKept(o Opening) (int, []string) {
	is, kept := o.Text, o.Kept
	if !o.Broken {
		is, kept = compact(is), compact(kept)
	}
	if is != kept {
		at := 0
		for at < min(len(is), len(kept)) && is[at] == kept[at] {
			at++
		}
		return 1, []string{fmt.Sprintf("%s gives an editor %.60q, and it was %.60q", o.Program, is[at:], kept[at:])}
	}
	return 1, nil
}

// compact is a text without spaces and lines between its values.
func compact(text string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return text
	}
	return b.String()
}
