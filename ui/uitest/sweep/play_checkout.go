package sweep

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi/document"
	"geodeck/ui/uitest/sweep/oracle"
)

// checkout is the wish for edits of several services in files: they are pulled, edited by somebody's editor, and applied.
const checkout = "checkout"

// sheet is a file of a checkout, and what its person wants with it.
type sheet struct {
	*changing
	file      string // below the folder
	begun     string // what was in it before it was edited
	saved     string // what an editor has saved in it; empty where that does not count
	fixed     string // what it is meant to be, where an editor has left no JSON
	wanted    *wish  // nil where nobody wants anything
	done      bool
	words     []string // what a person accepts for it
	next      string   // what an editor has saved since it was sent; empty for nothing
	later     bool     // their person has gone on with that
	meanwhile string   // what it has saved while a command ran
}

// checking is a day of a checkout.
type checking struct {
	m       *machine
	sheets  []*sheet
	random  *rand.Rand
	theirs  int               // how often others have set a value
	running string            // the command that goes on, where an editor may save meanwhile
	sending []*sheet          // what an apply is about
	asked   func(*sheet) bool // those that a pull is about
}

// playCheckout pulls a few services, lets editors change their files, and applies them; then at times once more.
func playCheckout(m *machine) {
	var err error
	if m.folder, err = newFolder(); err != nil {
		m.day.fail("a checkout has no folder: %v", err)
		return
	}
	defer m.folder.remove()
	c := &checking{m: m, random: m.day.random("checkout"), asked: every}
	for _, service := range append(m.site.services(2), cities) { // that of the others last, see [oracle.Day.Undone]
		for _, part := range []string{"", "/placementPolicy"} {
			s := &sheet{changing: setting(m, service, "maxIdleTime", fmt.Sprint(900+c.random.IntN(900))), file: service.Path() + ".json"}
			if part != "" {
				s.target.Part++ // nobody edits it: it has to stay
				s.file = service.Path() + ".placement.json"
			}
			c.sheets = append(c.sheets, s)
		}
	}
	m.checking = c
	if !c.pull("", attempts) {
		return
	}
	for round := range 1 + c.random.IntN(2) {
		c.edits(round)
		c.looks()
		for range attempts {
			if c.attempt() {
				break
			}
			time.Sleep(patience)
			if c.random.IntN(3) == 0 { // what has not come to the site stays in the file
				c.pull("", 1)
			}
		}
		c.nobodyElses()
		if c.random.IntN(2) == 0 {
			c.pull("", 2)
		}
		if slices.ContainsFunc(c.sheets, func(s *sheet) bool { return s.wanted != nil && !s.done }) {
			return
		}
	}
	c.givesUp()
}

// command runs one on the folder, and judges what it leaves there.
func (c *checking) command(r *run, command string, do func() printed) printed {
	before := c.m.folder.all()
	p := c.m.folder.by(r, do)
	said := p.out
	if r.dead.Load() {
		said = ""
	}
	c.m.day.oracle.Left(oracle.Folder{Program: r.name, Command: command, Code: p.code, Said: said, Files: c.m.folder.around(before, c.sheets, c.asked)})
	c.m.folder.private(c.m.day)
	return p
}

// reads runs a command of a new program that has to send nothing.
func (c *checking) reads(command string, args ...string) (printed, bool) {
	r := c.m.begin()
	defer r.end()
	before := len(c.m.site.sent(r.from))
	p := c.command(r, command, func() printed { return r.command("", append([]string{command, "-d", c.m.folder.path}, args...)...) })
	if posts := len(c.m.site.sent(r.from)) - before; posts > 0 {
		c.m.day.fail("geodeck %s, which sends nothing, has posted %d requests", command, posts)
	}
	return p, !r.dead.Load()
}

// services are those that a command is about.
func (c *checking) services(of func(*sheet) bool) (names []string) {
	for _, s := range c.sheets {
		if name := s.target.Service.Path(); of(s) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func every(*sheet) bool { return true }

// pull pulls until it succeeds, some times at most. At times a file has no room.
func (c *checking) pull(overwritten string, times int) bool {
	full := pick(c.random, c.sheets).file
	if c.random.IntN(6) > 0 {
		full = ""
	}
	for range times {
		if full != "" {
			c.m.folder.noRoom(full)
		}
		c.asked = func(s *sheet) bool { return overwritten == "" || s.file == overwritten }
		args := append(c.services(c.asked), "-o", "json")
		if overwritten != "" {
			args = append(args, "--overwrite")
		}
		if overwritten == "" {
			c.running = "pull"
		}
		p, lives := c.reads("pull", args...)
		c.running = ""
		switch {
		case !lives:
			c.m.day.meet("a pull is killed")
		case full != "" && p.code != codeDone:
			c.m.day.meet("a pull has no room")
		case p.code == codeRefused && strings.Contains(p.out, `"kept"`):
			c.m.day.meet("a pull keeps an edited file")
			return true
		case p.code == codeDone:
			return true
		}
		if full != "" {
			c.m.folder.room(full)
			full = ""
		}
		time.Sleep(patience)
	}
	return false
}

// edits lets editors do something with the files of definitions.
func (c *checking) edits(round int) {
	for i, s := range c.sheets {
		if s.target.Part != 0 {
			continue
		}
		if s.wanted != nil && !s.done { // meanwhile, see [savesMeanwhile]
			continue
		}
		kinds := []string{"value", "value", "removal", "broken", "left", "deleted", "anew"}
		if i == len(c.sheets)-2 { // the others are about its service
			kinds = []string{"value", "value", "value", "broken", "anew"}
		}
		c.edit(s, pick(c.random, kinds), round)
	}
	c.m.wants = c.sheets[len(c.sheets)-2].wanted
}

// edit lets an editor do something with a file. In a later round a value is another one.
func (c *checking) edit(s *sheet, kind string, round int) {
	s.begun, s.saved, s.fixed, s.next, s.later, s.done, s.words, s.wanted = c.m.folder.read(s.file), "", "", "", false, false, nil, nil
	if s.begun == "" {
		return
	}
	c.m.day.meet("a file is edited: " + kind)
	switch kind {
	case "left":
		return
	case "deleted":
		c.m.folder.write(s.file, "")
		return
	}
	if c.value(s, 2000+1000*round+c.random.IntN(900)); kind == "removal" {
		gone := removes("x-lastTuned")
		s.change, s.has, s.agrees = gone.make, gone.has, []string{"x-lastTuned"}
		s.intent.Key, s.intent.Raw = "", ""
		c.makes(s)
	}
	switch kind {
	case "broken":
		s.fixed = s.saved
		s.saved = s.saved[:strings.LastIndex(s.saved, "}")]
	case "anew":
		s.saved = setAnew(s.saved)
	}
	c.m.folder.write(s.file, s.saved)
}

// value lets the person of a file want another value in it, and makes it in what the file had when they began.
func (c *checking) value(s *sheet, value int) {
	s.changing = setting(c.m, s.target.Service, "maxIdleTime", fmt.Sprint(value))
	s.done, s.words = false, nil
	c.m.day.withSecret(s.changing, c.random.IntN(2) == 0)
	c.makes(s)
	s.wanted = c.m.wish(s.wish(checkout + " of " + s.target.Service.Path()))
}

// makes makes the change in what is in the file.
func (c *checking) makes(s *sheet) {
	base, err := document.Parse([]byte(s.begun))
	if err == nil {
		base, err = s.change(base)
	}
	if err != nil {
		c.m.day.fail("%s cannot be edited: %v", s.file, err)
		return
	}
	s.saved = base.Text()
}

// setAnew sets a file out as another program does, such as jq: its keys are sorted.
func setAnew(text string) string {
	var value any
	read := json.NewDecoder(strings.NewReader(text))
	read.UseNumber()
	if read.Decode(&value) != nil {
		return text
	}
	anew, _ := json.MarshalIndent(value, "", "\t")
	return string(anew) + "\n"
}

// savesMeanwhile lets an editor save files while a command runs on them: during a pull one that this may write next, during
// an apply one that is being sent, with another change.
func (c *checking) savesMeanwhile(r *run) {
	switch {
	case c == nil || c.m.folder.closed():
	case c.running == "pull":
		s := c.sheets[0]
		text := c.m.folder.read(s.file)
		if text == "" || s.fixed != "" || s.next != "" {
			return
		}
		if s.wanted == nil || s.done {
			s.begun = text
		}
		c.m.day.meet("a file is edited while a pull goes on")
		c.value(s, 7000+c.random.IntN(900))
		s.meanwhile = s.saved
		c.m.folder.write(s.file, s.saved)
	case c.running == "apply" && len(c.m.site.sent(r.from)) > 0: // it has read all files by then
		for _, s := range c.sending {
			if s.wanted == nil || s.fixed != "" || s.next != "" || s.later || s.done {
				continue
			}
			d, err := document.Parse([]byte(s.saved))
			if err == nil {
				d, err = sets("maxUsageTime", fmt.Sprint(100+c.random.IntN(400))).make(d)
			}
			if err != nil {
				c.m.day.fail("%s cannot be edited: %v", s.file, err)
				continue
			}
			c.m.day.meet("a file is edited while an apply goes on")
			s.next, s.meanwhile = d.Text(), d.Text()
			c.m.folder.write(s.file, s.next)
		}
	}
}

// goesOn is a person whose file was sent as it was before they saved it again: they want that, too.
func (c *checking) goesOn(s *sheet) {
	if s.next == "" {
		return
	}
	before, next := s.changing, s.next
	later := setting(c.m, s.target.Service, "maxUsageTime", "")
	value, _ := mustParse(next).Find("maxUsageTime")
	change := sets("maxUsageTime", value.Raw())
	later.intent, later.agrees = &oracle.Intent{}, before.agrees
	later.has = func(d *document.Document) bool { return before.has(d) && change.has(d) }
	later.change = func(d *document.Document) (*document.Document, error) {
		d, err := before.change(d)
		if err == nil {
			d, err = change.make(d)
		}
		return d, err
	}
	if s.done {
		s.begun = s.saved
	}
	s.changing, s.saved, s.next, s.later, s.done, s.words = later, next, "", true, false, nil
	s.wanted = c.m.wish(s.wish(checkout + " of " + s.target.Service.Path() + ", later"))
}

func mustParse(text string) *document.Document {
	d, err := document.Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return d
}

// looks does what a careful person does before sending: pull again, compare, plan.
func (c *checking) looks() {
	if c.random.IntN(3) == 0 {
		switch c.random.IntN(3) {
		case 0:
			c.m.othersEdit(c.m.day.secretChange(len(c.m.runs)))
		case 1:
			c.m.othersEdit(sets("description", fmt.Sprintf(`"reviewed %d times"`, len(c.m.runs))))
		default:
			c.othersValue()
		}
		c.m.day.meet("others edit what is checked out")
		c.m.day.plan.foreign = true
	}
	if c.random.IntN(2) == 0 {
		c.pull("", 2)
	}
	if c.random.IntN(2) == 0 {
		p, lives := c.reads("diff", append(c.services(every), "-o", "json")...)
		if lives && p.code <= 2 {
			c.m.day.meet(fmt.Sprintf("files are compared: exit %d", p.code))
		}
	}
}

// othersValue sets the value of the key that is edited as the second administrator, to another one each time: where they
// set back what was pulled, and the program that has applied the file since could not note that, nobody can tell.
func (c *checking) othersValue() {
	if c == nil {
		return
	}
	c.theirs++
	if s := c.sheets[len(c.sheets)-2]; c.m.othersEdit(sets("maxIdleTime", fmt.Sprint(100+c.theirs))) && s.wanted != nil {
		c.m.day.oracle.Undone(s.intent)
	}
}
