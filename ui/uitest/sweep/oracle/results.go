package oracle

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Sending is what a command has said of an edit that it was to send.
type Sending struct {
	Day      *Day
	Program  string
	Service  string
	Document string // where the site has it
	Form     string // json or table
	Code     int
	Out      string
	Files    map[string][]byte // of the machine, after it
}

// result is what is said of an edit that was to be sent.
type result struct {
	edited
	Verdict *string
	Kept    bool
	NotKept []changeSaid
	Unread  string
	Backup  string
	Jobid   string
	State   *struct{ ConfiguredState, RealTimeState, StateError string }
}

// sending is such a saying, with the write that it is about: nil where none came to the site.
type sending struct {
	Sending
	item *result // nil for the table form
	w    *Write
	now  string // what the program has read of it last
}

// Sends judges what was said of an edit.
func (d *Day) Sends(s Sending) {
	s.Day = d
	f := sending{Sending: s, now: d.ReadBy(s.Program, s.Document)}
	for _, w := range d.sent(func(w *Write) bool { return w.Program == s.Program && w.document() == s.Document }) {
		f.w = w
	}
	if s.Form == "json" {
		var list struct{ Items []*result }
		if json.Unmarshal([]byte(s.Out), &list) != nil {
			return
		}
		part := map[bool]string{true: "placement", false: "definition"}[strings.HasSuffix(s.Document, "/placementPolicy")]
		at := slices.IndexFunc(list.Items, func(one *result) bool { return one.Service == s.Service && one.Part == part })
		if at < 0 {
			return
		}
		f.item = list.Items[at]
	}
	judge(d, atResult, f)
}

var atResult = []rule[sending]{
	{"what an edit has changed is said", sentChangesAreSo},
	{"how an edit has ended is said as it was", endingIsSo},
	{"what an edit has replaced is named", backupIsNamed},
}

// sentChangesAreSo compares the changes that are said with what was read, and what was sent.
func sentChangesAreSo(s sending) (judged int, wrong []string) {
	if s.w == nil || s.item == nil {
		return 0, nil
	}
	before, after := treeOf(s.w.Base), treeOf(s.w.text())
	if before == nil || after == nil {
		return 0, nil
	}
	return 1, unlike(s.Document, "changes that were sent", written(differences("", before, after)), saidIn(s.item.Changes))
}

// endingIsSo compares how an edit is said to have ended with what the site has done with it.
func endingIsSo(s sending) (judged int, wrong []string) {
	if s.item == nil {
		if kept := "that was sent\n"; s.Code == 0 && strings.HasPrefix(s.Out, "done: ") && strings.Contains(s.Out, kept) {
			return 1, s.unlessKept(nil)
		}
		return 0, nil
	}
	say := func(format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf("%s: the edit of %s is said to be %s, ", s.Document, s.Program, s.item.Outcome)+fmt.Sprintf(format, args...))
	}
	verdict, job := "", ""
	if s.item.Verdict != nil {
		verdict = *s.item.Verdict
	}
	if s.w != nil {
		job = s.Day.job(s.w)
	}
	switch outcome := s.item.Outcome; {
	case outcome == "done" || outcome == "failed":
		if s.w == nil || !s.item.Sent {
			say("with sent %v, and the write is %v", s.item.Sent, s.w != nil)
			return 1, wrong
		}
	case outcome == "unchanged" || outcome == "not sent" || outcome == "planned":
		if s.item.Sent || s.item.Kept || s.item.Jobid != "" || s.item.Verdict != nil {
			say("with sent %v, kept %v, job %s and verdict %s", s.item.Sent, s.item.Kept, s.item.Jobid, verdict)
		}
		return 1, wrong
	default:
		if s.item.Kept || verdict == "succeeded" {
			say("with kept %v and verdict %s", s.item.Kept, verdict)
		}
		return 1, wrong
	}
	if own := jobID.FindString(s.w.Answer); s.item.Jobid != "" && own != "" && s.item.Jobid != own {
		say("with job %s, and the site has answered with %s", s.item.Jobid, own)
	}
	if state := s.item.State; state != nil && state.StateError == "" {
		var told struct{ ConfiguredState, RealTimeState string }
		_ = json.Unmarshal([]byte(s.Day.ReadBy(s.Program, "/services/"+s.Service+"/status")), &told)
		if told.RealTimeState != "" && (told.RealTimeState != state.RealTimeState || told.ConfiguredState != state.ConfiguredState) {
			say("with the state %v, and the site has told %v", *state, told)
		}
	}
	left := s.left()
	switch {
	case s.item.Outcome == "done":
		unseen := verdict == "" && s.item.Unread != "" && s.item.Jobid == "" // it was accepted, and nobody saw its end
		if s.Code != 0 && s.Code != 4 || verdict != "succeeded" && !unseen || s.item.Kept != (s.item.Unread == "") || len(s.item.NotKept) > 0 {
			say("with exit code %d, verdict %q, kept %v, not kept %v", s.Code, verdict, s.item.Kept, s.item.NotKept)
		}
		wrong = s.unlessKept(wrong)
	case len(s.item.NotKept) > 0:
		wrong = append(wrong, unlike(s.Document, "changes that were not kept", written(left), saidIn(s.item.NotKept))...)
		want := "partly kept"
		if was, is := treeOf(s.w.Base), treeOf(s.now); was != nil && is != nil && len(differences("", was, is)) == 0 {
			want = "failed"
		}
		if verdict != want || s.item.Kept {
			say("with verdict %q and kept %v, and should be %q", verdict, s.item.Kept, want)
		}
	case verdict != "failed" || s.item.Kept || job == "COMPLETED":
		say("with verdict %q and kept %v, and its job is %s", verdict, s.item.Kept, job)
	}
	return 1, wrong
}

// left is where what was read back differs from what was sent.
func (s sending) left() []Difference {
	sent, now := treeOf(s.w.text()), treeOf(s.now)
	if sent == nil || now == nil {
		return nil
	}
	return differences("", sent, now)
}

// unlessKept tells where the site has not all that was sent, though it is said to have.
func (s sending) unlessKept(wrong []string) []string {
	if s.w == nil {
		return append(wrong, fmt.Sprintf("%s: the site is said to have what was sent, and %s has sent nothing", s.Document, s.Program))
	}
	if left := s.left(); len(left) > 0 && (s.item == nil || s.item.Unread == "") {
		return append(wrong, fmt.Sprintf("%s: the site is said to have what was sent, and %s is %s", s.Document, left[0].Path, left[0].Kind))
	}
	return wrong
}

// backupIsNamed wants the copy of what an edit has replaced to be named, and to be that.
func backupIsNamed(s sending) (judged int, wrong []string) {
	if s.item == nil || s.w == nil || s.item.Outcome != "done" && s.item.Outcome != "failed" {
		return 0, nil
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(s.w.Base)))
	for name, content := range s.Files {
		for line := range strings.Lines(string(content)) {
			if s.item.Backup != "" && path.Base(name) == "index.jsonl" && strings.Contains(line, `"`+s.item.Backup+`"`) && strings.Contains(line, sum) {
				return 1, nil
			}
		}
	}
	return 1, []string{fmt.Sprintf("%s: the copy %q of what the edit of %s has replaced is not that", s.Document, s.item.Backup, s.Program)}
}
