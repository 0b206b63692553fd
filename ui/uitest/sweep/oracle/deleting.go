package oracle

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// deletions are the paths by which reports are deleted.
var deletions = regexp.MustCompile(`^/healthCheck/reports/(?:([^/]+)/)?delete$`)

// deletes are the reports that a write deletes; nil for another write.
func (w *Write) deletes() []string {
	is := deletions.FindStringSubmatch(w.Path)
	switch {
	case is == nil:
		return nil
	case is[1] != "":
		return []string{is[1]}
	}
	return strings.Split(w.Fields.Get("runIds"), ",")
}

// onlyChosenGo wants a deletion to be of the very reports that a person has named, each once.
func onlyChosenGo(a arrival) (int, []string) {
	ids := a.deletes()
	if ids == nil {
		return 0, nil
	}
	var named []string
	if a.Intent != nil {
		named = a.Intent.Goes
	}
	if !slices.Equal(ids, named) {
		return 1, []string{fmt.Sprintf("POST %s deletes %s, and those to go are %s", a.Path, ids, named)}
	}
	return 1, nil
}

// Deleting is a command that deletes reports, from before it begins: what the site has then is kept.
type Deleting struct {
	Printed
	day           *Day
	program, form string
	ids           []string // as they are given, each once
	dry           bool     // it has to send nothing
	before, after []checked
	writes        []*Write
}

// Deletes begins to look at such a command.
func (d *Day) Deletes(program, form string, ids []string, dry bool) *Deleting {
	l := &Deleting{day: d, program: program, form: form, dry: dry, before: d.reports()}
	for _, id := range ids {
		if !slices.Contains(l.ids, id) {
			l.ids = append(l.ids, id)
		}
	}
	return l
}

// Ended judges what the command has printed.
func (l *Deleting) Ended(p Printed) {
	l.Printed, l.after = p, l.day.reports()
	l.writes = l.day.sent(func(w *Write) bool { return w.Program == l.program && w.deletes() != nil })
	judge(l.day, atDeleting, l)
}

var atDeleting = []rule[*Deleting]{
	{"a deletion is told as it is", deletionIsSo},
	{"the reports that a deletion is about are shown", aboutShown},
	{"an id of no report stops a deletion", lackingStops},
	{"what is left of a deletion is counted", leftIsSo},
}

// has reports whether a list has a report.
func has(list []checked, id string) bool {
	return slices.ContainsFunc(list, func(r checked) bool { return r.ID == id })
}

// deleted is what such a command prints as JSON.
type deleted struct {
	Reports       []struct{ ID, Name string }
	Request       *struct{ Path string }
	Sent, Deleted bool
	Outcome       string
	Verdict       *string
}

func (l *Deleting) command() string {
	return "geodeck health delete " + strings.Join(l.ids, " ") + " -o " + l.form
}

// told is the JSON that was printed; nil for none.
func (l *Deleting) told() *deleted {
	var told deleted
	if l.form != "json" || json.Unmarshal([]byte(l.Out), &told) != nil || told.Outcome == "" {
		return nil
	}
	return &told
}

// deletionIsSo compares what is printed with the exit code, and both with the site.
func deletionIsSo(l *Deleting) (judged int, wrong []string) {
	fails := func(format string, args ...any) { wrong = append(wrong, l.command()+": "+fmt.Sprintf(format, args...)) }
	if told := l.told(); told != nil {
		codes := map[string][]int{"done": {0}, "refused": {3, 4}, "not sent": {1, 3, 4, 5}, "unknown": {6}}[told.Outcome]
		judged++
		if l.dry != (told.Outcome == "planned") || !l.dry && !slices.Contains(codes, l.Code) || told.Deleted != (told.Outcome == "done") || (told.Verdict != nil) != told.Deleted ||
			told.Sent != (told.Outcome != "not sent" && !l.dry) || !told.Sent && len(l.writes) > 0 {
			fails("it ends with %d and says %.300s", l.Code, l.Out)
		}
		if (told.Request != nil) != l.dry {
			fails("a request is printed by a dry run alone: %.300s", l.Out)
		}
	}
	said := l.form == "table" && strings.HasSuffix(l.Out, "done: deleted "+strings.Join(l.ids, ", ")+"\n")
	if said != (l.form == "table" && l.Code == 0 && !l.dry) {
		fails("it ends with %d and prints %.300s", l.Code, l.Out)
	}
	if l.Code != 0 || l.dry {
		return judged, wrong
	}
	for _, id := range l.ids {
		if judged++; has(l.after, id) {
			fails("it ends with 0, and the site has %s", id)
		}
	}
	return judged, wrong
}

// aboutShown wants each of the reports, by its id and name, in their order, and no other.
func aboutShown(l *Deleting) (judged int, wrong []string) {
	names, verdicts := map[string]string{}, map[string]string{}
	for _, r := range append(l.before, l.after...) {
		names[r.ID], verdicts[r.ID] = r.Name, r.listed()
	}
	if told := l.told(); told != nil {
		judged++
		same := len(told.Reports) == len(l.ids)
		for i, r := range told.Reports {
			same = same && r.ID == l.ids[i] && (l.Hostile || r.Name == names[r.ID])
		}
		if !same {
			wrong = append(wrong, fmt.Sprintf("%s is about %v", l.command(), told.Reports))
		}
	}
	if l.form == "table" && l.Code == 0 {
		judged++
		rest := l.Out
		for _, id := range l.ids {
			line := regexp.MustCompile(`(?m)^` + id + ` +` + verdicts[id] + ` .* ` + regexp.QuoteMeta(names[id]) + `$`)
			at := line.FindStringIndex(rest)
			if at == nil && !l.Hostile {
				return judged, append(wrong, fmt.Sprintf("%s does not show %s %q in its place: %.400s", l.command(), id, names[id], l.Out))
			}
			if at != nil {
				rest = rest[at[1]:]
			}
		}
	}
	return judged, wrong
}

// lackingStops wants nothing to be sent where the site lacks one of the reports, and just these to be named.
func lackingStops(l *Deleting) (judged int, wrong []string) {
	var never, gone []string // also before the command began, and only since
	for _, id := range l.ids {
		switch {
		case !has(l.before, id):
			never = append(never, id)
		case !has(l.after, id):
			gone = append(gone, id)
		}
	}
	if len(never) > 0 {
		if judged++; len(l.writes) > 0 || l.Code == 0 {
			wrong = append(wrong, fmt.Sprintf("%s: the site has no report %s, it ends with %d, and %d deletions were sent", l.command(), never, l.Code, len(l.writes)))
		}
	}
	if said := lacks.FindStringSubmatch(l.Err); said != nil {
		judged++
		for _, id := range l.ids {
			if named := slices.Contains(strings.Split(said[1], ", "), id); named && has(l.after, id) || !named && slices.Contains(never, id) {
				wrong = append(wrong, fmt.Sprintf("%s says that the site has no %s, and it lacks %s", l.command(), said[1], append(never, gone...)))
			}
		}
		if l.Code != 2 {
			wrong = append(wrong, fmt.Sprintf("%s names ids that nothing has, and ends with %d", l.command(), l.Code))
		}
	} else if len(never) > 0 && l.Calm {
		wrong = append(wrong, fmt.Sprintf("%s does not say that the site has no report %s: %.300s", l.command(), never, l.Err))
	}
	return judged, wrong
}

// lacks are the words for reports that are not there, and left those for how many of some still are.
var (
	lacks = regexp.MustCompile(`the site has no report (.+?); nothing was sent`)
	left  = regexp.MustCompile(`the site still has (\d+) of (\d+) reports?`)
)

func leftIsSo(l *Deleting) (judged int, wrong []string) {
	there := 0
	for _, id := range l.ids {
		if has(l.after, id) {
			there++
		}
	}
	for _, said := range left.FindAllStringSubmatch(l.Err, -1) {
		if judged++; said[1] != fmt.Sprint(there) || said[2] != fmt.Sprint(len(l.ids)) {
			wrong = append(wrong, fmt.Sprintf("%s says that %s, and it is %d of %d", l.command(), said[0], there, len(l.ids)))
		}
	}
	return judged, wrong
}

// Stay judges at the end of a day whether the reports are there that nobody wanted to go.
func (d *Day) Stay(ids []string) { judge(d, atStaying, staying{d.reports(), ids}) }

type staying struct {
	there []checked
	ids   []string
}

var atStaying = []rule[staying]{{"reports that nobody has chosen stay", func(s staying) (judged int, wrong []string) {
	for _, id := range s.ids {
		if judged++; !has(s.there, id) {
			wrong = append(wrong, "the site has no report "+id+" any more")
		}
	}
	return judged, wrong
}}}
