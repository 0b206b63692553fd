package oracle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Checked is a record that was verified after something has happened to its files.
type Checked struct {
	Was, Is map[string][]byte // the files of the site as its programs have left them, and as they are since
	What    string            // what has happened to them, for a person; empty for nothing
	Older   bool              // the head is an earlier one of this record
	Forged  bool              // the record went on from an earlier copy of itself: each of its lines fits
	Went    bool              // a program has written to it since
	Address string            // of the site
	Anchors string            // the file that was given; empty for none
	Code    int
	JSON    bool   // that is asked for
	Out     string // what was printed
	Err     string
	Listed  bool // a list of the record was printed, too
	Noted   string
}

// Anchored is an anchor that was asked for of the files as they are.
type Anchored struct {
	Is   map[string][]byte
	Code int
	Out  string
}

// Verified judges what was said of a record.
func (d *Day) Verified(c Checked) { judge(d, atVerifying, &c) }

// Anchors judges an anchor of a record as its programs have left it.
func (d *Day) Anchors(a Anchored) { judge(d, atAnchoring, a) }

var atVerifying = []rule[*Checked]{
	{"a record as it was written is told so", toldWhole},
	{"what was done to a record is found, and its first line named", firstNamed},
	{"what is missing beside a record is found", besideFound},
	{"anchors prove the lines that they count", anchorsProve},
	{"a list of a record that does not fit says so", listWarns},
}

var atAnchoring = []rule[Anchored]{{"an anchor is that of the last line", anchorFits}}

// fault is one that a verification tells, by its format in docs/scripting.md.
type fault struct {
	Kind               string
	Line, Left, Anchor int
	Record, Of         string
}

// verification is what one says as JSON.
type verification struct {
	Intact                                                   bool
	Fault                                                    *fault
	Faults                                                   []fault
	Lines, Records, Uncounted, Backups, Unnamed, Transcripts int
	Anchors, Anchored                                        int
}

// said reads the JSON, nil where none was asked for.
func (c *Checked) said() (*verification, error) {
	var t verification
	if !c.JSON || c.Code > 1 {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(c.Out), &t); err != nil {
		return nil, err
	}
	return &t, nil
}

// logLines are the whole lines of the record: one that is cut off at the end does not count.
func logLines(files map[string][]byte) []string {
	all := strings.SplitAfter(recordText(files), "\n")
	return all[:len(all)-1]
}

func fileIn(files map[string][]byte, base string) (content []byte, there bool) {
	for name, content := range files {
		if path.Base(name) == base {
			return content, true
		}
	}
	return nil, false
}

// headCounts is how many lines the head counts; less than nothing where there is none.
func headCounts(files map[string][]byte) int {
	head := struct{ Lines int }{-1}
	if text, there := fileIn(files, "actions.head"); !there || json.Unmarshal(text, &head) != nil {
		return -1
	}
	return head.Lines
}

// brokenAt is the index of the first line that is another one than was written, the number of lines where none is.
func (c *Checked) brokenAt() int {
	was, is := logLines(c.Was), logLines(c.Is)
	for i, line := range is {
		if i >= len(was) || was[i] != line {
			return i
		}
	}
	return len(is)
}

// chain is what the lines and their head say of the damage, by where it was done. Not sure are states that a crash leaves, too.
func (c *Checked) chain() (first fault, sure bool) {
	was, is := logLines(c.Was), logLines(c.Is)
	if c.Forged {
		return fault{}, false
	}
	if at := c.brokenAt(); at < len(is) {
		kind := "changed"
		if slices.Contains(was, is[at]) {
			kind = "order"
		}
		return fault{Kind: kind, Line: at + 1}, true
	}
	before, hadHead := fileIn(c.Was, "actions.head")
	head, hasHead := fileIn(c.Is, "actions.head")
	counts, next := headCounts(c.Is), 0
	if c.Went {
		next = len(is) + 1
	}
	var last struct{ Head *int }
	if len(is) > 0 {
		_ = json.Unmarshal([]byte(is[len(is)-1]), &last)
	}
	crashed := last.Head == nil || *last.Head < 0 // a disk that failed leaves such lines
	switch {
	case !hadHead && len(was) > 0:
		return fault{}, false
	case !hasHead && len(is) == 0:
		if len(was) == 0 || len(backupsIn(c.Is)) == 0 {
			return fault{}, false
		}
		if c.Went {
			return fault{Kind: "headMissing", Line: 1}, true
		}
		return fault{Kind: "log"}, true
	case !hasHead:
		return fault{Kind: "headMissing", Line: next}, !crashed
	case string(head) != string(before) && !c.Older:
		return fault{Kind: "head", Line: next}, !crashed
	case counts > len(is):
		return fault{Kind: "ending", Line: counts, Left: len(is)}, true
	case c.Older && counts < len(is) && len(is) == len(was):
		if crashed || *last.Head == counts {
			return fault{}, !crashed // as if a program was cut off before it could count its line
		}
		return fault{Kind: "headOlder", Line: next}, true
	}
	return fault{}, true
}

// kept is a backup that is listed.
type kept struct {
	ID, SHA256 string
	lost       bool     // its content is gone, or another one
	records    []string // that it names
}

// backupsIn are those that are listed in the files.
func backupsIn(files map[string][]byte) (all []*kept) {
	for name, list := range files {
		if path.Base(name) != "index.jsonl" || !strings.Contains(name, "/backups/") {
			continue
		}
		var here []*kept
		for line := range strings.Lines(string(list)) {
			var b kept
			var of struct{ Backup, Record string }
			if json.Unmarshal([]byte(line), &b) == nil && b.ID != "" {
				b.lost = true
				for other, content := range files {
					sum := sha256.Sum256(content)
					if path.Dir(other) == path.Dir(name) && strings.HasPrefix(path.Base(other), strings.ToLower(b.ID)) && hex.EncodeToString(sum[:]) == b.SHA256 {
						b.lost = false
					}
				}
				here = append(here, &b)
			} else if json.Unmarshal([]byte(line), &of) == nil && of.Record != "" {
				for _, b := range here {
					if b.ID == of.Backup {
						b.records = append(b.records, of.Record)
					}
				}
			}
		}
		all = append(all, here...)
	}
	return all
}

// missing are the records that backups name and that no line has.
func (c *Checked) missing() (all []string) {
	text := recordText(c.Is)
	for _, b := range backupsIn(c.Is) {
		for _, id := range b.records {
			if !strings.Contains(text, id) {
				all = append(all, id)
			}
		}
	}
	return all
}

func lostIn(all []*kept) (n int) {
	for _, b := range all {
		if b.lost {
			n++
		}
	}
	return n
}

// toldWhole wants a record to which nothing has happened, or that nothing can be seen of, to be told as whole, with its counts.
func toldWhole(c *Checked) (int, []string) {
	first, sure := c.chain()
	backups := backupsIn(c.Is)
	gone := len(logLines(c.Is)) < len(logLines(c.Was)) // what else belongs to a line may be missed
	if !sure || first.Kind != "" || len(c.missing()) > 0 || lostIn(backups) > 0 || len(c.anchors().wrong) > 0 || gone || c.Went {
		return 0, nil
	}
	if c.Code != 0 && !c.unasked() {
		return 1, []string{fmt.Sprintf("nothing is wrong with it (%s), and geodeck log --verify exits with %d: %.300s", c.What, c.Code, c.Err+c.Out)}
	}
	t, err := c.said()
	if err != nil {
		return 1, []string{"geodeck log --verify prints no JSON: " + err.Error()}
	}
	if t == nil {
		return 1, nil
	}
	ids := map[string]bool{}
	for _, line := range logLines(c.Is) {
		var e struct{ ID string }
		if json.Unmarshal([]byte(line), &e) == nil && e.ID != "" {
			ids[e.ID] = true
		}
	}
	lines := len(logLines(c.Is))
	switch {
	case !t.Intact || t.Fault != nil || len(t.Faults) > 0:
		return 1, []string{fmt.Sprintf("nothing is wrong with it, and it is told as damaged: %.300s", c.Out)}
	case t.Lines != lines || t.Records != len(ids) || t.Backups+t.Unnamed != len(backups):
		return 1, []string{fmt.Sprintf("it has %d lines, %d records and %d backups, and is told to have %d, %d and %d", lines, len(ids), len(backups), t.Lines, t.Records, t.Backups+t.Unnamed)}
	case headCounts(c.Is) == 0 && !slices.ContainsFunc(logLines(c.Is), func(line string) bool { return strings.Contains(line, `"head":`) }):
		// no line says what the head counted, as its disk failed: nobody can tell
	case headCounts(c.Is) >= 0 && t.Uncounted != lines-headCounts(c.Is):
		return 1, []string{fmt.Sprintf("its head counts %d of %d lines, and %d are told as not counted", headCounts(c.Is), lines, t.Uncounted)}
	}
	return 1, nil
}

// firstNamed wants the first line that is not as it was written to be named, with what is wrong, and exit code 1.
func firstNamed(c *Checked) (int, []string) {
	want, sure := c.chain()
	if !sure || want.Kind == "" || c.unasked() {
		return 0, nil
	}
	if c.Code != 1 {
		return 1, []string{fmt.Sprintf("%s, and geodeck log --verify exits with %d: %.300s", c.What, c.Code, c.Err)}
	}
	t, err := c.said()
	if err != nil {
		return 1, []string{"geodeck log --verify prints no JSON: " + err.Error()}
	}
	if t == nil {
		if !strings.Contains(strings.ToLower(c.Err), want.words()) {
			return 1, []string{fmt.Sprintf("%s, and geodeck log --verify does not say %q: %.300s", c.What, want.words(), c.Err)}
		}
		return 1, nil
	}
	at := slices.IndexFunc(t.Faults, func(f fault) bool { return f.Kind != "anchor" })
	if t.Intact || t.Fault == nil || at < 0 || *t.Fault != t.Faults[0] {
		return 1, []string{fmt.Sprintf("%s, and geodeck log --verify names no fault: %.300s", c.What, c.Out)}
	}
	if f := t.Faults[at]; f.Kind != want.Kind || f.Line != want.Line || f.Left != want.Left {
		return 1, []string{fmt.Sprintf("%s: that is %q at line %d (%d left), and is told as %q at line %d (%d left)", c.What, want.Kind, want.Line, want.Left, f.Kind, f.Line, f.Left)}
	}
	if wants := c.brokenAt(); !c.Went && (want.Kind == "changed" || want.Kind == "order") && t.Lines != wants {
		return 1, []string{fmt.Sprintf("%s: %d lines before it are as they were written, and %d are told", c.What, wants, t.Lines)}
	}
	return 1, nil
}

// words are some of the sentence for a person, in small letters.
func (f fault) words() string {
	switch f.Kind {
	case "changed":
		return fmt.Sprintf("line %d of the record was changed", f.Line)
	case "order":
		return fmt.Sprintf("line %d of the record does not follow", f.Line)
	case "ending":
		return fmt.Sprintf("%d of the record, once its last", f.Line)
	case "log":
		return "the record is missing"
	}
	return "the file actions.head"
}

// besideFound wants each backup that is gone or was changed, and each record that a backup names and no line has, to be told, and
// no other.
func besideFound(c *Checked) (judged int, wrong []string) {
	t, err := c.said()
	lost, missing := lostIn(backupsIn(c.Is)), c.missing()
	if c.unasked() {
		return 0, nil
	}
	if judged = lost + len(missing); judged > 0 && c.Code != 1 {
		return judged, []string{fmt.Sprintf("%s: %d backups are lost, the records %v are missing, and geodeck log --verify exits with %d", c.What, lost, missing, c.Code)}
	}
	if t == nil || err != nil {
		return judged, nil
	}
	found, records := 0, map[string]bool{}
	for _, f := range t.Faults {
		switch f.Kind {
		case "backup":
			found++
		case "record":
			records[f.Record] = true
			if first, _ := c.chain(); strings.Contains(recordText(c.Is), f.Record) && f.Record != "" && first.Kind != "changed" {
				wrong = append(wrong, fmt.Sprintf("%s: the record %s is there, and told as missing", c.What, f.Record))
			}
		}
	}
	if found != lost {
		wrong = append(wrong, fmt.Sprintf("%s: %d backups are lost or were changed, and %d are told", c.What, lost, found))
	}
	for _, id := range missing {
		if !records[id] {
			wrong = append(wrong, fmt.Sprintf("%s: the record %s that a backup names is missing, and not told", c.What, id))
		}
	}
	return judged, wrong
}

// proof is what a file of anchors proves.
type proof struct {
	ours, fit, last int   // anchors of this site, those that fit, and the last line that one of them counts
	wrong           []int // the lines of the file that do not
}

// unasked reports whether no anchor that was given is one of this site: then nothing is checked.
func (c *Checked) unasked() bool { return c.Anchors != "" && c.anchors().ours == 0 }

// hashOfLine is the checksum that a line holds.
func hashOfLine(line string) string {
	var sealed struct{ Hash string }
	_ = json.Unmarshal([]byte(line), &sealed)
	return sealed.Hash
}

// anchors is what the lines of the record make of the anchors. Those that are as they were written up to its line fit.
func (c *Checked) anchors() (p proof) {
	is, broken := logLines(c.Is), c.brokenAt()
	for n, line := range strings.Split(c.Anchors, "\n") {
		var a struct {
			Address, Checksum string
			Lines             int
		}
		none := json.Unmarshal([]byte(line), &a) != nil || a.Lines <= 0 || a.Checksum == "" || a.Address == ""
		switch {
		case strings.TrimSpace(line) == "", !none && a.Address != c.Address:
			continue
		case none, a.Lines > len(is), a.Checksum != hashOfLine(is[a.Lines-1]), a.Lines == broken+1 && !slices.Contains(logLines(c.Was), is[broken]):
			p.wrong = append(p.wrong, n+1)
		case a.Lines <= broken:
			p.fit, p.last = p.fit+1, max(p.last, a.Lines)
		}
		p.ours++
	}
	return p
}

func anchorsProve(c *Checked) (judged int, wrong []string) {
	if c.Anchors == "" || c.Went || c.Forged && c.brokenAt() == 0 {
		return 0, nil
	}
	p := c.anchors()
	switch {
	case p.ours == 0 && c.Code != 2:
		return 1, []string{fmt.Sprintf("no anchor is one of this site, and geodeck log --verify exits with %d", c.Code)}
	case p.ours == 0:
		return 1, nil
	case len(p.wrong) > 0 && c.Code != 1:
		return 1, []string{fmt.Sprintf("%s: lines %v of the anchors do not fit, and geodeck log --verify exits with %d", c.What, p.wrong, c.Code)}
	}
	t, err := c.said()
	if t == nil || err != nil {
		return 1, nil
	}
	var told []int
	for _, f := range t.Faults {
		if f.Kind == "anchor" {
			told = append(told, f.Anchor)
		}
	}
	slices.Sort(told)
	if !slices.Equal(told, p.wrong) || t.Anchors != p.fit || t.Anchored != p.last {
		return 1, []string{fmt.Sprintf("%s: lines %v of the anchors do not fit, %d fit up to line %d; told are %v, %d up to line %d",
			c.What, p.wrong, p.fit, p.last, told, t.Anchors, t.Anchored)}
	}
	return 1, nil
}

// listWarns wants a list of the record to say at once that something does not fit, and only then.
func listWarns(c *Checked) (int, []string) {
	if !c.Listed || c.Anchors != "" || c.Code > 1 {
		return 0, nil
	}
	if warned := strings.Contains(c.Noted, "is not as it was written"); warned != (c.Code == 1) {
		return 1, []string{fmt.Sprintf("%s: geodeck log --verify exits with %d, and a list warns of it: %v", c.What, c.Code, warned)}
	}
	return 1, nil
}

func anchorFits(a Anchored) (int, []string) {
	var made struct {
		Checksum string
		Lines    int
	}
	lines := logLines(a.Is)
	switch {
	case len(lines) == 0 && a.Code == 0:
		return 1, []string{"there is no record, and an anchor of it is made"}
	case len(lines) == 0:
		return 1, nil
	case lostIn(backupsIn(a.Is)) > 0: // to one that does not fit nothing is added
		if a.Code != 1 || a.Out != "" {
			return 1, []string{fmt.Sprintf("a backup is lost, and geodeck log --anchor exits with %d: %.300s", a.Code, a.Out)}
		}
		return 1, nil
	case a.Code != 0:
		return 1, []string{fmt.Sprintf("geodeck log --anchor exits with %d for a record as it was written", a.Code)}
	case json.Unmarshal([]byte(a.Out), &made) != nil, made.Lines != len(lines), made.Checksum != hashOfLine(lines[len(lines)-1]):
		return 1, []string{fmt.Sprintf("the record has %d lines, and its anchor says %.300s", len(lines), a.Out)}
	}
	return 1, nil
}
