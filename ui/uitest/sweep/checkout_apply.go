package sweep

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/ui/uitest/sweep/oracle"
)

// attempt applies what is not done yet with a new run of the program, and reports whether all is.
func (c *checking) attempt() bool {
	left := c.left()
	if len(left) == 0 {
		return true
	}
	if c.random.IntN(3) == 0 {
		c.shows(left)
	}
	r := c.m.begin()
	p := c.applies(r, left)
	dead := r.dead.Load()
	r.end()
	if dead {
		c.m.day.meet("told: killed")
	}
	for _, s := range left {
		if dead {
			c.m.day.oracle.Told(oracle.Attempt{Intent: s.intent, Program: r.name, Dead: true})
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
		if len(s.words) > 0 && s.has(c.m.truth(s.where())) { // what else differs, such as digits, is the site's
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
	args := []string{"apply", "-d", c.m.folder.path}
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
		Risks                        []struct{ Accept, Path string }
		Request                      *struct {
			Fields []struct{ Name, Value string }
		}
	}
}

// shows keeps what a dry run says would be sent of each file.
func (c *checking) shows(left []*sheet) {
	r := c.m.begin()
	defer r.end()
	before := len(c.m.site.sent(r.from))
	args := c.line(left, "--dry-run", "--partial", "-o", "json")
	p := c.command(r, "apply", func() printed { return r.command("", args...) })
	if posts := len(c.m.site.sent(r.from)) - before; posts > 0 {
		c.m.day.fail("a dry run has posted %d requests", posts)
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
					c.m.day.meet("a dry run shows what would be sent")
					s.intent.Shown, s.intent.ShownOn = f.Value, c.m.day.oracle.ReadBy(r.name, s.where())
				}
			}
		}
	}
}

// applies sends what is left, at times by a plan that is saved first.
func (c *checking) applies(r *run, left []*sheet) printed {
	c.sending = left
	for _, s := range left {
		s.intent.From, s.intent.Mine, s.intent.InFile, s.intent.Given = s.begun, c.m.folder.read(s.file), true, ""
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
		c.m.folder.noRoom(indexFile)
		defer c.m.folder.room(indexFile)
		c.m.day.meet("an apply has no room")
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
	file := path.Join(c.m.folder.path, ".plan")
	_ = os.Remove(file)
	defer os.Remove(file)
	p := c.command(r, "apply", func() printed { return r.command("", c.line(left, "--save-plan", file)...) })
	if posts := len(c.m.site.sent(r.from)); posts > 0 {
		c.m.day.fail("a plan was saved, and %d requests were posted", posts)
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
	c.m.day.meet("a plan of files is sent")
	c.running = "apply"
	defer func() { c.running = "" }()
	return c.command(r, "apply", func() printed { return r.change("", "apply", "--plan", file, "--yes") })
}

// outcomeLine is what an apply says of a service, or of one of its parts.
var outcomeLine = regexp.MustCompile(`(?m)^(\S+Server)(?: \(([a-z ]+)\))?: (done|unchanged|planned|unknown|not sent|refused|failed)`)

// notAccepted is what an apply says of a service whose findings nobody has accepted.
var notAccepted = regexp.MustCompile(`(?m)^  (\S+Server)(?: \([a-z ]+\))?: not accepted: (.*)$`)

// hears judges what was told of a file, and lets its person decide what to do next.
func (c *checking) hears(r *run, s *sheet, p printed) {
	service := s.target.Service.Path()
	said, accepts := p.told(), []string(nil)
	var list shown
	listed := json.Unmarshal([]byte(p.out), &list) == nil && p.out != ""
	outcome := ""
	for _, item := range list.Items {
		if item.Service == service && item.Part != "placement" {
			outcome = item.Outcome
			for _, risk := range item.Risks {
				if risk.Accept != "" && outcome == "refused" && !slices.Contains(accepts, risk.Accept) {
					accepts = append(accepts, risk.Accept)
				}
				if risk.Accept == "removed-key" {
					s.agrees = append(s.agrees, risk.Path)
				}
			}
		}
	}
	for _, line := range outcomeLine.FindAllStringSubmatch(p.out, -1) {
		listed = true
		if line[1] == service && line[2] != "placement policy" {
			outcome = line[3]
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
	if list.Items != nil && outcome != "" {
		one := p
		one.code = codeDone // that of all tells nothing of one of them
		c.m.saidOf(r, s.target, "json", one)
	}
	said.text = cmp.Or(outcome, "nothing of it") + fmt.Sprintf(", exit %d: %.160s", p.code, p.err)
	c.m.day.log("%s told of %s: %s", r.name, service, said.text)
	c.m.judge(*s.wanted, r, said)
	s.done = said.outcome == adminapi.OutcomeDone && said.ended || said.broken && s.has(c.m.truth(s.where()))
	c.m.notTooSoon(r, p.sendsAgain(), s.where()+"/edit")
	s.typed = p.code == codeUnknown && strings.Contains(p.err, "nothing was sent") && !strings.Contains(p.err, notRead) && p.sendsAgain() && strings.Contains(p.err, "--again "+service)
	c.decides(r, s, accepts, p)
}

// decides is what a person does after a refusal: a broken file is mended; what was named is accepted, or the edit is made
// again in what the site has.
func (c *checking) decides(r *run, s *sheet, named []string, p printed) {
	if s.fixed != "" && strings.Contains(p.err+p.out, s.file) {
		c.m.day.meet("a broken file is refused")
		s.saved, s.fixed = s.fixed, ""
		c.m.folder.write(s.file, s.saved)
		s.intent.Shown = ""
		return
	}
	words := named
	for _, line := range notAccepted.FindAllStringSubmatch(p.err, -1) {
		if line[1] == s.target.Service.Path() {
			for _, word := range strings.Split(strings.TrimSuffix(line[2], ")"), "), ") {
				word, places, _ := strings.Cut(word, " (")
				words = append(words, word)
				if word == "removed-key" { // those of others are named like one's own
					s.agrees = append(s.agrees, strings.Split(places, ", ")...)
				}
			}
		}
	}
	if s.done || len(words) == 0 {
		return
	}
	if slices.Contains(words, "drift") {
		c.m.day.meet("a file overwrites what others changed")
		ours := c.m.site.sent(func(p *post) bool { return p.path == s.where()+"/edit" })
		if c.m.day.oracle.Touched.IsZero() && len(ours) == 0 && c.m.day.met["a file is edited while a pull goes on"] == 0 {
			c.m.day.fail("%s: nobody has changed %s since it was pulled, and it is called drift: %.200s", r.name, s.file, p.err)
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
	if c.pull(s.file, 2); c.m.folder.read(s.file) == mine { // the pull of its rules may fail alone
		s.saved = mine
		return
	}
	c.m.day.meet("an edit is made again in a file")
	s.begun, s.next, s.words, s.intent.Shown = c.m.folder.read(s.file), "", nil, ""
	c.makes(s)
	c.m.folder.write(s.file, s.saved)
}

// nobodyElses checks that no file was sent that nobody has edited.
func (c *checking) nobodyElses() {
	for _, p := range c.m.site.sent(func(p *post) bool { return strings.HasSuffix(p.path, "/edit") }) {
		if p.write.Intent == nil {
			c.m.day.fail("POST %s was sent by %s, and nobody has edited its file", p.path, p.run.name)
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
			c.m.day.meet("everything is pulled over what is there")
			if p, lives = c.reads("diff", append(c.services(every), "-o", "json")...); lives {
				c.m.day.meet(fmt.Sprintf("files are compared: exit %d", p.code))
			}
			return
		}
		time.Sleep(patience)
	}
}
