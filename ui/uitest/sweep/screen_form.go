package sweep

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi/journal/memdisk"
	"geodeck/ui/uitest"
	"geodeck/ui/uitest/sweep/oracle"
)

// formPage is a release whose settings are filled in at the keys of the dashboard: wrong values first at times, with other answers on
// the first visit than those that are sent, and gone on with where an earlier program was killed.
type formPage struct {
	m       *machine
	r       *rand.Rand
	intent  *oracle.Intent
	wants   map[string]string // what is filled in at last, by the ids of the settings
	typed   []oracle.Answer   // what stands in the form
	kept    bool              // it was called saved
	words   []string          // the findings that were accepted, by their names
	visits  int
	more    bool   // the first visits have left something to change
	folder  string // that the dashboard writes files to
	written []string
	doubted bool // an earlier program was hurt: what is left of its draft is not known
}

// asked are the settings that a form may have, by their labels on the screen.
var asked = []struct{ label, id, kind string }{
	{"Install the latest patch too", latestPatch, oracle.Choice}, {"Licence file", licenceFile, oracle.Path}, {"Storage of persistent volumes", volumes, oracle.JSONText},
	{"Storage class name", "storageClassName", oracle.JSONText}, {"Admin password", "adminPassword", oracle.Masked}, {"Zone of it", "zone_of-it", oracle.JSONText},
	{"Number of replicas", "Number of replicas", oracle.JSONText}, {"Keep the logs", "keepLogs", oracle.Choice}, {"Upper limit", "upperLimit", oracle.JSONText},
}

// What the form and the review of it say.
const (
	formTab     = "[Settings]"
	reviewTab   = "[Review]"
	draftSaved  = "Draft saved"
	formChanged = "Nothing was sent. Check them"
)

// formsAsked are other forms than that of the site, of more kinds and pages.
var formsAsked = []string{
	forms[0], forms[1],
	`{"userInputs":[{"id":"keepLogs","type":"Boolean","value":""},{"id":"upperLimit","type":"Number","value":7,"required":true},{"id":"storageClassName","type":"String","value":"old","required":true},` +
		`{"id":"zone_of-it","type":"JSON","value":"","required":true},{"id":"Number of replicas","type":"Number","value":""},{"id":"updateToLatestPatch","type":"Boolean","value":false,"required":true},` +
		`{"id":"licenseUpload","type":"File","value":"","required":true,"validFileExtensions":["json"]}]}`,
}

// formsAtStake are the forms of a release by the dashboard.
var formsAtStake = func() (all []Trouble) {
	for i, text := range formsAsked {
		all = append(all, oddity{fmt.Sprint("a form of other kinds ", i), func(p *plan) { p.told[settingsPath] = text }})
	}
	return append(all, asksForMore, asksForMore)
}()

// playForm fills the settings of a release in at the dashboard, and starts it.
func playForm(m *machine) {
	f := &formPage{m: m, r: m.day.random("form"), intent: m.filling.intent()}
	m.day.oracle.Secrets.Add("word of an administrator", adminWord)
	var err error
	if f.folder, err = realFolder("form"); err != nil {
		m.day.fail("%v", err)
		return
	}
	defer os.RemoveAll(f.folder)
	f.wants = map[string]string{latestPatch: yesNo(m.filling.latest), licenceFile: m.filling.licence, volumes: storage, "keepLogs": yesNo(f.r.IntN(2) == 0), "adminPassword": `"` + adminWord + `"`}
	for _, one := range asked {
		if f.wants[one.id] == "" {
			f.wants[one.id] = pick(f.r, values[""])
		}
	}
	if m.day.plan.told[settingsPath] == "" {
		m.upgradeBy("upgrade", "/system/upgrades/upgrade", f.try, m.watchOnScreen, f.intent)
		return
	}
	f.intent.Filled = nil // the site itself asks for something else: it refuses
	m.wants = m.wish(wish{name: "upgrade", is: isUpgrade, intent: f.intent, try: f.try})
	r := m.begin()
	if said := f.try(r); !r.dead.Load() {
		m.judge(*m.wants, r, said)
	}
	r.end()
}

func yesNo(yes bool) string { return map[bool]string{true: "yes", false: "no"}[yes] }

// released is the version of the site in the header, once the release is there.
var released = regexp.MustCompile(`12\.0\.0\.\d+ · admin`)

// try is an attempt with a new program.
func (f *formPage) try(r *run) told {
	r.folder, f.words = f.folder, nil
	s, err := r.entered(succeeded)
	if err != nil {
		return notSent(errorText(err))
	}
	defer func() {
		s.close()
		f.doubted = f.doubted || r.hurt() && !f.kept || len(slices.DeleteFunc(r.disk.Hits(), func(kind string) bool {
			return kind == memdisk.None.String() || kind == memdisk.KillBefore.String() || kind == memdisk.KillAfter.String()
		})) > 0
	}()
	if said, over := s.runsAlready(released); over {
		return said
	}
	for range 4 {
		if why := f.fillsIn(s); why != "" {
			s.story(why)
			return notSent(why)
		}
		said := s.starts()
		if said.text != formChanged {
			return said
		}
		f.m.day.meet("a form asks for more once it is sent")
	}
	return notSent("the form changes")
}

// fillsIn goes to the form, fills it in and reviews it, several times over; it says why there is no review, empty where there is.
func (f *formPage) fillsIn(s *screen) string {
	if !strings.Contains(s.read(), formTab) {
		if why := f.opens(s); why != "" {
			return why
		}
	}
	for range 3 + f.r.IntN(2) {
		f.visits++
		if why := f.visit(s); why != "" {
			return why
		}
		if s.dead() {
			return "killed"
		}
		if !f.more {
			break
		}
		if s.press("esc"); s.sees(20*time.Second, formTab) == "" {
			return "there is no way back to the form"
		}
	}
	return f.reviews(s)
}

// opens chooses the release, and goes through its checks to the form.
func (f *formPage) opens(s *screen) string {
	if why := s.offers(); why != "" {
		return why
	}
	s.press("G enter")
	for range 16 {
		if s.dead() {
			return "killed"
		}
		if asked := word.FindStringSubmatch(s.read()); asked != nil && strings.Contains(s.shown, acceptText) {
			s.answers(asked[1], func(shown string) bool { return strings.Contains(shown, acceptText) }, func() { f.words = append(f.words, asked[1]) })
			s.wait(time.Second)
			continue
		}
		switch s.sees(time.Minute, formTab, clearText, unknownTitle, signInTitle, warningsText, "blocks this", "could not be read", sessionExpired) {
		case formTab:
			return ""
		case clearText:
			s.press("enter")
			s.sees(20*time.Second, formTab)
		case warningsText:
			s.wait(time.Second)
			f.accepts(s)
		case "":
			return "the form is not reached"
		default:
			if !s.clear() {
				s.wait(20 * time.Second)
				s.press("R")
			}
		}
	}
	return "the form is not reached"
}

// underCursor is the check under the cursor.
var underCursor = regexp.MustCompile(`(?m)^ › \[ \] . (?:caution|danger|not known) +(Health|Upgrade pods|Backup|Licence|Settings|Read-only mode|Privileges|Clocks)\b`)

// accepts accepts the check under the cursor.
func (f *formPage) accepts(s *screen) {
	if found := underCursor.FindStringSubmatch(s.frame); found != nil {
		f.words = append(f.words, wordOf(found[1]))
	}
	s.send(uitest.Keys("space")...)
	s.wait(time.Second)
}

// unaccepted is the first finding of a review that is left to accept.
var unaccepted = regexp.MustCompile(`(?m)^ *\[ \] ([A-Z][A-Za-z -]+):`)

// wordOf is the word of a finding, by its title.
func wordOf(title string) string {
	return cmp.Or(map[string]string{"Upgrade pods": "placement", "Read-only mode": "mode", "Clocks": "clock"}[title], strings.ToLower(title))
}

// labels are those of the page, from its top to its end.
func (f *formPage) labels(s *screen) (labels []string) {
	for _, line := range strings.Split(s.frame, "\n") {
		text := strings.TrimSuffix(strings.TrimSpace(line), " *")
		if slices.ContainsFunc(asked, func(a struct{ label, id, kind string }) bool { return a.label == text }) {
			labels = append(labels, text)
		}
	}
	return labels
}

// ofPages is which page of a form is shown, and of how many.
var ofPages = regexp.MustCompile(`Upgrade settings, page (\d+) of (\d+)`)

// visit goes through the form: what stands there is what was left, and then it is filled in, on an earlier visit with something else.
func (f *formPage) visit(s *screen) string {
	if s.width < 120 {
		s.resize(sizes[1])
	}
	s.press("shift+tab shift+tab") // out of what may be half typed
	f.more = false
	pages := 1
	if found := ofPages.FindStringSubmatch(s.read()); found != nil {
		pages, _ = strconv.Atoi(found[2])
		s.send(uitest.Keys("pgup pgup")...)
	}
	f.looks(s)
	for page := range pages {
		labels := f.labels(s)
		if len(labels) == 0 {
			return "nothing is asked for"
		}
		for range labels {
			s.send(uitest.Keys("shift+tab")...)
		}
		for i, label := range labels {
			if f.fills(s, label); s.dead() {
				return "killed"
			}
			if i < len(labels)-1 {
				s.press("enter")
			}
		}
		if page < pages-1 {
			s.press("pgdown")
			s.wait(time.Second)
		}
	}
	s.wait(time.Second)
	f.looks(s)
	f.kept = strings.Contains(s.shown, draftSaved)
	if f.r.IntN(5) == 0 {
		f.m.day.meet("the hidden fields of a form are shown")
		s.press("ctrl+t")
		f.looks(s)
		s.press("ctrl+t")
		f.looks(s)
	}
	switch f.r.IntN(8) {
	case 0:
		if f.kept && f.visits == 1 {
			f.m.day.meet("a program is killed with a form open")
			s.run.kill()
			return "killed"
		}
	case 1, 2: // the way back to the list, and in again
		f.m.day.meet("a form is left and come back to")
		s.press("esc esc")
		s.wait(time.Second)
		if why := f.opens(s); why != "" {
			return why
		}
		f.looks(s)
	}
	s.press("ctrl+s")
	for range 3 {
		switch s.sees(40*time.Second, reviewTab, signInTitle, sessionExpired, unknownTitle) {
		case reviewTab:
			return ""
		case "":
			return "the review is not opened"
		}
		s.clear()
		s.press("ctrl+s")
	}
	return "the review is not opened"
}

// looks has the oracle compare the form with what was filled in.
func (f *formPage) looks(s *screen) {
	s.resize(sizes[2])
	if s.wait(time.Second); s.dead() || !strings.Contains(s.read(), formTab) || f.doubted {
		return
	}
	s.story("the form")
	if strings.Contains(s.frame, "The draft could not be read") {
		f.typed = nil // it is filled in anew
	}
	f.m.day.oracle.FormShown(s.run.name, s.frame, f.typed)
}

// fills fills in the setting that has the focus.
func (f *formPage) fills(s *screen, label string) {
	i := slices.IndexFunc(asked, func(a struct{ label, id, kind string }) bool { return a.label == label })
	one, want := asked[i], f.wants[asked[i].id]
	if f.visits == 1 && f.r.IntN(3) == 0 { // another answer first, which the next visit changes
		f.more = true
		switch one.kind {
		case oracle.Choice:
			want = yesNo(want == "no")
		case oracle.Path:
			want = pick(f.r, []string{"/home/ada/12.0.json", "/home/ada/9.3.json"})
		case oracle.JSONText:
			want = `{"first":[1]}`
		}
		f.m.day.meet("an answer is changed on the next visit: " + one.kind)
	}
	f.typed = slices.DeleteFunc(f.typed, func(a oracle.Answer) bool { return a.Label == label })
	if one.kind == oracle.Choice {
		for range 3 {
			if s.read(); oracle.ValueIn(s.frame, label) != want {
				s.press("space")
			}
		}
	} else {
		if f.r.IntN(4) == 0 {
			f.slips(s, one.kind)
		}
		s.send(uitest.Keys("ctrl+u")...)
		s.types(want)
	}
	f.typed, f.kept = append(f.typed, oracle.Answer{Label: label, ID: one.id, Kind: one.kind, Text: want}), false
}

// slips types what no form may take, and asks for the review.
func (f *formPage) slips(s *screen, kind string) {
	wrong := map[string][]string{oracle.Path: {"/nowhere/licence.json", "relative"}}[kind]
	if wrong == nil {
		wrong = []string{`{"half`, `"a" "b"`, "maybe"}
	}
	s.send(uitest.Keys("ctrl+u")...)
	s.types(pick(f.r, wrong))
	s.press("ctrl+s")
	s.wait(5 * time.Second)
	f.m.day.meet("a wrong value is typed: " + kind)
	if !s.dead() && strings.Contains(s.read(), reviewTab) {
		s.wrong("a review is opened of what is no " + kind)
	}
}

// reviews accepts what the review finds, and has what it shows compared with what was filled in, in a file that it writes, too.
func (f *formPage) reviews(s *screen) string {
	for range 6 {
		if s.clear(); !strings.Contains(s.read(), warningsText) || s.dead() {
			break
		}
		s.resize(sizes[2])
		if found := unaccepted.FindStringSubmatch(s.frame); found != nil {
			f.words = append(f.words, wordOf(found[1]))
		}
		s.send(uitest.Keys("space")...)
		s.wait(time.Second)
		if asked := word.FindStringSubmatch(s.read()); asked != nil && strings.Contains(s.shown, acceptText) {
			s.answers(asked[1], func(shown string) bool { return strings.Contains(shown, acceptText) }, func() { f.words = append(f.words, asked[1]) })
			s.wait(time.Second)
		}
	}
	if !strings.Contains(s.read(), unsentText) {
		return "the review is not ready"
	}
	f.m.day.meet("screen: review of a form")
	s.story("the review")
	s.press("upgrade.save-request")
	s.wait(2 * time.Second)
	before := len(f.written)
	files, _ := filepath.Glob(filepath.Join(f.folder, "*"))
	for _, name := range files {
		if slices.Contains(f.written, name) {
			continue
		}
		text, _ := os.ReadFile(name)
		f.written = append(f.written, name)
		f.m.day.oracle.Free("the request of a review", string(text))
		f.m.day.oracle.Reviewed(s.run.name, s.frame, string(text), f.typed)
	}
	if len(f.written) == before && !s.dead() {
		s.wrong("a review is not written to a file")
	}
	f.promises()
	return ""
}

// promises says what was filled in as a command would have it.
func (f *formPage) promises() {
	given, inputs := map[string][]byte{}, []map[string]json.RawMessage{}
	line := []string{"upgrade", "start", release, "--accept", strings.Join(f.words, ",")}
	for _, a := range f.typed {
		switch {
		case a.Kind == oracle.Path:
			given[a.Text] = []byte(f.licenceAt(a.Text))
			line = append(line, "--license", a.Text)
		case a.Kind == oracle.Choice:
			inputs = append(inputs, map[string]json.RawMessage{"id": asWritten(a.ID), "value": asWritten(a.Text == "yes")})
		default:
			inputs = append(inputs, map[string]json.RawMessage{"id": asWritten(a.ID), "value": json.RawMessage(a.Text)})
		}
	}
	given["settings"] = asWritten(map[string]any{"userInputs": inputs})
	f.m.day.oracle.Accepts(f.intent, given, append(line, "--settings", "settings")...)
}

func (f *formPage) licenceAt(path string) string {
	of := filling{licence: path}
	return of.intent().Licence
}
