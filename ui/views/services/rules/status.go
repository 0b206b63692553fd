package rules

import (
	"strings"

	"geodeck/adminapi/placement"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"

	"github.com/charmbracelet/x/ansi"
)

const (
	minStatus     = 4  // rows from which on there are lines below the rules
	minSentence   = 12 // rows from which on the sentence is one of them
	wholeSentence = 24 // rows from which on it has four lines
	noteLines     = 2
	seeChecks     = " (see Checks)" // where a text that is cut is shown whole
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
	lines := append(make([]string, 0, 8), b.rule(b.width))
	lines = append(append(lines, b.sentence().lines...), b.countLine(b.width))
	switch {
	case note != "":
		lines = append(lines, wrapped(k.Plain, note, b.width, noteLines, k)...)
	case b.entry() == nil:
		lines = append(lines, b.message())
	}
	return lines
}

// sentence says in plain words where the pods of the deployment go in which the cursor rests.
type sentence struct {
	sentenceVersion
	text  string
	lines []string // as many as there is room for
	cut   bool     // these are not all
}

// sentenceVersion names what a sentence is made of.
type sentenceVersion struct{ revision, item, width, room int }

func (b *Builder) sentence() *sentence {
	now := sentenceVersion{b.draft.revision, b.at(), b.width, 4}
	switch {
	case b.height < minSentence:
		now.room = 0
	case b.height < wholeSentence && b.entry() != nil:
		now.room = 2
	case b.height < wholeSentence:
		now.room = 3
	}
	if b.cache.sentenceVersion != now {
		s := sentence{sentenceVersion: now, cut: !b.empty()}
		if s.cut {
			s.text = placement.Sentence(b.item())
		}
		if now.room > 0 && s.cut {
			s.lines, s.cut = pointed(b.inks.Plain, s.text, b.width, now.room, &b.inks)
		}
		b.cache = s
	}
	return &b.cache
}

// message says what is wrong with the row on which the cursor rests, else what can be done there.
func (b *Builder) message() string {
	k, t := &b.inks, b.tree
	switch {
	case b.inside && b.panels.kind == nodesPanel && len(b.cluster.nodes) == 0:
		return ""
	case b.inside && b.panels.kind == nodesPanel && b.panels.nodes.about() != "":
		return k.clean(b.panels.nodes.about(), b.width)
	case b.inside:
		return k.Muted.On(panelHelp[b.panels.kind])
	}
	i, ok := t.list.Rested()
	if !ok {
		return ""
	}
	row := t.table.rows[i]
	end := i + 1
	if t.folded[row.key] {
		end = row.end
	}
	help := k.Muted.On(t.help(row.key))
	f, found := t.table.worst(i, end)
	if !found {
		return help
	}
	sign, ink := k.Weight(f.Strength)
	room := b.width
	if row.key.kind == itemRow && help != "" {
		help += "  "
		room = max(minRemark+len(seeChecks), room-ansi.StringWidth(help))
	} else {
		help = ""
	}
	lines, _ := pointed(ink, sign+" "+f.Text, room, 1, k)
	return help + lines[0]
}

// pointed is a text in a limited number of lines; where it is longer its end says where
// all of it is shown.
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
		return t.notes[t.table.items[key.at.Item].DeploymentID]
	case affinityRow:
		if key.at.Kind == placement.Preferred {
			return "Nodes that match a term are tried first: a add line, A add term"
		}
		return "A node must match one term: a add line, A add term"
	case termRow:
		return "Every line of a term must hold, a add a line"
	case lineRow:
		return "e edit, space next operator, a add a line below"
	case tolerationsRow:
		return "A toleration admits pods to tainted nodes; it does not attract them"
	case tolerationRow:
		return "e edit, space next effect, a add one below"
	case unknownRow:
		return "Unknown keys, kept as they are: " + strings.Join(t.table.items[key.at.Item].UnknownKeys, ", ")
	}
	return ""
}
