package journal_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/plain"
)

// throwaway opens a journal whose files have the same length in every run.
func throwaway() (*journal.Journal, error) {
	return journal.OpenThrowaway(journal.WithClock(newClock()), journal.WithProgram(journal.Program{User: "jane", Host: "adm1", PID: 4711}))
}

// longLog returns the log of seven writes of every outcome, and its records by id. Of the
// open ones none is on the target of another.
func longLog(f *testing.F) (log []byte, records map[string]journal.Record) {
	f.Helper()
	j, err := throwaway()
	if err != nil {
		f.Fatal(err)
	}
	defer j.Close()
	for id, how := range []string{"done", "unknown", "refused", "pending", "resolved", "overridden", "harmless"} {
		w := write(uint64(id), nil)
		if w.Target = how; how == "harmless" {
			w.Target = ""
		}
		claim, err := j.Claim(w.Target, how)
		if err == nil {
			err = j.BeforeWrite(w)
		}
		if err != nil {
			f.Fatal(err)
		}
		outcome := map[string]adminapi.Outcome{"done": adminapi.OutcomeDone, "harmless": adminapi.OutcomeDone, "refused": adminapi.OutcomeRefused}[how]
		if how != "pending" {
			j.AfterWrite(w, outcome, nil)
		}
		all, err := j.Actions(1)
		if how == "resolved" {
			err = j.Resolve(all[0].ID, adminapi.OutcomeDone, "seen")
		}
		if how == "overridden" {
			err = j.Override(all[0].ID, "typed")
		}
		if err != nil {
			f.Fatal(err)
		}
		claim.Release()
	}
	all, err := j.Actions(0)
	if err != nil {
		f.Fatal(err)
	}
	records = map[string]journal.Record{}
	for _, r := range all {
		records[r.ID] = r
	}
	if log, err = os.ReadFile(logOf(j)); err != nil {
		f.Fatal(err)
	}
	return log, records
}

// FuzzActions damages the log of writes at any place. A write then has its own outcome or
// none, one that was open is still in the way of the next, those of other lines are as they
// were, and the log goes on.
func FuzzActions(f *testing.F) {
	log, records := longLog(f)
	lines := bytes.SplitAfter(log, []byte("\n"))
	f.Add(uint16(0), uint8(0), []byte{})
	for _, word := range []string{"unknown", "pending", `"event":"after"`, `"id":"`, `"target":"pending`, "overridden"} { // the first of each
		f.Add(uint16(bytes.Index(log, []byte(word))), uint8(9), []byte("refused"))
	}
	f.Add(uint16(bytes.Index(log, []byte(`unknown","`))), uint8(7), []byte("done"))
	f.Add(uint16(bytes.Index(log, []byte(`outcome":"unknown`))), uint8(17), []byte(`outcome":"done`)) // once read as done
	f.Add(uint16(len(lines[0])), uint8(0), []byte(`{"event":"after","id":"A-2","outcome":"done"}`+"\n"))
	f.Add(uint16(len(lines[0])-2), uint8(8), []byte("\x00\n\x00"))
	j, err := throwaway()
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = j.Close() })
	next := uint64(100)
	f.Fuzz(func(t *testing.T, at uint16, cut uint8, with []byte) {
		// A last line without its end is one whose write was not sent: that of the last stays.
		from := min(int(at), len(log)-len(lines[len(lines)-2])-1)
		to := min(from+int(cut), len(log)-2)
		damaged := slices.Concat(log[:from], with[:min(len(with), 255)], log[to:])
		put(t, logOf(j), string(damaged))
		found := map[string]journal.Record{}
		for _, r := range actions(t, j) {
			found[r.ID] = r
		}
		kept := strings.SplitAfter(string(damaged), "\n")
		for id, was := range records {
			now, there := found[id]
			if there && now.Outcome != adminapi.OutcomeUnknown && now.Outcome != was.Outcome || now.Overridden && !was.Overridden {
				t.Fatalf("%s %s is read as %s, overridden %v", was.Subject, was.Outcome, now.Outcome, now.Overridden)
			}
			whole := !slices.ContainsFunc(lines, func(line []byte) bool {
				return bytes.Contains(line, []byte(`"id":"`+id+`"`)) && !slices.Contains(kept, string(line))
			})
			if whole && !reflect.DeepEqual(now, was) {
				t.Fatalf("%+v of lines without damage is read as %+v", was, now)
			}
			if open, err := j.OpenRecords(was.Target); err != nil || was.Open() && len(open) == 0 {
				t.Fatalf("%s is not in the way of the next, %v", was.Subject, err)
			}
		}
		for _, r := range found {
			if r.Open() && records[r.ID].ID == "" {
				if r.Subject == "" || plain.Line(r.Subject) != r.Subject {
					t.Fatalf("nobody can type %q", r.Subject)
				}
				if err := j.Override(r.ID, "typed"); err != nil {
					t.Fatalf("%+v cannot be overridden: %v", r, err)
				}
			}
		}
		next++
		begin(t, j, write(next, nil))
		j.AfterWrite(write(next, nil), adminapi.OutcomeDone, nil)
		all := actions(t, j)
		if j.Problem() != nil || len(all) != len(found)+1 || all[0].Outcome != adminapi.OutcomeDone {
			t.Fatalf("%+v became %+v, %v", found, all, j.Problem())
		}
		for _, r := range all {
			if r.Open() && records[r.ID].ID == "" {
				t.Fatalf("%+v is still in the way", r)
			}
		}
	})
}

// FuzzDraft reads the file of a draft with any content, and each shorter one of a draft that
// was saved: it is refused in a clean sentence, or whole. It never stands in the way of the
// draft of another program, nor of the next one.
func FuzzDraft(f *testing.F) {
	j, err := throwaway()
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = j.Close() })
	const value = `{"text":"größer than\n<this>","count":3}`
	var want any
	if err := json.Unmarshal([]byte(value), &want); err != nil {
		f.Fatal(err)
	}
	if _, err := j.SaveDraft("k", "key", want); err != nil {
		f.Fatal(err)
	}
	saved, err := filepath.Glob(filepath.Join(j.Folder(), "drafts", "*", "*.json"))
	if err != nil || len(saved) != 1 {
		f.Fatal(saved, err)
	}
	whole, err := os.ReadFile(saved[0])
	if err != nil {
		f.Fatal(err)
	}
	own, run, _ := strings.Cut(filepath.Base(saved[0]), ".")
	foreign := filepath.Join(filepath.Dir(saved[0]), own+".OTHER.json")
	f.Add([]byte(""), uint16(0))
	f.Add([]byte(`{"kind":"k","key":"key","saved":"2026-11-20T12:00:00Z","value":null}`), uint16(9))
	f.Add(bytes.ReplaceAll(whole, []byte(strings.TrimSuffix(run, ".json")), []byte("OTHER")), uint16(len(whole)-1))
	f.Add([]byte(`{"saved":"9999-12-31T23:59:59Z","turn":9223372036854775807,"program":{"run":"OTHER","pid":-1,"host":"\u001b[2J"},"value":[1`), uint16(1<<15))
	f.Fuzz(func(t *testing.T, content []byte, length uint16) {
		if err := os.RemoveAll(foreign + ".damaged"); err != nil {
			t.Fatal(err)
		}
		part := whole[:min(int(length), len(whole))]
		put(t, foreign, string(part))
		for _, d := range draftsOf(t, j) {
			var got any
			if err := d.Read(&got); d.Mine && (err != nil || !reflect.DeepEqual(got, want)) || !d.Mine && (err == nil) != (len(part) == len(whole)) {
				t.Fatalf("of %d bytes %+v holds %v, %v", len(part), d, got, err)
			}
		}
		put(t, foreign, string(content))
		drafts := draftsOf(t, j)
		if len(drafts) != 2 || !drafts[0].Mine {
			t.Fatalf("%+v", drafts)
		}
		d := drafts[1]
		var got any
		err := d.Read(&got)
		switch {
		case (err != nil) != (d.Damaged != nil):
			t.Fatalf("%+v holds %v, %v", d, got, err)
		case err != nil && (plain.Line(err.Error()) != err.Error() || !strings.Contains(err.Error(), foreign)):
			t.Fatalf("%q", err)
		case plain.Line(d.Program.String()) != d.Program.String():
			t.Fatalf("%q", d.Program)
		}
		listed, errList := j.ListDrafts("k")
		if errList != nil || len(listed) != 1 && d.Damaged != nil {
			t.Fatalf("%+v, %v", listed, errList)
		}
		taken, errTake := j.TakeDraft(d)
		if (errTake == nil) != (err == nil) || errTake == nil && !taken.Mine {
			t.Fatalf("%+v is taken as %+v, %v", d, taken, errTake)
		}
		if errTake == nil {
			var got any
			if err := taken.Read(&got); err != nil || !reflect.DeepEqual(got, want) { // its own, which comes first
				t.Fatalf("%v, %v", got, err)
			}
		}
		if holder, err := j.SaveDraft("k", "key", want); err != nil || holder != nil {
			t.Fatalf("%+v, %v", holder, err)
		}
		if err := j.DiscardDraft(d); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(foreign + ".damaged"); (err == nil) != (d.Damaged != nil) {
			t.Fatalf("a damaged draft stays for a person to look at: %v, %v", d.Damaged, err)
		}
	})
}

func draftsOf(t *testing.T, j *journal.Journal) []journal.Draft {
	t.Helper()
	drafts, err := j.Drafts("k", "key")
	if err != nil {
		t.Fatal(err)
	}
	return drafts
}

// FuzzBackups damages the list of backups, and the content of one: what is read is what was
// saved, a line that is damaged hides no other, and the next backup is there.
func FuzzBackups(f *testing.F) {
	j, err := throwaway()
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = j.Close() })
	contents := map[string]string{}
	var ids []string
	for _, content := range []string{`{"a":1}`, `{"a":2}`, `{"a":3}`} {
		b, err := j.SaveBackup("definition", "f", []byte(content), "jane", "before an edit")
		if err != nil {
			f.Fatal(err)
		}
		ids = append(ids, b.ID)
		contents[b.ID] = content
	}
	list := filepath.Join(filepath.Dir(j.BackupPath("definition", "f", ids[0])), "index.jsonl")
	log, err := os.ReadFile(list)
	if err != nil {
		f.Fatal(err)
	}
	lines := strings.SplitAfter(string(log), "\n")
	f.Add(uint16(0), uint8(0), []byte(nil), []byte(`{"a":2}`))
	f.Add(uint16(3), uint8(9), []byte("\n\x00"), []byte(`{"a":22}`))
	f.Add(uint16(len(log)), uint8(9), []byte(`{"id":"../../actions","sha256":"x"}`+"\n"), []byte(""))
	f.Add(uint16(len(log)-1), uint8(1), []byte(""), []byte(`{"a":2`))
	f.Fuzz(func(t *testing.T, at uint16, cut uint8, with, changed []byte) {
		from := min(int(at), len(log))
		damaged := string(log[:from]) + string(with) + string(log[min(from+int(cut), len(log)):])
		put(t, list, damaged)
		put(t, j.BackupPath("definition", "f", ids[1]), string(changed))
		kept := strings.SplitAfter(damaged, "\n")
		all, err := j.Backups("definition", "f")
		if err != nil {
			t.Fatal(err)
		}
		for i, id := range ids {
			there := slices.ContainsFunc(all, func(b journal.Backup) bool { return b.ID == id })
			if slices.Contains(kept, lines[i]) && !there {
				t.Fatalf("%s is hidden in %q", id, damaged)
			}
		}
		for _, b := range all {
			content, err := j.ReadBackup("definition", "f", b.ID)
			switch was, ours := contents[b.ID]; {
			case err != nil && plain.Line(err.Error()) != err.Error():
				t.Fatalf("%q", err)
			case err == nil && ours && b.ID != ids[1] && string(content) != was:
				t.Fatalf("%s is read as %q", b.ID, content)
			case err == nil && b.ID == ids[1] && b.Hash == fmt.Sprintf("%x", sha256.Sum256([]byte(contents[b.ID]))) && string(content) != was:
				t.Fatalf("%s is read as %q", b.ID, content)
			}
		}
		b, err := j.SaveBackup("definition", "f", []byte(`{"a":4}`), "", "")
		if err != nil {
			t.Fatal(err)
		}
		if content, err := j.ReadBackup("definition", "f", b.ID); err != nil || string(content) != `{"a":4}` {
			t.Fatalf("%q, %v", content, err)
		}
		if now, err := j.Backups("definition", "f"); err != nil || len(now) < len(all) || now[0].ID != b.ID {
			t.Fatalf("%+v, %v", now, err)
		}
	})
}

// FuzzClaim reads the file of a claim with any content: whoever holds it is named in a clean
// sentence, and once it is released the next has it.
func FuzzClaim(f *testing.F) {
	f.Add([]byte(""))
	f.Add([]byte(`{"target":"site","by":"eve\u001b[2J on \u202eh","since":"2026-11-20T12:00:00Z"}`))
	f.Add([]byte(`{"by":["x"]}` + strings.Repeat(" ", 5000)))
	j, err := throwaway()
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = j.Close() })
	f.Fuzz(func(t *testing.T, content []byte) {
		first, err := j.Claim(adminapi.TargetSite, "12.0.0.7286")
		if err != nil {
			t.Fatal(err)
		}
		locks, err := filepath.Glob(filepath.Join(j.Folder(), "claim-*"))
		if err != nil || len(locks) != 1 {
			t.Fatal(locks, err)
		}
		file, err := os.OpenFile(locks[0], os.O_WRONLY|os.O_TRUNC, 0)
		if err == nil {
			_, err = file.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
		file.Close()
		_, err = j.Claim(adminapi.TargetSite, "12.0.0.7286")
		if err == nil || plain.Line(err.Error()) != err.Error() || !strings.HasSuffix(err.Error(), "is changing this now") {
			t.Fatalf("%v", err)
		}
		first.Release()
		put(t, locks[0], string(content)) // what a crash leaves
		next, err := j.Claim(adminapi.TargetSite, "12.0.0.7286")
		if err != nil {
			t.Fatal(err)
		}
		next.Release()
	})
}
