package oracle

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// Quote is a text of the site that repeats secrets. It begins with its mark, which stands nowhere else.
type Quote struct {
	Mark  string
	As    string // one of [mayBeCut] where who says it is not read to the end
	Parts []Part
}

// Part is one of a text: a secret as the site spells it, or what is none.
type Part struct {
	Text     string
	Secret   bool
	InErrors bool // it is masked in errors and their traces alone
}

// Text is the text as the site says it.
func (q Quote) Text() string { return q.written(func(p Part) string { return p.Text }) }

func (q Quote) written(as func(Part) string) string {
	var b strings.Builder
	b.WriteString(q.Mark)
	for _, p := range q.Parts {
		b.WriteString(as(p))
	}
	return b.String()
}

const mask = "[secret]"

// masked is the text with each secret masked, and nothing else. Secrets beside each other may be one mask.
func (q Quote) masked(inErrors bool) string {
	return oneMask(q.written(func(p Part) string {
		if p.Secret || p.InErrors && inErrors {
			return mask
		}
		return p.Text
	}))
}

func oneMask(text string) string {
	for strings.Contains(text, mask+mask) {
		text = strings.ReplaceAll(text, mask+mask, mask)
	}
	return text
}

// Says keeps that the site says a text from now on.
func (d *Day) Says(q Quote) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.quotes = append(d.quotes, q)
}

// The shortest texts that may be cut, in bytes, by where they are.
var mayBeCut = map[string]int{
	"message": 64<<10 - 4, // of an upgrade
	"error":   3990,       // a line
	"record":  3990,       // of an error
	"page":    490,        // of who answers in place of the site
	"title":   190,
}

// Quoted is a text of the program, or a file of it, that may repeat what the site said.
type Quoted struct {
	Where  string // such as a file
	As     string // one of [mayBeCut], or empty for a trace, which may not be cut
	Text   string
	quotes []Quote
}

// Repeats judges such a text.
func (d *Day) Repeats(q Quoted) {
	d.mu.Lock()
	q.quotes = d.quotes
	d.mu.Unlock()
	judge(d, atQuote, q)
}

// RepeatsIn judges the texts in some files of lines of JSON, or of one JSON.
func (d *Day) RepeatsIn(files map[string][]byte) {
	for name, content := range files {
		if !strings.Contains(string(content), quoteMark) {
			continue
		}
		as := ""
		switch {
		case strings.Contains(name, "/transcripts/"):
			as = "message"
		case path.Base(name) == "actions.jsonl":
			as = "record"
		}
		for line := range strings.Lines(string(content)) {
			for _, text := range textsIn(line) {
				if begins := strings.HasPrefix(text, quoteMark); !begins && as == "" {
					d.Repeats(Quoted{Where: path.Base(name), As: "error", Text: text}) // told in words of the program
				} else if strings.Contains(text, quoteMark) {
					d.Repeats(Quoted{Where: path.Base(name), As: as, Text: text})
				}
			}
		}
	}
}

// quoteMark begins every mark.
const quoteMark = "Notice-"

// MarkOf is the mark of the n-th text of a day.
func MarkOf(n int) string { return fmt.Sprintf("%s%04d ", quoteMark, n) }

// textsIn are the texts in a JSON, and in those that are JSON themselves.
func textsIn(raw string) (all []string) {
	var value any
	if json.Unmarshal([]byte(raw), &value) != nil {
		return nil
	}
	var look func(any)
	look = func(value any) {
		switch value := value.(type) {
		case string:
			if inner := textsIn(value); strings.HasPrefix(value, "{") && inner != nil {
				all = append(all, inner...)
			} else {
				all = append(all, value)
			}
		case []any:
			for _, v := range value {
				look(v)
			}
		case map[string]any:
			for _, v := range value {
				look(v)
			}
		}
	}
	look(value)
	return all
}

var atQuote = []rule[Quoted]{
	{"what is no secret stays as the site says it", staysAsSaid},
	{"what is cut has a sign", cutHasSign},
}

// found is a quote in a text, and how much of it is there.
func (q Quoted) found(see func(one Quote, said, is string, same int)) {
	for _, one := range q.quotes {
		_, rest, has := strings.Cut(q.Text, one.Mark)
		if !has {
			continue
		}
		said, is := one.masked(q.As != "message"), oneMask(one.Mark+rest)
		same := 0
		for same < min(len(said), len(is)) && said[same] == is[same] {
			same++
		}
		for same > 0 && same < len(said) && !utf8.RuneStart(said[same]) {
			same--
		}
		see(one, said, is, same)
	}
}

func staysAsSaid(q Quoted) (judged int, wrong []string) {
	q.found(func(one Quote, said, is string, same int) {
		judged++
		if same < len(said) && same < len(is) && !strings.HasPrefix(is[same:], "…") {
			wrong = append(wrong, fmt.Sprintf("%s says %q after %d bytes, and the site says %q", q.Where, around(is, same), same, around(said, same)))
		}
	})
	return judged, wrong
}

func cutHasSign(q Quoted) (judged int, wrong []string) {
	q.found(func(one Quote, said, is string, same int) {
		if same == len(said) {
			return
		}
		least, may := mayBeCut[q.As]
		where := strings.Index(q.Text, one.Mark)
		where += strings.Index(q.Text[where:]+"…", "…")
		if early, is := mayBeCut[one.As]; is && same >= early {
			least = 0
		}
		judged++
		switch {
		case same == len(is):
			wrong = append(wrong, fmt.Sprintf("%s is cut after %d bytes, and nothing says so: %q", q.Where, same, around(is, same)))
		case strings.HasPrefix(is[same:], "…") && (!may || where < least):
			wrong = append(wrong, fmt.Sprintf("%s is cut after %d bytes, and there is room for more: %q", q.Where, same, around(is, same)))
		}
	})
	return judged, wrong
}

// around is what stands at a place of a text.
func around(text string, at int) string { return text[max(0, at-30):min(len(text), at+40)] }

// Traced is the file of a program with its exchanges.
type Traced struct {
	Program   string
	Exchanges int // since the program began
	Lines     []string
	Size      int64 // of the whole file
}

// maxTrace is how large such a file may become.
const maxTrace = 64 << 20

// Traces judges such a file.
func (d *Day) Traces(t Traced) { judge(d, atTrace, t) }

var atTrace = []rule[Traced]{{"a debug file has every exchange, or says that it is full", traceWhole}}

func traceWhole(t Traced) (int, []string) {
	var wrong []string
	cut := 0
	for _, line := range t.Lines {
		var is struct{ Cut string }
		if err := json.Unmarshal([]byte(line), &is); err != nil {
			wrong = append(wrong, fmt.Sprintf("a line of the debug file of %s is no JSON: %.60q", t.Program, line))
		}
		if is.Cut != "" {
			cut++
		}
	}
	switch {
	case cut == 0 && len(t.Lines) != t.Exchanges:
		wrong = append(wrong, fmt.Sprintf("the debug file of %s has %d lines of %d exchanges, and does not say that it is full", t.Program, len(t.Lines), t.Exchanges))
	case cut > 1, cut == 1 && !strings.Contains(t.Lines[len(t.Lines)-1], `"cut"`):
		wrong = append(wrong, fmt.Sprintf("the debug file of %s says %d times that it is full, and goes on", t.Program, cut))
	case cut == 1 && len(t.Lines) > t.Exchanges, t.Size > maxTrace+1<<10:
		wrong = append(wrong, fmt.Sprintf("the debug file of %s has %d bytes, and %d lines of %d exchanges", t.Program, t.Size, len(t.Lines), t.Exchanges))
	}
	return 1, wrong
}
