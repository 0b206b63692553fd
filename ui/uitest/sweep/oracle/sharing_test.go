package oracle_test

import (
	"strings"
	"testing"
	"time"

	"geodeck/ui/uitest/sweep/oracle"
)

// kept is a deed of a program, between two seconds of the day.
func kept(kind, mark string, from, to int, change func(*oracle.Deed)) oracle.Deed {
	k := oracle.Deed{Program: "program-1", Kind: kind, Mark: mark, Waits: true, From: noon.Add(time.Duration(from) * time.Second), To: noon.Add(time.Duration(to) * time.Second)}
	if change != nil {
		change(&k)
	}
	return k
}

// under lets another program hold the lock meanwhile, until a second of the day.
func under(until int, by, said string) func(*oracle.Deed) {
	return func(k *oracle.Deed) {
		k.HeldFrom, k.HeldTo, k.HeldBy, k.Said = noon, noon.Add(time.Duration(until)*time.Second), by, said
	}
}

func TestWhatSeveralProgramsKeepIsJudged(t *testing.T) {
	t.Parallel()
	said := func(text string) func(*oracle.Deed) { return func(k *oracle.Deed) { k.Said = text } }
	const locked = "another program has locked /state/lock for 10 s"
	disk := map[string][]byte{"/state/actions.jsonl": []byte(`{"a":"mark-1"}` + "\n"), "/state/transcripts/a.jsonl": []byte(`{"m":"mark-2"}` + "\n" + `{"m":"mark-2"}` + "\n")}
	for _, c := range []struct {
		rule string // that is broken; empty for none
		all  oracle.Shared
	}{
		{"", oracle.Shared{Deeds: []oracle.Deed{kept("record", "mark-1", 0, 0, nil)}, Warned: []bool{false}}},
		{"is there once", oracle.Shared{Deeds: []oracle.Deed{kept("record", "mark-9", 0, 0, nil)}}},
		{"is there once", oracle.Shared{Deeds: []oracle.Deed{kept("message", "mark-2", 0, 0, nil)}}},
		{"is there once", oracle.Shared{Deeds: []oracle.Deed{kept("record", "mark-1", 0, 0, said("no room"))}}},
		{"", oracle.Shared{Deeds: []oracle.Deed{kept("record", "mark-1", 0, 2, under(2, "went on", ""))}}},
		{"under the lock", oracle.Shared{Deeds: []oracle.Deed{kept("record", "mark-1", 0, 1, under(2, "went on", ""))}}},
		{"", oracle.Shared{Deeds: []oracle.Deed{kept("record", "mark-9", 0, 10, under(60, "went on", locked))}}},
		{"waits for a lock", oracle.Shared{Deeds: []oracle.Deed{kept("record", "mark-1", 0, 60, under(60, "went on", ""))}}},
		{"waits for a lock", oracle.Shared{Deeds: []oracle.Deed{kept("record", "mark-9", 0, 5, under(60, "went on", locked))}}},
		{"waits for a lock", oracle.Shared{Deeds: []oracle.Deed{kept("record", "mark-9", 0, 5, under(7, "went on", locked))}}},
		{"waits for a lock", oracle.Shared{Deeds: []oracle.Deed{kept("record", "mark-9", 0, 10, under(60, "went on", "no"))}}},
		{"", oracle.Shared{Deeds: []oracle.Deed{kept("record", "mark-1", 0, 0, under(1, "killed", ""))}}},
		{"taken over at once", oracle.Shared{Deeds: []oracle.Deed{kept("record", "mark-1", 0, 5, under(1, "killed", ""))}}},
		{"", oracle.Shared{Claims: []oracle.Claiming{{Got: true}, {Said: "ada (process 1) is changing this", Holders: []string{"(process 1)"}}}}},
		{"alone has the right", oracle.Shared{Claims: []oracle.Claiming{{Got: true, Holders: []string{"(process 1)"}}}}},
		{"alone has the right", oracle.Shared{Claims: []oracle.Claiming{{Said: "ada (process 1) is changing this"}}}},
		{"alone has the right", oracle.Shared{Claims: []oracle.Claiming{{Said: "somebody is changing this", Holders: []string{"(process 1)"}}}}},
		{"", oracle.Shared{NoLocks: true, Warned: []bool{true}}},
		{"no locks", oracle.Shared{NoLocks: true, Warned: []bool{false}}},
		{"no locks", oracle.Shared{Warned: []bool{true}}},
		{"are whole", oracle.Shared{Files: map[string][]byte{"/state/actions.jsonl": []byte("{\"a\":\n{}\n")}}},
	} {
		d := newDay()
		if c.all.Files == nil {
			c.all.Files = disk
		}
		d.Shares(c.all)
		if (len(d.wrong) > 0) != (c.rule != "") || !strings.Contains(strings.Join(d.wrong, "\n"), c.rule) {
			t.Errorf("%+v: %q, and it should be %q", c.all, d.wrong, c.rule)
		}
	}
}
