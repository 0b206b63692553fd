package sweep

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"geodeck/ui/uitest/sweep/oracle"
)

// atEditor is how long an editor is open that ends: one that ends at once is known to have a window of its own.
const atEditor = 4 * time.Second

// sitting is how somebody edits with an editor of their own several times, before the last time.
type sitting struct {
	r      *rand.Rand
	text   string          // the last that was JSON, as the editor has had it
	had    []oracle.Beside // what was edited beside before it
	first  string          // the first that it has had
	kept   string          // what the next editor is to be given; empty where that is not known
	broken bool
}

// savings are what an editor can leave, by the text that it had last and that was JSON.
var savings = []struct {
	name string
	make func(*changing, string) string
}{
	{"nothing", func(*changing, string) string { return "" }},
	{"the same text", func(_ *changing, text string) string { return text }},
	{"an empty file", func(*changing, string) string { return "\n \n" }},
	{"a cut text", func(_ *changing, text string) string { return text[:strings.LastIndex(text, "}")] + "\n\n  " }},
	{"a comma too many", func(_ *changing, text string) string { return strings.Replace(text, ",", ",,", 1) }},
	{"another text", func(*changing, string) string { return "\tnot yet {\n" }},
	{"letters of another charset", func(_ *changing, text string) string { return strings.Replace(text, "{", "{\"caf\xe9\": 1, ", 1) }},
	{"a key twice", func(_ *changing, text string) string {
		return strings.Replace(text, "{", `{"maxUsageTime": 1, "maxUsageTime": 2, `, 1)
	}},
	{"a value", func(c *changing, text string) string {
		return c.besides(text, "maxUsageTime", fmt.Sprint(601+c.editor.r.IntN(300)))
	}},
	{"other line ends", func(c *changing, text string) string {
		return strings.ReplaceAll(c.besides(text, "maxUsageTime", fmt.Sprint(601+c.editor.r.IntN(300))), "\n", "\r\n")
	}},
	{"a byte order mark", func(_ *changing, text string) string { return "\ufeff" + text }},
	{"a number beyond a double", func(c *changing, text string) string {
		return c.besides(text, "x-ratio", "10000000000000000000000.10e-2")
	}},
	{"escapes", func(c *changing, text string) string { return c.besides(text, "x-note", `"caf\u00E9 \/ \ud83d\uDE00"`) }},
	{"another secret", func(c *changing, text string) string {
		if !c.m.day.hidesAny() {
			return text
		}
		return c.besides(text, secretToken, `"`+c.m.day.hides("token")+`"`)
	}},
	{"what it was first", func(c *changing, text string) string {
		c.intent.Besides = c.editor.had
		return c.editor.first
	}},
}

// besides sets a member beside the one that is wanted, or adds it, in the text of an editor.
func (c *changing) besides(text, key, raw string) string {
	set := regexp.MustCompile(`("` + regexp.QuoteMeta(key) + `"\s*:\s*)("[^"]*"|[^,}\s]+)`)
	at := set.FindStringSubmatchIndex(text)
	one := oracle.Beside{Key: key, Raw: raw, Sure: true, Added: at == nil}
	for i, before := range c.intent.Besides {
		if before.Key == key {
			one.Added = before.Added
			c.intent.Besides = slices.Delete(slices.Clone(c.intent.Besides), i, i+1)
			break
		}
	}
	c.intent.Besides = append(slices.Clone(c.intent.Besides), one)
	if at == nil {
		return strings.Replace(text, "{", fmt.Sprintf("{\n  %q: %s,", key, raw), 1)
	}
	return text[:at[3]] + raw + text[at[1]:]
}

// sits edits with an editor some times, which ends each time. It reports whether the definition can still be edited.
func (c *changing) sits(s *screen) bool {
	day := s.run.machine.day
	next := &sitting{had: c.intent.Besides}
	if c.editor != nil { // a text that is broken is gone on with
		next.text, next.first, next.broken = c.editor.text, c.editor.first, c.editor.broken
	}
	c.editor = next
	next.r = day.random(s.run.name + " sitting")
	for range []int{0, 1, 1, 2, 3, 3}[c.editor.r.IntN(6)] {
		one := pick(c.editor.r, savings)
		opened := false
		s.exits, s.saves = true, func() {
			path, given := s.run.machine.inEditor()
			if opened = path != ""; !opened {
				return
			}
			c.judgesGiven(s, given)
			besides, saved := c.intent.Besides, one.make(c, c.editor.text)
			day.log("%s: the editor leaves %s", s.run.name, one.name)
			if saved != "" && !s.run.machine.overwrites(path, []byte(saved)) {
				c.intent.Besides, opened = besides, false
			}
			c.leaves(saved, given)
		}
		s.press("services.editor")

		s.until(time.Minute, func(string) bool { return opened })
		s.saves = nil
		if !opened || s.dead() {
			s.story("no editor")
			c.unsure()
			return false
		}
		day.meet("an editor leaves " + one.name)
		s.pass(atEditor + time.Second) // until it has ended
		if s.sees(time.Minute, "The editor changed nothing", "saved an empty file", "Not valid JSON. Your text is kept", "changed, draft saved", " w write") == "" {
			s.story("after the editor")
		}
		s.wait(time.Second)
		s.clear()
	}
	if s.dead() {
		c.unsure()
	}
	return !s.dead()
}

// unsure notes that something was in the way of keeping what was edited.
func (c *changing) unsure() {
	besides := slices.Clone(c.intent.Besides)
	for i := range besides {
		besides[i].Sure = false
	}
	c.intent.Besides = besides
}

// judgesGiven judges what an editor is given.
func (c *changing) judgesGiven(s *screen, given string) {
	e := c.editor
	if e.kept != "" && !s.run.hurt() {
		s.run.machine.day.oracle.Opens(oracle.Opening{Program: s.run.name, Text: given, Kept: e.kept, Broken: e.broken})
	}
	if !e.broken || e.text == "" {
		e.text = given
	}
	e.first = cmp.Or(e.first, given)
}

// leaves keeps what the next editor is to be given.
func (c *changing) leaves(saved, given string) {
	e := c.editor
	switch {
	case strings.TrimSpace(saved) == "" || saved == given:
		if e.kept == "" {
			e.kept = given
		}
	case json.Valid([]byte(saved)) && utf8.ValidString(saved) && !strings.Contains(saved, `"maxUsageTime": 1, "maxUsageTime"`):
		e.kept, e.broken = saved, false
	default:
		e.kept, e.broken = saved, true
	}
}

// inEditor is the file that an editor has open, and its text; empty for none.
func (m *machine) inEditor() (path, text string) {
	for at, content := range m.disk.Files() {
		if inEditor.MatchString(at) && at > path {
			path, text = at, string(content)
		}
	}
	return path, text
}
