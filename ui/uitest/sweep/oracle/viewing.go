package oracle

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Viewing is a person who goes through the list of a view from its first row to its last, from before the site was read for it.
type Viewing struct {
	day           *Day
	view          string
	zone          *time.Location
	filter        string
	files         map[string][]byte
	before, after []lineRow
	frames        []string
}

// Scrolled is what was in the way of that.
type Scrolled struct {
	Whole  bool            // the list was gone through to its end
	Calm   bool            // nothing was in the way of the requests of the day
	Unread map[string]bool // the paths of what the site never answers to programs
}

// The views whose lists are judged.
const (
	ViewServices = "services"
	ViewReports  = "reports"
	ViewOffers   = "offers"
	ViewRecord   = "record"
)

// LooksAt begins to look at a view. files are those of the machine, zone is that of its times, and filter what the list is
// filtered by; empty for nothing.
func (d *Day) LooksAt(view, filter string, files map[string][]byte, zone *time.Location) *Viewing {
	v := &Viewing{day: d, view: view, zone: zone, filter: filter, files: files}
	v.before = v.rows()
	return v
}

// Frame keeps what is on the screen.
func (v *Viewing) Frame(frame string) { v.frames = append(v.frames, frame) }

// Ended judges what was seen.
func (v *Viewing) Ended(s Scrolled) {
	v.after = v.rows()
	e := viewed{v, s, nil}
	for _, frame := range v.frames {
		if l := e.read(frame); l != nil {
			e.lists = append(e.lists, *l)
		}
	}
	judge(v.day, atViewing, e)
}

// lineRow is a row that a list has to show.
type lineRow struct {
	name   string // what it begins with, after a sign; a narrow column cuts it
	folder bool   // it is none of those that are counted
	texts  []string
	also   string // what a filter finds besides the name
	state  string // how the row ends; empty where that is not judged
	unread string // the path by which its state is read
}

// listPart is the list of a frame.
type listPart struct {
	title  string
	found  string // how many a filter has found, such as 3 of 12; empty where that is not said
	lines  []string
	cursor int // the row of it; -1 for none
}

type viewed struct {
	*Viewing
	Scrolled
	lists []listPart
}

var atViewing = []rule[viewed]{
	{"the rows of a screen are in order, and none lacks between them", rowsInARow},
	{"who scrolls through a list sees each of its rows", eachSeen},
	{"a screen counts the rows that there are", countsAreSo},
	{"a row of a screen is as the site has it", linesAgree},
}

// rows are those that the list has to show now.
func (v *Viewing) rows() (all []lineRow) {
	switch v.view {
	case ViewServices:
		all = v.day.serviceLines()
	case ViewReports:
		for _, r := range v.day.reports() {
			all = append(all, lineRow{name: r.Name, texts: []string{r.sign(), v.short(r.StartTime)}})
		}
	case ViewOffers:
		for _, r := range v.day.offers().tables {
			for _, one := range r.rows {
				day, _ := one.fields[5].want.(string)
				if at, err := time.Parse(time.RFC3339Nano, day); err == nil {
					day = at.In(v.zone).Format(time.DateOnly) // that of the machine
				}
				all = append(all, lineRow{name: one.fields[4].cell, texts: []string{day}})
			}
		}
	case ViewRecord:
		for _, r := range slices.Backward(RecordsIn(v.files)) {
			all = append(all, lineRow{texts: []string{v.short(millis(r.Time.UnixMilli()))}})
		}
	}
	if v.filter != "" {
		all = slices.DeleteFunc(all, func(r lineRow) bool {
			return r.folder || !strings.Contains(strings.ToLower(r.name), strings.ToLower(v.filter))
		})
	}
	return all
}

// short is a time as a list has it: with the time of the day in this year, and otherwise with the year.
func (v *Viewing) short(at millis) string {
	t := time.UnixMilli(int64(at)).In(v.zone)
	return "(?:" + t.Format("01-02 15:04") + "|" + t.Format(time.DateOnly) + ")"
}

// sign is that of a verdict.
func (r checked) sign() string {
	return map[string]string{"passed": "✓", "failed": "✗", "warning": "!", "running": "●"}[r.verdict()]
}

func (d *Day) serviceLines() (all []lineRow) {
	var down []lineRow // stand above all others
	folder := ""
	list := d.servicesIn("")
	states := map[string]state{}
	for _, one := range list {
		states[one.path()] = d.stateOf(one.path())
	}
	var root struct{ Folders []string }
	d.into("/services", &root)
	empty := func(before string) { // the folders without a service up to one that has some
		for len(root.Folders) > 0 && root.Folders[0] != before {
			all = append(all, lineRow{name: root.Folders[0], folder: true, texts: []string{` ` + services(0) + `(?: ·|$)`}})
			root.Folders = root.Folders[1:]
		}
		root.Folders = root.Folders[min(1, len(root.Folders)):]
	}
	for _, one := range list {
		if folder != one.FolderName {
			folder = one.FolderName
			empty(folder)
			n, above := 0, 0
			for _, other := range list {
				if other.FolderName == folder {
					n++
					if states[other.path()].down() {
						above++
					}
				}
			}
			text := ` ` + services(n) + `(?: ·|$)`
			if above > 0 {
				text = fmt.Sprintf(` %s, %d above(?: ·|$)`, services(n), above)
			}
			all = append(all, lineRow{name: folder, folder: true, texts: []string{text}})
		}
		s := states[one.path()]
		r := lineRow{name: one.ServiceName, texts: []string{regexp.QuoteMeta(one.Type[:min(len(one.Type), 6)])}, unread: "/services/" + one.path() + "/status", also: one.Type + "\n" + one.Description}
		ready, total := d.podsReady(one.path())
		switch {
		case s.ConfiguredState == "STOPPED" && s.RealTimeState == "STOPPED":
			r.state = "stopped"
		case s.down():
			r.state = "✗ stopped, should run"
			r.name = strings.TrimPrefix(one.FolderName+"/"+one.ServiceName, "/")
			down = append(down, r)
			continue
		case s.ConfiguredState == "STARTED" && s.RealTimeState == "STARTED" && ready == total && total > 0:
			r.state = "✓ started"
			r.texts = append(r.texts, fmt.Sprintf(`\b%d of %d\b`, ready, total))
		}
		all = append(all, r)
	}
	empty("")
	if len(down) > 0 {
		down = append([]lineRow{{name: "Down", folder: true, texts: []string{` ` + services(len(down)) + `$`}}}, down...)
	}
	return append(down, all...)
}

// down reports whether a service should run, and does not.
func (s state) down() bool { return s.ConfiguredState == "STARTED" && s.RealTimeState == "STOPPED" }

func services(n int) string {
	if n == 1 {
		return "1 service"
	}
	return fmt.Sprintf("%d services", n)
}

// podsReady are how many pods of a service are ready, of how many.
func (d *Day) podsReady(service string) (ready, total int) {
	var told struct{ ScalingSpec []deployment }
	d.into("/services/"+service+"/scaling", &told)
	for _, one := range told.ScalingSpec {
		var p pods
		d.into("/system/deployments/"+one.DeploymentID+"/status", &p)
		ready, total = ready+p.ReadyReplicas, total+p.TotalReplicas
	}
	return ready, total
}

// titles are how the line above a list begins, heads how the line of its columns does, and kinds what each of its rows has.
var (
	titles = map[string]*regexp.Regexp{ViewServices: regexp.MustCompile(`^\d+ services?\b`), ViewReports: regexp.MustCompile(`^Reports\b`), ViewOffers: regexp.MustCompile(`^\[Offered\]`), ViewRecord: regexp.MustCompile(`\[Record of this machine\]`)}
	kinds  = map[string]*regexp.Regexp{
		ViewServices: regexp.MustCompile(`^(?:[▾▸] \w|\w\S* +\w+)`), ViewReports: regexp.MustCompile(`^[✓✗!?●] (?:\w+ +)?(?:\d\d-\d\d \d\d:\d\d|\d{4}-\d\d-\d\d)`),
		ViewOffers: regexp.MustCompile(`^\d+[.]\d+[.]\d+[.]\d+`), ViewRecord: regexp.MustCompile(`(?:\d\d-\d\d \d\d:\d\d|\d{4}-\d\d-\d\d)`),
	}
	heads = regexp.MustCompile(`^(?:Name |Outcome |Version )`)
	place = regexp.MustCompile(`(\d+) of (\d+)$`)
	// foundOf is what the line of a filter says of what it has found.
	foundOf = regexp.MustCompile(`\d+ of \d+$`)
)

// read finds the list of a frame, nil for none.
func (e viewed) read(frame string) *listPart {
	var l *listPart
	for i, line := range strings.Split(frame, "\n") {
		line, _, _ = strings.Cut(line, "│")
		text := strings.TrimSpace(line)
		switch {
		case i < 3:
		case l == nil && titles[e.view].MatchString(text):
			l = &listPart{title: text, cursor: -1}
		case l == nil, heads.MatchString(text):
		case strings.HasPrefix(text, "────"):
			return l
		default:
			row := strings.TrimLeft(text, "› └") // a chain is drawn as a tree
			if e.filter != "" && l.found == "" && foundOf.MatchString(text) {
				l.found = foundOf.FindString(text)
				continue
			}
			if kinds[e.view].MatchString(row) && !(e.filter != "" && strings.ContainsAny(row[:3], "▾▸")) {
				if strings.HasPrefix(text, "›") {
					l.cursor = len(l.lines)
				}
				l.lines = append(l.lines, row)
			}
		}
	}
	return l
}

// steadyList reports whether the site has had the same rows before and after.
func (e viewed) steadyList() bool {
	return slices.EqualFunc(e.before, e.after, func(a, b lineRow) bool { return a.name == b.name })
}

// is reports whether a line begins as a row does, after its signs.
func (e viewed) is(line string, r lineRow) bool {
	switch e.view {
	case ViewServices:
		fields := strings.Fields(strings.TrimLeft(line, "▾▸ "))
		return len(fields) > 0 && r.folder == strings.ContainsAny(line[:3], "▾▸") && cutTo(fields[0], r.name)
	case ViewReports:
		_, name, _ := strings.Cut(line, kinds[e.view].FindString(line))
		name = strings.TrimSpace(name)
		return cutTo(strings.TrimSpace(strings.TrimSuffix(name, "system")), strings.TrimSpace(strings.TrimSuffix(r.name, "system")))
	case ViewOffers:
		return strings.HasPrefix(line, r.name)
	}
	return regexp.MustCompile(r.texts[0]).MatchString(line)
}

// cutTo reports whether a text is another one, or its beginning where that is cut.
func cutTo(text, whole string) bool {
	begin, cut := strings.CutSuffix(text, "…")
	return text == whole || cut && strings.HasPrefix(whole, begin)
}

// at is where in the rows a frame begins, -1 where it is no part of them.
func (e viewed) at(l listPart) int {
	for from := range e.after {
		if from+len(l.lines) > len(e.after) {
			break
		}
		fits := true
		for i, line := range l.lines {
			fits = fits && e.is(line, e.after[from+i])
		}
		if place := place.FindStringSubmatch(l.title); fits && len(place) > 0 && l.cursor >= 0 && e.view == ViewRecord {
			fits = place[1] == strconv.Itoa(from+l.cursor+1) // times may be the same
		}
		if fits {
			return from
		}
	}
	return -1
}

func rowsInARow(e viewed) (judged int, wrong []string) {
	if !e.steadyList() || !e.Calm {
		return 0, nil
	}
	for _, l := range e.lists {
		if len(l.lines) == 0 {
			continue
		}
		if judged++; e.at(l) < 0 {
			wrong = append(wrong, fmt.Sprintf("the list of %s shows\n%s\nand the site has\n%s", e.view, strings.Join(l.lines, "\n"), e.names()))
		}
	}
	return judged, wrong
}

func (e viewed) names() string {
	var names []string
	for _, r := range e.after {
		names = append(names, strings.TrimSpace(r.name+" "+strings.Join(r.texts, " ")+" "+r.state))
	}
	return strings.Join(names, "\n")
}

func eachSeen(e viewed) (judged int, wrong []string) {
	if !e.steadyList() || !e.Calm || !e.Whole || len(e.lists) == 0 {
		return 0, nil
	}
	seen := make([]bool, len(e.after))
	for _, l := range e.lists {
		if from := e.at(l); from >= 0 {
			for i := range l.lines {
				seen[from+i] = true
			}
		}
	}
	for i, r := range e.after {
		if !seen[i] {
			wrong = append(wrong, fmt.Sprintf("who scrolls through the list of %s never sees %s %s", e.view, r.name, r.texts))
		}
	}
	return 1, wrong
}

func countsAreSo(e viewed) (judged int, wrong []string) {
	if !e.steadyList() || !e.Calm {
		return 0, nil
	}
	all := 0
	for _, r := range e.after {
		if !r.folder {
			all++
		}
	}
	for _, l := range e.lists {
		if e.view == ViewServices && e.filter == "" {
			if judged++; !regexp.MustCompile(fmt.Sprintf(`^%d services?\b`, all)).MatchString(l.title) {
				wrong = append(wrong, fmt.Sprintf("the list of services says %q, and the site has %d", l.title, all))
			}
		}
		if l.found != "" {
			if judged++; !strings.HasPrefix(l.found, fmt.Sprintf("%d of ", all)) {
				wrong = append(wrong, fmt.Sprintf("the list of %s is filtered by %q and says %q, and it is %d", e.view, e.filter, l.found, all))
			}
		}
		said := place.FindStringSubmatch(l.title)
		if said == nil || e.filter != "" {
			continue
		}
		judged++
		at, from := 0, e.at(l)
		for i := range e.after {
			if from >= 0 && l.cursor >= 0 && i <= from+l.cursor && !e.after[i].folder {
				at++
			}
		}
		if said[2] != strconv.Itoa(all) || at > 0 && said[1] != strconv.Itoa(at) {
			wrong = append(wrong, fmt.Sprintf("the list of %s says %s at row %d of %d", e.view, said[0], at, all))
		}
	}
	return judged, wrong
}

func linesAgree(e viewed) (judged int, wrong []string) {
	for _, l := range e.lists {
		from := e.at(l)
		for i, line := range l.lines {
			var was, now *lineRow
			if from >= 0 {
				now = &e.after[from+i]
			} else if at := slices.IndexFunc(e.after, func(r lineRow) bool { return e.is(line, r) }); at >= 0 {
				now = &e.after[at]
			}
			if now == nil {
				continue
			}
			if at := slices.IndexFunc(e.before, func(r lineRow) bool { return r.name == now.name && r.folder == now.folder && r.unread == now.unread }); at >= 0 {
				was = &e.before[at]
			}
			if was == nil || e.view == ViewRecord {
				continue
			}
			judged++
			wrong = append(wrong, e.lineDiffers(line, *was, *now)...)
		}
	}
	return judged, wrong
}

// unsettled are words of a state that was not read, or not anew.
var unsettled = regexp.MustCompile(`not known|restarting|checking|starting|stopping|pods wait|, \d\d:\d\d|\d$|…$`)

func (e viewed) lineDiffers(line string, was, now lineRow) (wrong []string) {
	if e.Unread[now.unread] {
		if strings.HasSuffix(line, "started") || strings.HasSuffix(line, "stopped") {
			wrong = append(wrong, fmt.Sprintf("nobody can read the state of %s, and a row says\n%s", now.name, line))
		}
		return wrong
	}
	if slices.Equal(was.texts, now.texts) {
		for _, text := range now.texts {
			if e.Calm && !regexp.MustCompile(text).MatchString(line) && !(strings.Contains(text, " of ") && unsettled.MatchString(line)) {
				wrong = append(wrong, fmt.Sprintf("the list of %s has\n%s\nand %s should have %s", e.view, line, now.name, text))
			}
		}
	}
	if e.Calm && now.state != "" && was.state == now.state && !strings.HasSuffix(line, now.state) && !unsettled.MatchString(line) {
		wrong = append(wrong, fmt.Sprintf("the list of %s has\n%s\nand %s is %s", e.view, line, now.name, now.state))
	}
	return wrong
}
