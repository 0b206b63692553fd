package oracle

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Clone is a copy that goes on by itself.
func (h *Hand) Clone() *Hand {
	c := *h
	c.done, c.undone, c.saved = slices.Clone(h.done), slices.Clone(h.undone), slices.Clone(h.saved)
	return &c
}

// Among is which of some drafts is the document, else the last.
func (h *Hand) Among(drafts []string) string {
	last := h.Base
	for _, text := range drafts {
		if slices.Contains(h.saved, text) {
			return text
		}
		last = text
	}
	return last
}

// Drafted are the edited texts of the drafts on disk.
func Drafted(files map[string][]byte) (texts []string) {
	for path, content := range files {
		var draft struct{ Value struct{ Edited string } }
		if strings.Contains(path, "/drafts/") && json.Unmarshal(content, &draft) == nil && draft.Value.Edited != "" {
			texts = append(texts, draft.Value.Edited)
		}
	}
	slices.Sort(texts)
	return texts
}

// Handled is a document after an edit by hand, as the screen and the disk have it.
type Handled struct {
	Program string
	Hand    *Hand
	Stroke  Stroke
	Files   map[string][]byte
	Line    string // of the cursor
	Shown   string // all words of the screen
	Sure    bool   // the screen says that it is saved, and nothing is wrong with the disk
	Changes bool   // the edit has changed something
}

// found is what a later program goes on with.
type handFound struct {
	hand    *Hand
	program string
	text    string
	sure    bool
}

// Handles judges an edit by hand.
func (d *Day) Handles(h Handled) { judge(d, atHand, h) }

// Finds judges what a later program goes on with, which is the document from then on.
func (d *Day) Finds(h *Hand, program, text string, sure bool) {
	judge(d, atFound, handFound{h, program, text, sure})
}

var atHand = []rule[Handled]{
	{"what is edited by hand is in the draft", handIsKept},
	{"a tree shows what was edited by hand", handIsShown},
}

var atFound = []rule[handFound]{{"a later program goes on with what was edited by hand", handIsFound}}

func handIsFound(f handFound) (int, []string) {
	was := f.hand.Text
	if is := f.hand.Resumes(f.text); !is && f.sure {
		return 1, []string{fmt.Sprintf("%s goes on with %s", f.program, apart(f.text, was))}
	}
	return 1, nil
}

// apart says where two texts begin to differ.
func apart(is, want string) string {
	at := 0
	for at < min(len(is), len(want)) && is[at] == want[at] {
		at++
	}
	from := max(0, at-30)
	return fmt.Sprintf("%.90q, and it should be %.90q", is[min(from, len(is)):], want[min(from, len(want)):])
}

func handIsKept(h Handled) (int, []string) {
	drafts := Drafted(h.Files)
	says := strings.Contains(h.Shown, "changed, draft saved")
	switch {
	case !h.Sure:
		return 0, nil
	case h.Hand.Text == h.Hand.Base && says:
		return 1, []string{fmt.Sprintf("%s: after %+v nothing is changed, and it says so", h.Program, h.Stroke)}
	case h.Hand.Text != h.Hand.Base && !slices.Contains(drafts, h.Hand.Text):
		return 1, []string{fmt.Sprintf("%s: after %+v the draft has %s", h.Program, h.Stroke, apart(h.Hand.Among(drafts), h.Hand.Text))}
	}
	return 1, nil
}

// leftToUndo is what is said after an edit was undone.
var leftToUndo = regexp.MustCompile(`Undone[.] (Nothing|\d+) more`)

// handIsShown wants the line of the cursor to have the value, its number, and the mark of what the site has otherwise.
func handIsShown(h Handled) (int, []string) {
	if left := leftToUndo.FindStringSubmatch(h.Shown); h.Stroke.Do == "undo" && left != nil {
		if want := fmt.Sprint(h.Hand.Steps()); strings.Replace(left[1], "Nothing", "0", 1) != want {
			return 1, []string{fmt.Sprintf("%s says %q, and %s can be undone", h.Program, left[0], want)}
		}
		return 1, nil
	}
	at := spanAt(h.Hand.Text, h.Stroke.Path)
	if h.Stroke.Do == "add" && at != nil {
		holder := at
		if at.open == 0 {
			holder = at.up
		}
		at = spanAt(h.Hand.Text, holder.below(holder.path, h.Stroke.Key))
	}
	if !slices.Contains([]string{"set", "text", "typed", "broken", "up", "down", "add"}, h.Stroke.Do) || at == nil || at.open != 0 || at.up.open != '{' {
		return 0, nil
	}
	text := h.Hand.Text[at.key:at.key+scalarLength(h.Hand.Text[at.key:])] + ": " + at.raw
	if !strings.Contains(h.Line, text) {
		return 1, []string{fmt.Sprintf("%s: after %+v the line is %q, and should have %s", h.Program, h.Stroke, h.Line, text)}
	}
	before := strings.Fields(h.Line[:strings.Index(h.Line, text)])
	if len(before) == 0 || strings.Trim(before[len(before)-1], "0123456789") != "" { // a narrow screen has no numbers
		return 1, nil
	}
	if number := before[len(before)-1]; number != strconv.Itoa(at.line) {
		return 1, []string{fmt.Sprintf("%s: after %+v the line of %s has the number %s, and should have %d", h.Program, h.Stroke, text, number, at.line)}
	}
	if strings.Contains(at.path, "[") {
		return 1, nil
	}
	want := "◆"
	switch was := spanAt(h.Hand.Base, at.path); {
	case was == nil:
		want = "+"
	case was.open == 0 && was.raw == at.raw:
		want = ""
	}
	if marks := strings.Join(before[:len(before)-1], ""); !strings.HasSuffix(marks, want) || want == "" && strings.ContainsAny(marks, "◆+") {
		return 1, []string{fmt.Sprintf("%s: after %+v the line of %s has the marks %q, and should have %q", h.Program, h.Stroke, text, marks, want)}
	}
	return 1, nil
}

// handIsSent wants what was edited by hand, byte for byte.
func handIsSent(a arrival) (int, []string) {
	if a.Intent == nil || a.Intent.Hand == nil || a.text() == "" {
		return 0, nil
	}
	if a.text() != a.Intent.Hand.Text {
		return 1, []string{fmt.Sprintf("POST %s sends %s", a.Path, apart(a.text(), a.Intent.Hand.Text))}
	}
	return 1, nil
}
