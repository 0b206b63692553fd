package sweep

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal/memdisk"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/uitest/sweep/oracle"
)

// byHand is the play of an administrator who works in the views of a service: on its definition, value by value.
const byHand = "by hand"

// playByHand plays it: half of its days are at the tree of a definition.
func playByHand(m *machine) {
	switch m.day.turn() % 6 {
	case 0:
		playVersionsByHand(m)
	case 1:
		playSwitchByHand(m)
	case 2:
		playRules(m)
	default:
		playTree(m)
	}
}

// handwork is a day at the tree of a definition.
type handwork struct {
	*changing
	r      *rand.Rand
	doc    *oracle.Hand
	left   int           // how many edits are to come
	begun  *run          // that has opened it last
	typing oracle.Stroke // what was being typed as a program was killed; of nothing an empty one
}

// handled are what it meets.
var handled = []string{"a draft is gone on with", "a typed text is gone on with", "add", "broken", "down", "insert", "look", "redo", "remove", "rename", "set", "text", "typed", "undo", "up",
	"the line drops while a text is typed", "the program is killed while a text is typed", "the service is left and opened again",
	"a version is restored behind others: true", "a version is restored behind others: false", "the state is looked at after a start", "the state is looked at after a stop",
	"a preset is taken", "a toleration is added", "a toleration is duplicated", "a toleration is removed", "an edit of rules is undone", "rules are copied"}

// playTree edits the tree of a definition by hand, and sends it.
func playTree(m *machine) {
	h := &handwork{r: m.day.random("by hand")}
	h.changing = &changing{m: m, target: editing.DefinitionOf(cities), intent: &oracle.Intent{}, page: page{open: "open service ", text: `"serviceName"`}}
	h.doc = oracle.NewHand(m.site.ask("GET", h.where(), nil))
	h.intent.Hand, h.left = h.doc, 4+h.r.IntN(8)
	h.has = func(d *document.Document) bool { return d.Text() == h.doc.Text && h.doc.Text != h.doc.Base }
	w := h.wish(byHand)
	w.is = func(p *post) bool { return p.path == h.where()+"/edit" }
	w.try = func(r *run) told { return h.attempts(r, h.works) }
	m.insist(w)
}

// attempts is an attempt at the keys. works makes what is left of the edits, and reports whether there is something to send.
func (h *handwork) attempts(r *run, works func(*screen) bool) told {
	s, err := r.entered("The site has the new", "Read back: the site has everything")
	if err != nil {
		return notSent(errorText(err))
	}
	defer s.close()
	s.wait(2 * time.Second)
	s.clear()
	for range 3 {
		if !h.opensTree(s) || s.dead() {
			s.story("not opened")
			return notSent("the service cannot be opened")
		}
		if h.has(h.m.truth(h.where())) && !h.changed(s) {
			return told{outcome: adminapi.OutcomeDone, ended: true, text: "it is there"}
		}
		if !works(s) || s.dead() {
			return notSent("it cannot be edited")
		}
		if said, over := h.sends(s); over {
			return said
		}
		s.story("not sent yet")
		s.clear()
	}
	return notSent("it cannot be sent")
}

const (
	savedText  = "changed, draft saved"
	unfinished = "Unfinished work"
)

// changed reports whether the screen says that something is edited: of what was sent, with an outcome that is unknown, it says that.
func (h *handwork) changed(s *screen) bool {
	return strings.Contains(s.read(), savedText) || strings.Contains(s.shown, " w write ")
}

// sure reports whether nothing of a disk was in the way of keeping what is edited.
func (h *handwork) sure() bool {
	return !slices.ContainsFunc(h.m.runs, func(r *run) bool {
		return slices.ContainsFunc(r.disk.Hits(), func(kind string) bool { return kind != memdisk.None.String() })
	})
}

// opensTree opens the definition, and goes on with the draft that an earlier program has left: what was being typed as it was killed
// is typed anew.
func (h *handwork) opensTree(s *screen) bool {
	const draft = "continue with the draft"
	open := func(shown string) bool {
		return strings.Contains(shown, h.page.text) || strings.Contains(shown, "As text") || strings.Contains(shown, "enter apply")
	}
	s.press("view.services")
	for n := range 6 {
		if n == 0 || !open(s.read()) {
			s.command(h.page.open + h.target.Service.Path())
		}
		if s.sees(40*time.Second, draft, h.page.text, "As text", sessionExpired, signInTitle, unknownTitle, unfinished) == draft {
			s.press("enter")
		}
		if s.wait(2 * time.Second); !h.asked(s) && open(s.read()) {
			h.begins(s)
			return !s.dead()
		}
		if s.dead() {
			return false
		}
		if s.story("not open yet"); !open(s.shown) {
			s.wait(20 * time.Second)
			s.press("esc")
		}
	}
	return false
}

// begins goes on with what a program has found.
func (h *handwork) begins(s *screen) {
	if h.begun == s.run {
		return
	}
	h.begun = s.run
	found, typed := h.m.day.oracle.ReadBy(s.run.name, h.where()), strings.Contains(s.shown, "enter apply") || strings.Contains(s.shown, "As text")
	if h.changed(s) || typed {
		found = h.doc.Among(oracle.Drafted(h.m.disk.Files()))
		h.m.day.meet("by hand: a draft is gone on with")
	}
	s.story("goes on")
	h.m.day.oracle.Finds(h.doc, s.run.name, found, h.sure())
	if !h.doc.Differs() {
		h.left = max(h.left, 2)
	}
	if !typed && h.typing.Typed != "" && h.sure() {
		s.wrong("what was being typed is not gone on with: " + h.typing.Typed)
	}
	switch {
	case !typed:
	case strings.Contains(s.line(), `"maxIdleTime": `+h.typing.Typed) && h.typing.Typed != "":
		h.m.day.meet("by hand: a typed text is gone on with")
		s.press("enter")
		h.doc.Do(h.typing)
		s.sees(10*time.Second, savedText)
	default:
		h.givesUp(s)
	}
	h.typing = oracle.Stroke{}
}

// works makes the edits, and reports whether the document differs from what the site has.
func (h *handwork) works(s *screen) bool {
	for tries := 0; (h.left > 0 || !h.doc.Differs()) && tries < 30; tries++ {
		if h.asked(s); s.dead() {
			return false
		}
		switch n := h.r.IntN(24); {
		case n == 0:
			h.m.day.meet("by hand: the service is left and opened again")
			s.press("esc")
			s.wait(time.Second)
			if !h.opensTree(s) {
				return false
			}
		case n == 1 && len(h.m.runs) < 3:
			h.m.day.meet("by hand: the program is killed while a text is typed")
			h.dies(s)
			return false
		case n == 2:
			h.m.day.meet("by hand: the line drops while a text is typed")
			s.run.goesAway()
		}
		h.looks(s)
		h.asked(s)
		h.left--
		h.does(s, h.doc.Draws(h.r.IntN))
	}
	return h.doc.Differs()
}

// dies types a number, and the program is killed before that is applied.
func (h *handwork) dies(s *screen) {
	if !h.goes(s, "maxIdleTime") {
		return
	}
	number := fmt.Sprint(2000 + h.r.IntN(900))
	s.press("jsonedit.edit ctrl+u")
	s.types(number)
	s.wait(3 * time.Second) // until it is saved
	if !s.dead() && strings.Contains(s.line(), `"maxIdleTime": `+number) {
		h.typing = oracle.Stroke{Do: "set", Path: "maxIdleTime", Typed: number, Raw: number}
	}
	s.run.kill()
}

// goes puts the cursor on a value, and reports whether it is there.
func (h *handwork) goes(s *screen, path string) bool {
	s.command("go to path " + path)
	s.wait(time.Second)
	return !s.dead() && !h.asked(s)
}

// looks folds, unfolds, searches and filters, which changes nothing.
func (h *handwork) looks(s *screen) {
	switch h.r.IntN(8) {
	case 0:
		s.press("rows.fold-all rows.open-all")
	case 1:
		s.press("jsonedit.only")
		s.wait(time.Second)
		s.press("jsonedit.only")
	case 2:
		s.press("rows.filter")
		s.types("cold")
		s.press("enter esc")
	case 3:
		s.press("rows.filter / ")
		s.types("alpha")
		s.press("enter n")
		s.command("clear filter")
	case 4:
		s.press("jsonedit.next-change jsonedit.next-group rows.fold")
	}
}

// does makes an edit, and has it judged.
func (h *handwork) does(s *screen, one oracle.Stroke) {
	day := h.m.day
	if one.Path != "" && !h.goes(s, one.Path) {
		return
	}
	day.log("%s: %+v", s.run.name, one)
	keys := map[string]string{"set": "jsonedit.edit", "typed": "jsonedit.edit", "broken": "jsonedit.text", "text": "jsonedit.text", "add": "jsonedit.add", "insert": "jsonedit.add",
		"remove": "jsonedit.delete", "rename": "jsonedit.rename", "up": "jsonedit.move-up", "down": "jsonedit.move-down", "undo": "jsonedit.undo", "redo": "jsonedit.redo", "look": "rows.toggle rows.toggle"}
	s.press(keys[one.Do])
	switch one.Do {
	case "set", "typed":
		if one.Typed == "" && !strings.Contains(s.read(), "enter apply") {
			break // a switch
		}
		s.press("ctrl+u")
		s.types(one.Typed)
		if one.Do == "set" {
			s.press("enter")
			break
		}
		h.givesUp(s)
	case "text", "broken":
		s.press("ctrl+end ctrl+u")
		s.types(one.Typed)
		s.press("ctrl+s")
		if one.Do == "broken" {
			h.givesUp(s)
		}
	case "add", "rename":
		s.press("ctrl+u")
		s.types(one.Key)
		s.press("enter")
		if one.Do == "rename" {
			break
		}
		s.types(one.Typed)
		s.press("enter")
	case "insert":
		s.types(one.Typed)
		s.press("enter")
	}
	s.wait(time.Second)
	before := h.doc.Clone()
	changes := h.doc.Do(one)
	if s.dead() {
		return
	}
	if h.asked(s) { // whether it was made is not known
		if h.doc.Among(oracle.Drafted(h.m.disk.Files())) == before.Text {
			*h.doc = *before
		}
		return
	}
	day.meet("by hand: " + one.Do)
	saved := true
	if changes && h.doc.Text != h.doc.Base {
		saved = s.sees(10*time.Second, savedText, "changes not saved") == savedText
	}
	if s.dead() {
		return
	}
	s.story("after that")
	day.oracle.Handles(oracle.Handled{Program: s.run.name, Hand: h.doc, Stroke: one, Files: h.m.disk.Files(), Line: s.line(), Shown: s.shown, Sure: saved && h.sure(), Changes: changes})
	if saved {
		h.doc.Kept()
	}
}

// givesUp leaves what is typed.
func (h *handwork) givesUp(s *screen) {
	if s.press("esc"); strings.Contains(s.read(), "discard") {
		s.press("value.discard")
	}
}
