package sweep

import (
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/uitest/sweep/oracle"
)

// rulework is a day at the page of rules for pods.
type rulework struct {
	*handwork
	from adminapi.ServiceRef // whose rules are copied
}

// playRules edits the rules of a service by hand, and sends them.
func playRules(m *machine) {
	h := &rulework{handwork: &handwork{r: m.day.random("rules by hand")}, from: m.site.services(1)[0]}
	h.changing = &changing{m: m, target: editing.PlacementOf(cities), intent: &oracle.Intent{}, page: page{open: "open placement ", text: "Tolerations"}}
	for _, service := range []adminapi.ServiceRef{h.from, cities} {
		where := "/services/" + service.Path() + "/placementPolicy"
		m.othersRules(where, oracle.Settles(m.site.ask("GET", where, nil), h.r.IntN))
	}
	time.Sleep(2 * time.Minute) // until their jobs have ended
	h.doc = oracle.NewHand(m.site.ask("GET", h.where(), nil))
	h.left = 3 + h.r.IntN(5)
	h.intent.Built = func(string) string { return h.doc.Text }
	h.has = func(d *document.Document) bool { return oracle.Same(d.Text(), h.doc.Text) && h.doc.Differs() }
	w := h.wish(byHand)
	w.is = func(p *post) bool { return p.path == h.where()+"/edit" }
	w.try = func(r *run) told { return h.attempts(r, h.editsRules) }
	m.insist(w)
}

// ruleKeys are how the rules of the page are edited, and what the model makes of them.
var ruleKeys = []struct {
	name string
	keys func(h *rulework, s *screen)
	made func(h *rulework, text string) string
}{
	{"rules are copied", func(h *rulework, s *screen) {
		s.command("copy rules from " + h.from.Path())
		s.sees(10*time.Second, "Copied from", "not copied")
	}, func(h *rulework, text string) string {
		return oracle.Puts(oracle.RulesOf(h.m.site.ask("GET", "/services/"+h.from.Path()+"/placementPolicy", nil)))(text)
	}},
	{"a preset is taken", func(_ *rulework, s *screen) { s.press("services.presets down down down down down enter") },
		func(_ *rulework, text string) string { return oracle.Preset("anywhere", "", "", nil)(text) }},
	{"a toleration is added", func(_ *rulework, s *screen) {
		s.press("rows.bottom rules.add")
		s.types("spot")
		s.press("enter")
	}, func(_ *rulework, text string) string {
		return oracle.Made(text, oracle.Step{Do: "add", Kind: "tolerations", Term: oracle.Tolerations(text), Line: -1, Raw: `{"effect":"NoSchedule","key":"spot","operator":"Equal"}`})
	}},
	{"a toleration is removed", func(_ *rulework, s *screen) { s.press("rows.bottom rules.delete") },
		func(_ *rulework, text string) string {
			return oracle.Made(text, oracle.Step{Do: "remove", Kind: "tolerations", Term: oracle.Tolerations(text) - 1, Line: -1})
		}},
	{"a toleration is duplicated", func(_ *rulework, s *screen) { s.press("rows.bottom rules.duplicate") },
		func(_ *rulework, text string) string {
			return oracle.Made(text, oracle.Step{Do: "copy", Kind: "tolerations", Term: oracle.Tolerations(text) - 1, Line: -1})
		}},
}

// editsRules makes the edits, and reports whether the rules differ from those of the site.
func (h *rulework) editsRules(s *screen) bool {
	for tries := 0; (h.left > 0 || !h.doc.Differs()) && tries < 20; tries++ {
		if h.asked(s); s.dead() || !strings.Contains(h.doc.Text, `"placementPolicy"`) { // the last answer was none
			return false
		}
		h.left--
		before, name := h.doc.Clone(), "an edit of rules is undone"
		switch n := h.r.IntN(8); {
		case n < 2 && h.doc.Steps() > 0:
			s.press("rules.undo")
			h.doc.Do(oracle.Stroke{Do: "undo"})
		default:
			one := pick(h.r, ruleKeys)
			if name = one.name; oracle.Tolerations(h.doc.Text) == 0 && (strings.Contains(name, "removed") || strings.Contains(name, "duplicated")) {
				continue
			}
			one.keys(h, s)
			if strings.Contains(s.read(), "not copied") {
				continue
			}
			h.doc.Puts(one.made(h, h.doc.Text))
		}
		s.wait(time.Second)
		if s.dead() {
			return false
		}
		if h.asked(s) { // whether it was made is not known
			*h.doc = *before
			h.doc.Text = h.doc.Among(oracle.Drafted(h.m.disk.Files()))
			continue
		}
		h.m.day.meet("by hand: " + name)
		saved := !h.doc.Differs() || s.sees(10*time.Second, savedText, "changes not saved") == savedText
		s.story("after " + name)
		if s.dead() {
			return false
		}
		h.m.day.oracle.Rules(oracle.Handled{Program: s.run.name, Hand: h.doc, Stroke: oracle.Stroke{Do: name}, Files: h.m.disk.Files(), Sure: saved && h.sure()})
	}
	return h.doc.Differs()
}
