package document

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/finding"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
)

// Review is what an edit of a document would do, as a person looks at it before it is
// sent.
type Review struct {
	// Service heads the part of a review that is about several services; empty in a
	// review of one.
	Service  string
	Summary  string // of several services: what is changed in this one, in short
	Changes  []Change
	Risks    []finding.Finding // what changes may do
	Findings []finding.Finding // rules that are broken
	// Words say changes as a person would, each in some lines; a change that has none is
	// said by its path and values.
	Words map[Path][]string
}

// reviewWidth is how wide the lines of a value are at most in the text of a review, in
// cells.
const reviewWidth = 160

// Found is all that was found: the rules that are broken, and what changes may do.
func (r Review) Found() []finding.Finding { return slices.Concat(r.Findings, r.Risks) }

// Worst is the heaviest of its risks, zero for none.
func (r Review) Worst() (worst finding.Strength) {
	for _, risk := range r.Risks {
		worst = max(worst, risk.Strength)
	}
	return worst
}

// Labels names the risks of some reviews that weigh more than a note, each once, the
// heaviest first.
func Labels(reviews []Review) (labels []string) {
	for strength := finding.Block; strength >= finding.Caution; strength-- {
		for _, r := range reviews {
			for _, risk := range r.Risks {
				if label := plain.Line(risk.ID); risk.Strength == strength && !slices.Contains(labels, label) {
					labels = append(labels, label)
				}
			}
		}
	}
	return labels
}

// Text returns the review in plain words and lines, each value whole, as a ticket or a
// pipe takes it, with secrets masked. accepted reports which findings are.
func (r Review) Text(accepted func(finding.Finding) bool) string {
	var b strings.Builder
	if r.Service != "" {
		b.WriteString(plain.Line(r.Service) + "\n")
	}
	if len(r.Changes) == 0 {
		b.WriteString("no changes\n")
	} else {
		fmt.Fprintln(&b, plain.Plural(len(r.Changes), "change")+": "+CountKinds(r.Changes))
	}
	for _, f := range r.Findings {
		if f.Open() { // below, with what may be accepted
			continue
		}
		fmt.Fprintf(&b, "%s  %s  %s\n", f.Word(), f.At.Words(), plain.Line(f.Sentence()))
	}
	for _, f := range finding.Those(r.Found(), finding.Finding.Open) {
		state := "to accept"
		if accepted(f) {
			state = "accepted"
		}
		fmt.Fprintf(&b, "%s, %s  %s  %s\n", f.Accept, state, f.At.Words(), plain.Line(f.Text))
	}
	risks := r.RisksByChange()
	for _, c := range Masked(r.Changes) {
		fmt.Fprintf(&b, "%s  %s\n", c.Kind, c.Path)
		for _, line := range r.Words[c.Path] {
			b.WriteString("  " + line + "\n")
		}
		if len(r.Words[c.Path]) == 0 {
			writeSide(&b, "- ", c.Old)
			writeSide(&b, "+ ", c.New)
		}
		for _, risk := range risks[c.Path] {
			fmt.Fprintf(&b, "  %s, %s: %s\n", risk.Strength, risk.ID, plain.Line(risk.Text))
		}
	}
	return b.String()
}

func writeSide(b *strings.Builder, sign, raw string) {
	if raw == "" {
		return
	}
	for _, line := range ValueLines(raw, reviewWidth) {
		b.WriteString("  " + sign + line + "\n")
	}
}

// CountKinds counts changes: "1 added, 3 changed".
func CountKinds(changes []Change) string {
	counts := map[ChangeKind]int{}
	for _, c := range changes {
		counts[c.Kind]++
	}
	var parts []string
	for kind := Added; kind <= Moved; kind++ {
		if n := counts[kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, kind))
		}
	}
	return strings.Join(parts, ", ")
}

// RisksByChange finds the change that each risk is of: a risk names the place that
// changed, one in a value that was added or removed as a whole, or one in which something
// changed; then it is shown with the first of those changes.
func (r Review) RisksByChange() map[Path][]finding.Finding {
	risks := make(map[Path][]finding.Finding, len(r.Changes))
	for _, c := range r.Changes {
		risks[c.Path] = nil
	}
	for _, risk := range r.Risks {
		path := Path(risk.At.Path)
		for _, known := risks[path]; !known && path != Whole; _, known = risks[path] {
			path = path.Parent()
		}
		if _, known := risks[path]; !known {
			path = firstWithin(r.Changes, Path(risk.At.Path))
		}
		risk.ID = plain.Line(risk.ID)
		risks[path] = append(risks[path], risk)
	}
	for _, of := range risks {
		slices.SortStableFunc(of, finding.Heaviest)
	}
	return risks
}

// Masked returns the text as it may be shown: a mask is in place of the texts and numbers
// that stand under the name of a secret, and of passwords and tokens in other texts, such
// as connection strings. All other bytes are unchanged.
func (d *Document) Masked() string { return maskedAt(Whole, d.text, false) }

// Masked returns changes as they may be shown, see [Document.Masked]. A secret that was
// changed is a change without either value.
func Masked(changes []Change) []Change {
	changes = slices.Clone(changes)
	for i := range changes {
		c := &changes[i]
		c.Old, c.New = maskedAt(c.Path, c.Old, c.Secret), maskedAt(c.Path, c.New, c.Secret)
	}
	return changes
}

// maskedAt returns the value at a path, as it was written, as it may be shown; the empty
// text is none. isSecret is whether it is one whatever the path says.
func maskedAt(path Path, raw string, isSecret bool) string {
	if raw == "" {
		return raw
	}
	isSecret = isSecret || slices.ContainsFunc(path.Steps(), func(s Step) bool { return s.Kind == ByKey && secrets.IsMember(s.Key) })
	masked, _ := new(secrets.ByName).JSON([]byte(raw), isSecret)
	return string(masked)
}

func firstWithin(changes []Change, outer Path) Path {
	for _, c := range changes {
		if c.Path.Within(outer) {
			return c.Path
		}
	}
	return Whole
}

// IsContainer reports whether a value is an object or an array that holds something, as it is
// written.
func IsContainer(raw string) bool {
	return len(raw) > 2 && (raw[0] == '{' || raw[0] == '[')
}

// ValueLines returns a whole value in lines of at most width cells.
func ValueLines(raw string, width int) []string {
	width = max(width, 8)
	d, err := Parse([]byte(raw))
	if err != nil || !IsContainer(raw) {
		return wrapped(raw, width)
	}
	var all []string
	for _, line := range d.Lines() {
		text := strings.Repeat("  ", line.Depth) + lineOf(line)
		if ansi.StringWidth(text) <= width {
			all = append(all, Visible(text))
			continue
		}
		all = append(all, wrapped(text, width)...)
	}
	return all
}

// lineOf writes a line of a document.
func lineOf(line Line) string {
	text := ""
	if key := line.Node.RawKey(); key != "" && line.Part != Closing {
		text = key + ": "
	}
	open, end := "{", "}"
	if line.Node.Kind() == Array {
		open, end = "[", "]"
	}
	switch line.Part {
	case Opening:
		text += open
	case Closing:
		text += end
	default:
		text += line.Node.Raw()
	}
	if line.Comma() {
		text += ","
	}
	return text
}

// maxCleanedBytes is how many bytes of a text are cleaned at once, below what the
// cleaner keeps of a line.
const maxCleanedBytes = 1000

// wrapped breaks a long text anywhere; nothing of it is left out.
func wrapped(text string, width int) (all []string) {
	for len(text) > 0 {
		end := min(len(text), maxCleanedBytes)
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		all = append(all, strings.Split(ansi.Hardwrap(Visible(text[:end]), width, true), "\n")...)
		text = text[end:]
	}
	return all
}

// Compact returns a value on one line, without the layout of what it holds; see [Visible].
func Compact(raw string) string {
	if strings.ContainsAny(raw, "\n\r\t") {
		if d, err := Parse([]byte(raw)); err == nil {
			raw = d.Root().OneLine()
		}
	}
	return Visible(raw)
}

// Visible returns a JSON text on one line, with invisible characters and those that a
// terminal obeys as JSON escapes: two values that differ look different.
func Visible(raw string) string {
	return plain.Line(plain.EscapeJSON(raw, isInvisible))
}

func isInvisible(r rune) bool {
	if r < utf8.RuneSelf {
		return r == 0x7f
	}
	return r == utf8.RuneError || !unicode.IsGraphic(r) || unicode.IsSpace(r) || plain.Line(string(r)) != string(r)
}
