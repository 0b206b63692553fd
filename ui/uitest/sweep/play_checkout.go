package sweep

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
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
	meanwhile string   // what it has saved while a command ran
}

// checking is a day of a checkout.
type checking struct {
	*machine
	sheets  []*sheet
	random  *rand.Rand
	theirs  int               // how often others have set a value
	running string            // the command that goes on, where an editor may save meanwhile
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
	c := &checking{machine: m, random: m.day.random("checkout"), asked: every}
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
	before := c.folder.all()
	p := c.folder.by(r, do)
	said := p.out
	if r.dead.Load() {
		said = ""
	}
	c.day.oracle.Left(oracle.Folder{Program: r.name, Command: command, Code: p.code, Said: said, Files: c.folder.around(before, c.sheets, c.asked)})
	c.folder.private(c.day)
	return p
}

// reads runs a command of a new program that has to send nothing.
func (c *checking) reads(command string, args ...string) (printed, bool) {
	r := c.begin()
	defer r.end()
	before := len(c.site.sent(r.from))
	p := c.command(r, command, func() printed { return r.command("", append([]string{command, "-d", c.folder.path}, args...)...) })
	if posts := len(c.site.sent(r.from)) - before; posts > 0 {
		c.day.fail("geodeck %s, which sends nothing, has posted %d requests", command, posts)
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
			c.folder.noRoom(full)
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
			c.day.meet("a pull is killed")
		case full != "" && p.code != codeDone:
			c.day.meet("a pull has no room")
		case p.code == codeRefused && strings.Contains(p.out, `"kept"`):
			c.day.meet("a pull keeps an edited file")
			return true
		case p.code == codeDone:
			return true
		}
		if full != "" {
			c.folder.room(full)
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
	c.wants = c.sheets[len(c.sheets)-2].wanted
}

// edit lets an editor do something with a file. In a later round a value is another one.
func (c *checking) edit(s *sheet, kind string, round int) {
	s.begun, s.saved, s.fixed, s.next, s.done, s.words, s.wanted = c.folder.read(s.file), "", "", "", false, nil, nil
	if s.begun == "" {
		return
	}
	c.day.meet("a file is edited: " + kind)
	switch kind {
	case "left":
		return
	case "deleted":
		c.folder.write(s.file, "")
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
	c.folder.write(s.file, s.saved)
}

// value lets the person of a file want another value in it, and makes it in what the file had when they began.
func (c *checking) value(s *sheet, value int) {
	s.changing = setting(c.machine, s.target.Service, "maxIdleTime", fmt.Sprint(value))
	s.done, s.words = false, nil
	c.makes(s)
	s.wanted = c.wish(s.wish(checkout + " of " + s.target.Service.Path()))
}

// makes makes the change in what is in the file.
func (c *checking) makes(s *sheet) {
	base, err := document.Parse([]byte(s.begun))
	if err == nil {
		base, err = s.change(base)
	}
	if err != nil {
		c.day.fail("%s cannot be edited: %v", s.file, err)
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
	case c == nil || c.folder.closed():
	case c.running == "pull":
		s := c.sheets[0]
		text := c.folder.read(s.file)
		if text == "" || s.fixed != "" || s.next != "" {
			return
		}
		if s.wanted == nil || s.done {
			s.begun = text
		}
		c.day.meet("a file is edited while a pull goes on")
		c.value(s, 7000+c.random.IntN(900))
		s.meanwhile = s.saved
		c.folder.write(s.file, s.saved)
	case c.running == "apply" && len(c.site.sent(r.from)) > 0: // it has read all files by then
		for _, s := range c.sheets {
			if s.wanted == nil || s.fixed != "" || s.next != "" || s.done {
				continue
			}
			d, err := document.Parse([]byte(s.saved))
			if err == nil {
				d, err = sets("maxUsageTime", fmt.Sprint(100+c.random.IntN(400))).make(d)
			}
			if err != nil {
				c.day.fail("%s cannot be edited: %v", s.file, err)
				continue
			}
			c.day.meet("a file is edited while an apply goes on")
			s.next, s.meanwhile = d.Text(), d.Text()
			c.folder.write(s.file, s.next)
		}
	}
}

// goesOn is a person whose file was sent as it was before they saved it again: they want that, too.
func (c *checking) goesOn(s *sheet) {
	if s.next == "" {
		return
	}
	before, next := s.changing, s.next
	later := setting(c.machine, s.target.Service, "maxUsageTime", "")
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
	s.changing, s.saved, s.next, s.done, s.words = later, next, "", false, nil
	s.wanted = c.wish(s.wish(checkout + " of " + s.target.Service.Path() + ", later"))
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
		if c.random.IntN(2) == 0 {
			c.othersEdit(sets("description", fmt.Sprintf(`"reviewed %d times"`, len(c.machine.runs))))
		} else {
			c.othersValue()
		}
		c.day.meet("others edit what is checked out")
		c.day.plan.foreign = true
	}
	if c.random.IntN(2) == 0 {
		c.pull("", 2)
	}
	if c.random.IntN(2) == 0 {
		p, lives := c.reads("diff", append(c.services(every), "-o", "json")...)
		if lives && p.code <= 2 {
			c.day.meet(fmt.Sprintf("files are compared: exit %d", p.code))
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
	if s := c.sheets[len(c.sheets)-2]; c.othersEdit(sets("maxIdleTime", fmt.Sprint(100+c.theirs))) && s.wanted != nil {
		c.day.oracle.Undone(s.intent)
	}
}

// attempt applies what is not done yet with a new run of the program, and reports whether all is.
func (c *checking) attempt() bool {
	left := c.left()
	if len(left) == 0 {
		return true
	}
	if c.random.IntN(3) == 0 {
		c.shows(left)
	}
	r := c.begin()
	p := c.applies(r, left)
	dead := r.dead.Load()
	r.end()
	if dead {
		c.day.meet("told: killed")
	}
	for _, s := range left {
		if dead {
			c.day.oracle.Told(oracle.Attempt{Intent: s.intent, Program: r.name, Dead: true})
		} else {
			c.hears(r, s, p)
		}
	}
	for _, s := range c.sheets {
		c.goesOn(s)
	}
	return len(c.left()) == 0
}

// left are the files that are not done, whose persons accept something first: only these are sent then.
func (c *checking) left() (left []*sheet) {
	for _, s := range c.sheets {
		if s.wanted == nil || s.done {
			continue
		}
		if len(s.words) > 0 && s.has(c.truth(s.where())) { // what else differs, such as digits, is the site's
			s.done = true
			continue
		}
		left = append(left, s)
	}
	if i := slices.IndexFunc(left, func(s *sheet) bool { return len(s.words) > 0 }); i >= 0 {
		left = left[i : i+1]
	}
	return left
}

// line is the command line of an apply.
func (c *checking) line(left []*sheet, more ...string) []string {
	args := []string{"apply", "-d", c.folder.path}
	for _, s := range left {
		args = append(args, s.target.Service.Path())
	}
	if words := left[0].words; len(words) > 0 {
		args = append(args, "--accept", strings.Join(words, ","))
	}
	return append(args, more...)
}

// shown is a list of edits that a command has printed as JSON.
type shown struct {
	Items []struct {
		Service, Part, Outcome, Text string
		Sent                         bool
		Risks                        []struct{ Accept string }
		Request                      *struct {
			Fields []struct{ Name, Value string }
		}
	}
}

// shows keeps what a dry run says would be sent of each file.
func (c *checking) shows(left []*sheet) {
	r := c.begin()
	defer r.end()
	before := len(c.site.sent(r.from))
	args := c.line(left, "--dry-run", "--partial", "-o", "json")
	p := c.command(r, "apply", func() printed { return r.command("", args...) })
	if posts := len(c.site.sent(r.from)) - before; posts > 0 {
		c.day.fail("a dry run has posted %d requests", posts)
	}
	var list shown
	if r.dead.Load() || json.Unmarshal([]byte(p.out), &list) != nil {
		return
	}
	for _, item := range list.Items {
		for _, s := range left {
			if item.Request == nil || s.target.Service.Path() != item.Service {
				continue
			}
			for _, f := range item.Request.Fields {
				if f.Name == "service" {
					c.day.meet("a dry run shows what would be sent")
					s.intent.Shown, s.intent.ShownOn = f.Value, c.day.oracle.ReadBy(r.name, s.where())
				}
			}
		}
	}
}

// applies sends what is left, at times by a plan that is saved first.
func (c *checking) applies(r *run, left []*sheet) printed {
	for _, s := range left {
		s.intent.From, s.intent.Mine, s.intent.InFile, s.intent.Given = s.begun, c.folder.read(s.file), true, ""
		s.intent.Whole, s.intent.Removes = slices.Contains(s.words, "drift"), s.agrees
		if !slices.Contains(s.words, "removed-key") {
			s.intent.Removes = nil
		}
	}
	var more []string
	if c.random.IntN(2) == 0 {
		more = append(more, "-o", "json")
	}
	for _, s := range left {
		if s.typed {
			more = append(more, "--again", s.target.Service.Path())
			break
		}
	}
	if c.random.IntN(3) == 0 {
		more = append(more, "--partial")
	}
	run := func(args ...string) printed {
		c.running = "apply"
		defer func() { c.running = "" }()
		return c.command(r, "apply", func() printed { return r.change("", args...) })
	}
	full := c.random.IntN(8) == 0
	if full {
		c.folder.noRoom(indexFile)
		defer c.folder.room(indexFile)
		c.day.meet("an apply has no room")
	}
	if len(more) == 0 && c.random.IntN(2) == 0 {
		return c.byPlan(r, left)
	}
	return run(c.line(left, append(more, "--yes")...)...)
}

// indexFile says what was pulled.
const indexFile = ".geodeck.json"

// byPlan saves a plan, and sends what it holds.
func (c *checking) byPlan(r *run, left []*sheet) printed {
	file := path.Join(c.folder.path, ".plan")
	_ = os.Remove(file)
	defer os.Remove(file)
	p := c.command(r, "apply", func() printed { return r.command("", c.line(left, "--save-plan", file)...) })
	if posts := len(c.site.sent(r.from)); posts > 0 {
		c.day.fail("a plan was saved, and %d requests were posted", posts)
	}
	var plan struct {
		Edits []struct{ Service, Send string }
	}
	content, err := os.ReadFile(file)
	if p.code != codeDone || err != nil || json.Unmarshal(content, &plan) != nil {
		return p
	}
	for _, e := range plan.Edits {
		for _, s := range left {
			if s.target.Service.Path() == e.Service {
				s.intent.Given = e.Send
			}
		}
	}
	c.day.meet("a plan of files is sent")
	c.running = "apply"
	defer func() { c.running = "" }()
	return c.command(r, "apply", func() printed { return r.change("", "apply", "--plan", file, "--yes") })
}

// outcomeLine is what an apply says of a service.
var outcomeLine = regexp.MustCompile(`(?m)^(\S+Server): (done|unchanged|planned|unknown|not sent|refused|failed)(?: \((.*)\))?`)

// notAccepted is what an apply says of a service whose findings nobody has accepted.
var notAccepted = regexp.MustCompile(`(?m)^  (\S+Server): not accepted: (.*)$`)

// hears judges what was told of a file, and lets its person decide what to do next.
func (c *checking) hears(r *run, s *sheet, p printed) {
	service := s.target.Service.Path()
	said, accepts := p.told(), []string(nil)
	var list shown
	listed := json.Unmarshal([]byte(p.out), &list) == nil && p.out != ""
	outcome := ""
	for _, item := range list.Items {
		if item.Service == service {
			outcome = item.Outcome
			for _, risk := range item.Risks {
				if risk.Accept != "" && outcome == "refused" && !slices.Contains(accepts, risk.Accept) {
					accepts = append(accepts, risk.Accept)
				}
			}
		}
	}
	for _, line := range outcomeLine.FindAllStringSubmatch(p.out, -1) {
		listed = true
		if line[1] == service {
			outcome = line[2]
		}
	}
	if said.broken && len(c.left()) > 1 {
		said.broken = false
	}
	switch outcome {
	case "done", "unchanged":
		said = told{outcome: adminapi.OutcomeDone, ended: true}
	case "failed":
		said = told{outcome: adminapi.OutcomeUnknown, broken: true}
	case "unknown":
		said = told{outcome: adminapi.OutcomeUnknown}
	case "refused":
		said = told{outcome: adminapi.OutcomeRefused}
	case "not sent", "planned":
		said = told{outcome: adminapi.OutcomeNotSent}
	case "":
		if listed { // there was nothing to send for it
			said = told{outcome: adminapi.OutcomeDone, ended: true}
		}
	}
	said.text = cmp.Or(outcome, "nothing of it") + fmt.Sprintf(", exit %d: %.160s", p.code, p.err)
	c.day.log("%s told of %s: %s", r.name, service, said.text)
	c.judge(*s.wanted, r, said)
	s.done = said.outcome == adminapi.OutcomeDone && said.ended || said.broken && s.has(c.truth(s.where()))
	c.notTooSoon(r, p.sendsAgain(), s.where()+"/edit")
	s.typed = p.code == codeUnknown && strings.Contains(p.err, "nothing was sent") && !strings.Contains(p.err, notRead) && p.sendsAgain() && strings.Contains(p.err, "--again "+service)
	c.decides(r, s, accepts, p)
}

// decides is what a person does after a refusal: a broken file is mended; what was named is accepted, or the edit is made
// again in what the site has.
func (c *checking) decides(r *run, s *sheet, named []string, p printed) {
	if s.fixed != "" && strings.Contains(p.err+p.out, s.file) {
		c.day.meet("a broken file is refused")
		s.saved, s.fixed = s.fixed, ""
		c.folder.write(s.file, s.saved)
		s.intent.Shown = ""
		return
	}
	words := named
	for _, line := range notAccepted.FindAllStringSubmatch(p.err, -1) {
		if line[1] == s.target.Service.Path() {
			for _, word := range strings.Split(line[2], "), ") {
				word, _, _ = strings.Cut(word, " ")
				words = append(words, word)
			}
		}
	}
	if s.done || len(words) == 0 {
		return
	}
	if slices.Contains(words, "drift") {
		c.day.meet("a file overwrites what others changed")
		ours := c.site.sent(func(p *post) bool { return p.path == s.where()+"/edit" })
		if !c.day.oracle.Touched && len(ours) == 0 && c.day.met["a file is edited while a pull goes on"] == 0 {
			c.day.fail("%s: nobody has changed %s since it was pulled, and it is called drift: %.200s", r.name, s.file, p.err)
		}
		if c.random.IntN(2) == 0 {
			c.again(s)
			return
		}
	}
	s.words = words
}

// again makes the edit in what the site has now: what was saved is put aside for that.
func (c *checking) again(s *sheet) {
	mine := s.saved
	s.saved = ""
	if c.pull(s.file, 2); c.folder.read(s.file) == mine { // the pull of its rules may fail alone
		s.saved = mine
		return
	}
	c.day.meet("an edit is made again in a file")
	s.begun, s.words, s.intent.Shown = c.folder.read(s.file), nil, ""
	c.makes(s)
	c.folder.write(s.file, s.saved)
}

// nobodyElses checks that no file was sent that nobody has edited.
func (c *checking) nobodyElses() {
	for _, p := range c.site.sent(func(p *post) bool { return strings.HasSuffix(p.path, "/edit") }) {
		if p.write.Intent == nil {
			c.day.fail("POST %s was sent by %s, and nobody has edited its file", p.path, p.run.name)
		}
	}
}

// givesUp lets everything be pulled over what is in the folder, as the last thing of a day.
func (c *checking) givesUp() {
	if c.random.IntN(3) > 0 {
		return
	}
	for _, s := range c.sheets {
		s.saved = ""
	}
	c.asked = every
	for range 2 {
		if p, lives := c.reads("pull", append(c.services(every), "--overwrite", "-o", "json")...); lives && p.code == codeDone {
			c.day.meet("everything is pulled over what is there")
			if p, lives = c.reads("diff", append(c.services(every), "-o", "json")...); lives {
				c.day.meet(fmt.Sprintf("files are compared: exit %d", p.code))
			}
			return
		}
		time.Sleep(patience)
	}
}
