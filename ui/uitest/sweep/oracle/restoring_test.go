package oracle_test

import (
	"strings"
	"testing"
	"time"

	"geodeck/ui/uitest/sweep/oracle"
)

func TestWhatCanBeRestoredIsJudged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule string // that is broken; empty for none
		of   oracle.Restorable
	}{
		{"", oracle.Restorable{Has: map[string][]string{where: {after, before}}}},
		{"can be restored", oracle.Restorable{Has: map[string][]string{where: {after, before + " "}}}},
		{"", oracle.Restorable{Has: map[string][]string{where: {}}, Lost: map[string]time.Time{before: noon.Add(time.Hour)}}},
		{"can be restored", oracle.Restorable{Has: map[string][]string{where: {}}, Lost: map[string]time.Time{before: noon.Add(-time.Hour)}}},
		{"is not restored", oracle.Restorable{Has: map[string][]string{where: {before, "half"}}, Spoilt: map[string]bool{"half": true}}},
	} {
		d := newDay()
		d.reads("program-1", after)
		d.records("ID-1", after)
		d.Arrives(&oracle.Write{Program: "program-1", Path: edit, At: noon, Fields: map[string][]string{"service": {after}}}, d.disk)
		d.wrong = nil
		d.Restores(c.of)
		if (len(d.wrong) > 0) != (c.rule != "") || !strings.Contains(strings.Join(d.wrong, "\n"), c.rule) {
			t.Errorf("%+v: %q, and it should be %q", c.of, d.wrong, c.rule)
		}
	}
}
