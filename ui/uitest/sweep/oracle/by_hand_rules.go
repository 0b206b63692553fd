package oracle

import "fmt"

// Puts is an edit that makes another document of it.
func (h *Hand) Puts(text string) {
	if text == h.Text {
		return
	}
	h.done, h.undone = append(h.done, h.Text), nil
	h.Text = text
	h.saved = append(h.saved, text)
}

// Made is what an edit makes of the rules of a policy.
func Made(policy string, s Step) string {
	t := treeOf(policy)
	s.on(t.rules())
	return t.text()
}

// Tolerations is how many the first deployment of a policy has.
func Tolerations(policy string) int {
	if t := treeOf(policy).rules().at("tolerations"); t != nil {
		return len(t.kids)
	}
	return 0
}

// Rules judges rules after an edit by hand: what the draft has is gone on with, byte for byte.
func (d *Day) Rules(h Handled) {
	judge(d, atRules, h)
	for _, text := range Drafted(h.Files) {
		if Same(text, h.Hand.Text) && h.Hand.Differs() {
			h.Hand.Text = text
		}
	}
	if h.Sure {
		h.Hand.Kept()
	}
}

var atRules = []rule[Handled]{{"rules are in the draft as they were edited by hand", rulesAreKept}}

func rulesAreKept(h Handled) (int, []string) {
	if !h.Sure {
		return 0, nil
	}
	drafts := Drafted(h.Files)
	for _, text := range drafts {
		if Same(text, h.Hand.Text) {
			return 1, nil
		}
	}
	if h.Hand.Differs() {
		return 1, []string{fmt.Sprintf("%s: after %s the draft has %q, and should have %q", h.Program, h.Stroke.Do, drafts, h.Hand.Text)}
	}
	return 1, nil
}
