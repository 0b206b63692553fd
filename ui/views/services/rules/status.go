package rules

import (
	"strings"

	"geodeck/adminapi/placement"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

const (
	minStatus     = 4  // rows from which on there are lines below the rules
	minSentence   = 12 // rows from which on the sentence is one of them
	wholeSentence = 24 // rows from which on it has four lines
	noteLines     = 2
	seeChecks     = " (Checks has all of it)" // where a text that is cut stands whole
)

// status says in plain words what the rules ask for, how many nodes take the pods, and
// what is going on.
func (b *Builder) status() []string {
	k := &b.inks
	note := b.note
	if b.entry() != nil {
		note = ""
	}
	switch {
	case b.height < minStatus:
		return nil
	case b.height < minSentence && note != "":
		return wrapped(k.Plain, note, b.width, noteLines, k)
	case b.height < minSentence:
		return []string{b.countLine(b.width)}
	}
	lines := []string{k.Rule.On(strings.Repeat(k.Glyphs.Rule, b.width))}
	if !b.empty() {
		sentence, _ := b.sentenceLines()
		lines = append(lines, sentence...)
	}
	lines = append(lines, b.countLine(b.width))
	switch {
	case note != "":
		lines = append(lines, wrapped(k.Plain, note, b.width, noteLines, k)...)
	case b.entry() == nil:
		lines = append(lines, b.message())
	}
	return lines
}

// sentenceRoom is how many lines of the sentence there is room for.
func (b *Builder) sentenceRoom() int {
	switch {
	case b.height < minSentence:
		return 0
	case b.height < wholeSentence && b.entry() != nil:
		return 2
	case b.height < wholeSentence:
		return 3
	}
	return 4
}

// sentence is what is said of a deployment, as it was broken into lines.
type sentence struct {
	revision, item int
	text           string
	width, room    int
	lines          []string
	cut            bool // these are not all
}

// sentenceText says in plain words where the pods of the deployment under the cursor go.
func (b *Builder) sentenceText() string {
	s := &b.cache
	if revision := b.draft.revision; s.revision != revision || s.item != b.Item() {
		*s = sentence{revision: revision, item: b.Item(), text: placement.Sentence(b.item())}
	}
	return s.text
}

// sentenceLines are the sentence in the lines that there is room for; cut reports
// whether these are not all.
func (b *Builder) sentenceLines() (lines []string, cut bool) {
	text, room := b.sentenceText(), b.sentenceRoom()
	if s := &b.cache; room > 0 && (s.lines == nil || s.width != b.width || s.room != room) {
		s.width, s.room = b.width, room
		s.lines, s.cut = pointed(b.inks.Plain, text, b.width, room, &b.inks)
	}
	return b.cache.lines, b.cache.cut
}

// cutSentence is the sentence where there is no room for all of it.
func (b *Builder) cutSentence() string {
	if b.empty() {
		return ""
	}
	if _, cut := b.sentenceLines(); cut || b.sentenceRoom() == 0 {
		return b.sentenceText()
	}
	return ""
}

// message says what is wrong with the row under the cursor, else what can be done there.
func (b *Builder) message() string {
	k, t := &b.inks, b.rules.tree
	switch {
	case b.inside && b.panels.kind == nodesPanel && len(b.cluster.nodes) == 0:
		return ""
	case b.inside:
		return k.Muted.On(panelHelp[b.panels.kind])
	}
	i, ok := t.list.Selected()
	if !ok {
		return ""
	}
	row := t.table.rows[i]
	end := i + 1
	if t.list.Folded() {
		end = row.end
	}
	help := k.Muted.On(t.help(row.key))
	f, found := t.table.worst(i, end)
	if !found {
		return help
	}
	sign, ink := k.sign(f, true)
	room := b.width
	if row.key.kind == itemRow && help != "" {
		help += "  "
		room = max(minRemark+len(seeChecks), room-cellsOf(help))
	} else {
		help = ""
	}
	lines, _ := pointed(ink, sign+" "+f.Text, room, 1, k)
	return help + lines[0]
}

// pointed is a text in a limited number of lines; where it is longer its end says where
// it stands whole.
func pointed(ink rows.Ink, text string, width, limit int, k *inks) (lines []string, cut bool) {
	lines = views.Wrap(text, width)
	if cut = len(lines) > limit; cut {
		lines = lines[:limit]
		lines[limit-1] = views.Wrap(lines[limit-1], width-len(seeChecks)-1)[0]
	}
	for i := range lines {
		lines[i] = ink.On(lines[i])
	}
	if cut {
		lines[limit-1] += ink.On(k.Glyphs.Ellipsis) + k.Muted.On(seeChecks)
	}
	return lines, cut
}

// help says what can be done with a row.
func (t *tree) help(key rowKey) string {
	switch key.kind {
	case itemRow:
		return t.notes[t.item().DeploymentID]
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
	case unknownRow:
		return "kept as they are, as nothing is known of them here: " + strings.Join(t.table.items[key.at.Item].UnknownKeys, ", ")
	}
	return ""
}
