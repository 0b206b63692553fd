package memdisk_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/journal/memdisk"
)

// Whatever call fails while the middle of a transcript is left out, each message is there or counted, and it is
// cut again later.
func TestAFailureWhileATranscriptIsCutLosesNoMessage(t *testing.T) {
	t.Parallel()
	const budget, messages = 16 << 10, 24
	for n := 1; ; n++ {
		s := newSession(home)
		p := s.disk.Program(memdisk.Fault{Path: "*began-*", Nth: n, Kind: memdisk.Torn})
		j, err := s.open(p, journal.WithTranscriptBudget(budget))
		must(t, err)
		run := journal.TranscriptRun{Start: "an upgrade"}
		transcript, err := j.OpenTranscript(run)
		if err != nil {
			transcript, err = j.OpenTranscript(run)
		}
		must(t, err)
		when := fmt.Sprintf("call %d", n)
		for i := range messages {
			m := adminapi.UpgradeMessage{Code: 2038, When: adminapi.MillisOf(noon()) + adminapi.Millis(i), Message: fmt.Sprint(i, strings.Repeat("x", 1<<10))}
			line := journal.TranscriptLine{Messages: []journal.TranscriptMessage{{UpgradeMessage: m, Nth: 1}}}
			if transcript.Append(line) != nil {
				must(t, transcript.Append(line))
			}
		}
		reader, err := s.open(s.disk.Program())
		must(t, err)
		summary, lines, err := reader.ReadTranscript(transcript.ID())
		must(t, err)
		listed, err := reader.Transcripts()
		must(t, err)
		first, last := lines[0].Messages[0].Message, lines[len(lines)-1].Messages[0].Message
		if summary.Messages+summary.LeftOut != messages || summary.LeftOut == 0 || summary.Damaged > 0 || len(listed) != 1 || listed[0] != summary ||
			!strings.HasPrefix(first, "0x") || !strings.HasPrefix(last, fmt.Sprint(messages-1, "x")) {
			t.Errorf("%s: read as %+v, listed as %+v, from %.4q to %.4q", when, summary, listed, first, last)
		}
		for path, content := range s.disk.Files() {
			if strings.Contains(path, "began-") && (len(content) > budget || strings.HasPrefix(filepath.Base(path), ".")) {
				t.Errorf("%s: %s has %d bytes", when, path, len(content))
			}
		}
		if len(p.Hits()) == 0 {
			return
		}
	}
}
