package oracle_test

import (
	"encoding/json"
	"strings"
	"testing"

	"geodeck/ui/uitest/sweep/oracle"
)

func TestWhatASiteSaysBesideSecretsIsJudged(t *testing.T) {
	t.Parallel()
	mark := oracle.MarkOf(1)
	long := strings.Repeat("a node ", 10_000)
	quote := oracle.Quote{Mark: mark, Parts: []oracle.Part{{Text: "before "}, {Text: "hunter%2D2", Secret: true}, {Text: " pre"}, {Text: "word", InErrors: true}, {Text: "s " + long + "end"}}}
	if quote.Text() != mark+"before hunter%2D2 prewords "+long+"end" {
		t.Error(quote.Text())
	}
	kept, told := mark+"before [secret] prewords "+long, mark+"before [secret] pre[secret]s "+long
	for _, c := range []struct{ rule, as, text string }{
		{"", "message", kept + "end"},
		{"", "error", "the site says: " + told + "end"},
		{"stays as", "message", told + "end"},
		{"stays as", "message", strings.Replace(kept, "before", "[secret]", 1) + "end"},
		{"stays as", "message", strings.Replace(kept, "[secret]", "hunter-2", 1) + "end"},
		{"", "message", kept[:64<<10-1] + "… (more)"},
		{"has a sign", "message", kept[:64<<10]},
		{"has a sign", "message", kept[:8<<10] + "…"},
		{"has a sign", "", told[:64<<10] + "…"},
		{"", "record", told[:4000] + "…"},
	} {
		d := newDay()
		d.Says(quote)
		d.Repeats(oracle.Quoted{Where: "a file", As: c.as, Text: c.text})
		if (len(d.wrong) > 0) != (c.rule != "") || !strings.Contains(strings.Join(d.wrong, "\n"), c.rule) {
			t.Errorf("%s %.60q: %q", c.as, c.text, d.wrong)
		}
	}
	inner, _ := json.Marshal(map[string]any{"list": []string{told}})
	line, _ := json.Marshal(map[string]any{"body": string(inner), "error": "it says " + told[:4000] + "…"})
	d := newDay()
	d.Says(quote)
	d.RepeatsIn(map[string][]byte{"debug.jsonl": append(line, '\n')})
	if len(d.wrong) != 1 || !strings.Contains(d.wrong[0], "nothing says so") { // the list lacks its end
		t.Errorf("%q", d.wrong)
	}
}

func TestADebugFileIsJudged(t *testing.T) {
	t.Parallel()
	full := `{"cut":"the file has its 64 MiB; what follows is not in it"}`
	for _, c := range []struct {
		wrong bool
		file  oracle.Traced
	}{
		{false, oracle.Traced{Exchanges: 2, Lines: []string{`{}`, `{}`}}},
		{false, oracle.Traced{Exchanges: 4, Lines: []string{`{}`, full}}},
		{true, oracle.Traced{Exchanges: 3, Lines: []string{`{}`, `{}`}}},
		{true, oracle.Traced{Exchanges: 4, Lines: []string{full, `{}`}}},
		{true, oracle.Traced{Exchanges: 1, Lines: []string{`{"a`}}},
		{true, oracle.Traced{Exchanges: 9, Lines: []string{full}, Size: 65 << 20}},
	} {
		d := newDay()
		d.Traces(c.file)
		if (len(d.wrong) > 0) != c.wrong {
			t.Errorf("%+v: %q", c.file, d.wrong)
		}
	}
}

func TestASecretInCapitalsIsFound(t *testing.T) {
	t.Parallel()
	var s oracle.Secrets
	s.Add("password", "swift-otter-4417")
	for _, text := range []string{"it is SWIFT-OTTER-4417", "SWIFT-OTTER", "swift-otter"} {
		if _, _, found := s.In(text); !found {
			t.Error(text)
		}
	}
}
