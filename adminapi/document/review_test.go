package document_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
)

// Nothing of a value is left out of a review, whatever it holds and however narrow it is.
func TestAWholeValueIsShownInLines(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, raw string
		width     int
		want      []string
	}{
		{"a value", "1.50", 40, []string{"1.50"}},
		{"nothing in it", "{}", 40, []string{"{}"}},
		{"an object", `{"a":1,"b":[1,{"c":"x"}],"d":{},"e":[]}`, 40, []string{`{`, `  "a": 1,`, `  "b": [`, `    1,`, `    {`, `      "c": "x"`, `    }`, `  ],`, `  "d": {},`, `  "e": []`, `}`}},
		{"a list", "[\n[1,2],3]", 40, []string{"[", "  [", "    1,", "    2", "  ],", "  3", "]"}},
		{"what a terminal obeys", "{\"a\":\"\u202ex\"}", 40, []string{`{`, `  "a": "\u202ex"`, `}`}},
		{"a long line", `{"a":"0123456789"}`, 8, []string{`{`, `  "a": "`, `01234567`, `89"`, `}`}},
		{"a long text", `"0123456789"`, 8, []string{`"0123456`, `789"`}},
		{"less than there is room for", `"0123456789"`, 1, []string{`"0123456`, `789"`}},
		{"no JSON", "{\"a\":\n1", 40, []string{`{"a": 1`}},
	} {
		if diff := cmp.Diff(test.want, document.ValueLines(test.raw, test.width)); diff != "" {
			t.Errorf("%s:\n%s", test.name, diff)
		}
	}
	text := `"` + strings.Repeat("é€😀", 700) + `"` // characters of any length where a piece ends
	if got := strings.Join(document.ValueLines(text, 50), ""); got != text {
		t.Errorf("a long text is shown as %d bytes of %d", len(got), len(text))
	}
	for raw, want := range map[string]string{"{\n\t\"a\": [1,\n2]}": `{"a": [1, 2]}`, `{"a":  1}`: `{"a":  1}`, "{\n1": "{ 1"} {
		if got := document.Compact(raw); got != want {
			t.Errorf("%q on one line is %q, want %q", raw, got, want)
		}
	}
}

func TestChangesAreCountedByTheirKind(t *testing.T) {
	t.Parallel()
	changes := []document.Change{{Kind: document.Moved}, {Kind: document.Changed}, {Kind: document.Added}, {Kind: document.Rewritten}, {Kind: document.Removed}, {Kind: document.Changed}}
	if got := document.CountKinds(changes); got != "1 added, 1 removed, 2 changed, 1 rewritten, 1 moved" {
		t.Error(got)
	}
	if got := document.CountKinds(changes[:1]); got != "1 moved" {
		t.Error(got)
	}
}

func TestEachRiskStandsBesideItsChange(t *testing.T) {
	t.Parallel()
	risk := func(path document.Path) finding.Finding {
		return document.Risk(path, document.KeyRemoved, "lost at "+string(path))
	}
	review := document.Review{
		Changes: []document.Change{{Path: "a"}, {Path: "list[0].x"}, {Path: "list[1]"}, {Path: "section.b"}},
		Risks:   []finding.Finding{risk("a"), risk("a.b.c"), risk("list"), risk("section.b"), risk("elsewhere"), document.Risk("a", document.RestartLikely, "it restarts")},
	}
	got := map[document.Path][]string{}
	for path, risks := range review.RisksByChange() {
		for _, r := range risks {
			got[path] = append(got[path], r.Text)
		}
	}
	want := map[document.Path][]string{
		"a": {"lost at a", "lost at a.b.c", "it restarts"}, "list[0].x": {"lost at list"}, "section.b": {"lost at section.b"}, document.Whole: {"lost at elsewhere"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAReviewInWordsHasAllThatIsToAccept(t *testing.T) {
	t.Parallel()
	lost := document.Risk("a", document.KeyRemoved, "It is lost.")
	note := finding.Finding{Strength: finding.Note, Text: "Extra comma.", At: finding.Place{Path: "b"}}
	review := document.Review{Changes: []document.Change{{Path: "a", Kind: document.Removed, Old: "1"}}, Risks: []finding.Finding{lost}, Findings: []finding.Finding{note}}
	for accepted, word := range map[bool]string{false: "to accept", true: "accepted"} {
		text := review.Text(func(finding.Finding) bool { return accepted })
		for _, want := range []string{"1 change: 1 removed\n", "Extra comma.\n", lost.Accept + ", " + word + "  ", "removed  a\n  - 1\n  " + lost.Strength.String() + ", " + lost.ID + ": It is lost.\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("accepted %v: there is no %q in\n%s", accepted, want, text)
			}
		}
	}
	if got := (document.Review{}).Text(nil); got != "no changes\n" {
		t.Errorf("of nothing: %q", got)
	}
	review.Risks = append(review.Risks, document.Risk("b", document.RestartLikely, "x"))
	if review.Worst() != lost.Strength || (document.Review{}).Worst() != 0 {
		t.Errorf("the worst is %v", review.Worst())
	}
}
