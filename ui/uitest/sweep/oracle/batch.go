package oracle

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Batch is what a command has printed that edits the definitions of several services.
type Batch struct {
	Day      *Day
	Program  string
	Form     string // table, json or jsonl
	Code     int
	Out, Err string
	Services []string                     // in the order in which they were given
	Has      map[string]func(string) bool // whether a definition of a service has what is wanted
	Files    map[string][]byte            // as they are at its end
	Ends     bool                         // a person, a signal or its time may have ended it
	Hurt     bool                         // it was killed, or its disk went wrong
	lines    []Line
	odd      []string // what is no line of it
	records  []*Record
}

// Line is what it says of one service.
type Line struct {
	Service, Outcome, Text string
	Sent                   *bool // nil in a table
	Kept                   bool
}

// Stopped says that it was not tried, since another one before it was not done.
func (l Line) Stopped() bool {
	return l.Outcome == "not sent" && strings.HasPrefix(l.Text, "stopped at ")
}

// batchLine is a line of a table.
var batchLine = regexp.MustCompile(`(?m)^(\S+Server): (done|unchanged|planned|unknown|not sent|refused|failed)(?: \((.*)\))?(?:; the old version is \S+)?$`)

// Batched judges what an edit of several services has printed, and returns its lines: none where it has ended before.
func (d *Day) Batched(b Batch) []Line {
	b.Day, b.records = d, RecordsIn(b.Files)
	b.read()
	if !b.Hurt {
		judge(d, atBatch, b)
	}
	return b.lines
}

// read reads the lines in their form.
func (b *Batch) read() {
	switch b.Form {
	case "table":
		for _, said := range batchLine.FindAllStringSubmatch(b.Out, -1) {
			b.lines = append(b.lines, Line{Service: said[1], Outcome: said[2], Text: said[3]})
		}
	case "json":
		var list struct{ Items []Line }
		if json.Unmarshal([]byte(b.Out), &list) != nil && strings.TrimSpace(b.Out) != "" {
			b.odd = append(b.odd, b.Out)
		}
		b.lines = list.Items
	default:
		for text := range strings.Lines(b.Out) {
			var line Line
			if json.Unmarshal([]byte(text), &line) != nil {
				b.odd = append(b.odd, text)
			}
			b.lines = append(b.lines, line)
		}
	}
}

var atBatch = []rule[Batch]{
	{"an edit of several has a line for each", lineForEach},
	{"a line of an edit of several is so", linesAreSo},
	{"an edit of several stops at the first that is not done", stopsAtFirst},
	{"the exit code of an edit of several fits its lines", codeFits},
}

func lineForEach(b Batch) (int, []string) {
	if len(b.odd) > 0 {
		return 1, []string{fmt.Sprintf("the output as %s is none: %.200s", b.Form, b.odd[0])}
	}
	if len(b.lines) == 0 {
		if b.Code == 0 || len(b.sent("")) > 0 {
			return 1, []string{fmt.Sprintf("%s exits with %d, has sent %d edits, and has no line", b.Program, b.Code, len(b.sent("")))}
		}
		return 0, nil
	}
	var named []string
	for _, l := range b.lines {
		named = append(named, l.Service)
	}
	if !slices.Equal(named, b.Services) {
		return 1, []string{fmt.Sprintf("%s has lines of %v, and was given %v", b.Program, named, b.Services)}
	}
	return 1, nil
}

// sent are the edits of a service that have come from its program; of all where none is named.
func (b Batch) sent(service string) []*Write {
	return b.Day.sent(func(w *Write) bool {
		return w.Program == b.Program && w.document() != "" && (service == "" || w.Path == "/services/"+service+"/edit")
	})
}

// recorded reports whether the record has an edit of a service of which the end is not known.
func (b Batch) recorded(service string) bool {
	return slices.ContainsFunc(b.records, func(r *Record) bool {
		return below(r.Path) == "/services/"+service+"/edit" && (r.Outcome == "unknown" || r.Outcome == "done" && r.Verdict == "")
	})
}

// lineIsSo says what is wrong with a line; empty for nothing.
func (b Batch) lineIsSo(l Line) string {
	all := b.sent(l.Service)
	taken := slices.ContainsFunc(all, func(w *Write) bool { return w.Accepted || w.Made || b.Day.has(w) })
	has := b.Has[l.Service]
	switch l.Outcome {
	case "done":
		if !taken {
			return "the site has not accepted it"
		}
		if slices.ContainsFunc(all, func(w *Write) bool { return goesOn(b.Day.job(w)) }) {
			return "its job goes on"
		}
		if l.Sent != nil && !*l.Sent {
			return "it says that nothing was sent"
		}
	case "unchanged":
		if len(all) > 0 {
			return "it was sent"
		}
		if read := b.Day.ReadBy(b.Program, "/services/"+l.Service); has != nil && !has(read) {
			return "what was read of it has something else"
		}
	case "not sent":
		if len(all) > 0 || l.Sent != nil && *l.Sent {
			return "it was sent"
		}
	case "refused":
		if slices.ContainsFunc(all, func(w *Write) bool { return w.Accepted }) {
			return "the site has accepted it"
		}
		if l.Sent != nil && *l.Sent != (len(all) > 0) && !*l.Sent {
			return "it says that nothing was sent, and that came"
		}
	case "failed":
		if !taken && !slices.ContainsFunc(all, func(w *Write) bool { return w.Accepted }) {
			return "the site has not accepted it"
		}
	case "unknown":
		if len(all) == 0 && !b.recorded(l.Service) {
			return "nothing was sent there of which the end is not known"
		}
	default:
		return "that is no outcome"
	}
	return ""
}

func linesAreSo(b Batch) (judged int, wrong []string) {
	for _, l := range b.lines {
		judged++
		if why := b.lineIsSo(l); why != "" {
			wrong = append(wrong, fmt.Sprintf("%s says as %s of %s that it is %s (%s), and %s", b.Program, b.Form, l.Service, l.Outcome, l.Text, why))
		}
	}
	return judged, wrong
}

// line is that of a service; nil for none.
func (b Batch) line(service string) *Line {
	at := slices.IndexFunc(b.lines, func(l Line) bool { return l.Service == service })
	if at < 0 {
		return nil
	}
	return &b.lines[at]
}

// stopsAtFirst wants each edit but the last to be done before the next is sent, all in the order of the services.
func stopsAtFirst(b Batch) (judged int, wrong []string) {
	all, before := b.sent(""), -1
	for i, w := range all {
		service := strings.TrimSuffix(strings.TrimPrefix(w.Path, "/services/"), "/edit")
		at, line := slices.Index(b.Services, service), b.line(service)
		judged++
		if at <= before {
			wrong = append(wrong, fmt.Sprintf("%s sends to %s after a later one", b.Program, service))
		}
		before = at
		if i < len(all)-1 && line != nil && line.Outcome != "done" {
			wrong = append(wrong, fmt.Sprintf("%s says that %s is %s, and has sent to another one after it", b.Program, service, line.Outcome))
		}
	}
	for i, l := range b.lines {
		if !l.Stopped() {
			continue
		}
		at, _, _ := strings.Cut(strings.TrimPrefix(l.Text, "stopped at "), " ")
		judged++
		if by := slices.Index(b.Services, at); by < 0 || by >= i {
			wrong = append(wrong, fmt.Sprintf("%s says that %s was stopped at %s", b.Program, l.Service, at))
		}
	}
	return judged, wrong
}

// ended are the exit codes of a command that was ended.
var ended = []int{130, 143, 5, 7}

func codeFits(b Batch) (int, []string) {
	if len(b.lines) == 0 || b.Ends && slices.Contains(ended, b.Code) {
		return 0, nil
	}
	count, tried := map[string]int{}, ""
	for _, l := range b.lines {
		count[l.Outcome]++
		if len(b.sent(l.Service)) > 0 && l.Outcome != "done" {
			tried = l.Outcome
		}
	}
	want := []int{1, 2, 3, 4, 5, 6}
	switch all := count["done"]+count["unchanged"] == len(b.lines); {
	case all:
		want = []int{0}
	case tried == "unknown":
		want = []int{3, 6, 7}
	case tried == "failed":
		want = []int{1}
	case tried == "refused":
		want = []int{1, 2, 3, 4}
	case count["failed"] > 0:
		return 1, []string{"a line is failed, and nothing was sent there"}
	case count["unknown"] > 0:
		want = []int{1, 2, 3, 4, 5, 6}
	case count["refused"] > 0:
		want = []int{1, 2, 3, 4, 5, 6}
	}
	if !slices.Contains(want, b.Code) {
		return 1, []string{fmt.Sprintf("%s exits with %d, which is not that of %v: %.200s", b.Program, b.Code, count, b.Err)}
	}
	return 1, nil
}
