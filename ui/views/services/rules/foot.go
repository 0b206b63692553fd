package rules

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// foot says in plain words what the rules ask for, how many nodes take the pods, and
// what is going on.
func (b *Builder) foot() []string {
	note := b.entry == nil && b.note != ""
	switch {
	case b.height < leastFoot:
		return nil
	case b.height < leastSentence && note:
		return wrapped(b.inks.Plain, b.note, b.width, 2, &b.inks)
	case b.height < leastSentence:
		return []string{b.countLine()}
	}
	lines := []string{b.inks.Rule.On(strings.Repeat(b.inks.Glyphs.Rule, b.width))}
	if len(b.policy.Items()) > 0 {
		lines = append(lines, b.sentenceLines(b.mostSentence())...)
	}
	lines = append(lines, b.countLine())
	switch {
	case note:
		lines = append(lines, wrapped(b.inks.Plain, b.note, b.width, 2, &b.inks)...)
	case b.entry == nil:
		lines = append(lines, b.message())
	}
	return lines
}

// mostSentence is how many lines of the sentence there is room for.
func (b *Builder) mostSentence() int {
	switch {
	case b.height < leastSentence:
		return 0
	case b.height < highSentence && b.entry != nil:
		return 2
	case b.height < highSentence:
		return 3
	}
	return 4
}

// countLine tells how many nodes take the pods, and how much is wrong.
func (b *Builder) countLine() string {
	k := &b.inks
	sign, ink, text := b.summary()
	rest := b.pendingSign() + k.Muted.On(" "+k.Glyphs.Dot+" ") + b.findingCount()
	text = k.clean(text, b.width-ansi.StringWidth(rest)-2)
	switch {
	case sign == "":
		text = ink.On(text)
	case b.judged.summary.None():
		text = ink.On(sign + " " + text)
	default:
		text = ink.On(sign) + " " + text
	}
	return text + rest
}

// summary tells how many nodes take the pods, as it was last judged, with a sign of
// one cell, "" for none.
func (b *Builder) summary() (sign string, ink rows.Ink, text string) {
	k, s := &b.inks, b.judged.summary
	switch {
	case len(b.policy.Items()) == 0:
		return "", k.Muted, "no deployment"
	case len(b.nodes) == 0 && b.nodesNote != "":
		return "", k.Muted, b.nodesNote
	case len(b.nodes) == 0:
		return "", k.Muted, "no nodes are known"
	case b.judged.cluster == 0:
		return "", k.Muted, plain.Plural(len(b.nodes), "node")
	case s.None():
		return k.Glyphs.Warn, k.Warn, s.String()
	}
	return k.Glyphs.Pass, k.OK, s.String()
}

// summaryLines is the summary, broken for a width.
func (b *Builder) summaryLines(width int) []string {
	sign, ink, text := b.summary()
	page := rows.Page{Inks: &b.inks.Inks, Width: width}
	if sign == "" {
		page.Text(ink, text)
	} else {
		page.Signed(sign, ink, text)
	}
	page.Lines[len(page.Lines)-1] += b.pendingSign()
	return page.Lines
}

// keptOut tells by what the other nodes are kept out, where some take the pods; where
// none does, the summary says it.
func (b *Builder) keptOut() []string {
	s := b.judged.summary
	var parts []string
	if s.Unmatched > 0 {
		parts = append(parts, plain.Plural(s.Unmatched, "node")+" by labels")
	}
	if s.Repelled > 0 {
		parts = append(parts, plain.Plural(s.Repelled, "node")+" by taints")
	}
	if len(parts) == 0 || s.None() {
		return nil
	}
	return []string{b.inks.Muted.On("kept out: " + strings.Join(parts, ", "))}
}

// pendingSign marks what is being worked out.
func (b *Builder) pendingSign() string {
	if !b.old() {
		return ""
	}
	return " " + b.inks.Muted.On(b.inks.Glyphs.Ellipsis)
}

func (b *Builder) findingCount() string {
	k := &b.inks
	var parts []string
	if n := b.judged.count(placement.Blocking); n > 0 {
		parts = append(parts, k.Fail.On(k.Glyphs.Fail+" "+strconv.Itoa(n)+" blocking"))
	}
	if n := b.judged.count(placement.Warning); n > 0 {
		parts = append(parts, k.Warn.On(k.Glyphs.Warn+" "+plain.Plural(n, "warning")))
	}
	if n := b.judged.count(placement.Note); n > 0 {
		parts = append(parts, k.Muted.On(plain.Plural(n, "note")))
	}
	if len(parts) == 0 {
		return k.Muted.On("no findings")
	}
	return strings.Join(parts, k.Muted.On(" "+k.Glyphs.Dot+" "))
}

// message says what is wrong with the row under the cursor, else what can be done there.
func (b *Builder) message() string {
	k := &b.inks
	switch {
	case b.side.inside && b.side.kind == nodesPanel && len(b.nodes) == 0:
		return ""
	case b.side.inside:
		return k.Muted.On(panelHelp[b.side.kind])
	}
	i, ok := b.list.Selected()
	if !ok {
		return ""
	}
	end := i + 1
	if b.list.Folded() {
		end = b.tree.rows[i].end
	}
	help := k.Muted.On(b.rowHelp(b.tree.rows[i].key))
	f, found := b.tree.worst(i, end)
	if !found {
		return help
	}
	sign, ink := k.sign(f, true)
	room := b.width
	if b.tree.rows[i].key.part == itemRow && help != "" {
		help += "  "
		room = max(leastTold+len(inChecks), room-ansi.StringWidth(help))
	} else {
		help = ""
	}
	lines, _ := pointed(ink, sign+" "+f.Text, room, 1, k)
	return help + lines[0]
}

// inChecks says where a text that is cut stands whole.
const inChecks = " (Checks has all of it)"

// pointed is a text in at most so many lines; where it is longer its end says where it
// stands whole.
func pointed(ink rows.Ink, text string, width, most int, k *inks) (lines []string, cut bool) {
	lines = views.Wrap(text, width)
	if cut = len(lines) > most; cut {
		lines = lines[:most]
		lines[most-1] = views.Wrap(lines[most-1], width-len(inChecks)-1)[0]
	}
	for i := range lines {
		lines[i] = ink.On(lines[i])
	}
	if cut {
		lines[most-1] += ink.On(k.Glyphs.Ellipsis) + k.Muted.On(inChecks)
	}
	return lines, cut
}

// rowHelp says what can be done with a row.
func (b *Builder) rowHelp(key rowKey) string {
	switch key.part {
	case itemRow:
		return b.notes[b.item().DeploymentID]
	case affinityRow:
		return "space takes the next kind; a adds a line, A a term"
	case listRow:
		if key.at.Kind == placement.Preferred {
			return "nodes that match are tried first; the others stay open"
		}
		return "one matching term is enough; a adds a line, A a term"
	case termRow:
		return "within a term every line must hold; a adds one"
	case lineRow:
		return "e edits, space takes the next operator, a adds a line below"
	case tolerationsRow:
		return "a toleration lets pods on nodes with a taint; it does not attract them"
	case tolerationRow:
		return "e edits, space takes the next effect, a adds one below"
	case keptRow:
		return "kept as they are, as nothing is known of them here: " + strings.Join(b.tree.items[key.at.Item].Kept, ", ")
	}
	return ""
}
