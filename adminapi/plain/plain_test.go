package plain_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
)

func TestALongLineIsCutInTheMiddle(t *testing.T) {
	t.Parallel()
	for cells, want := range map[int]string{
		20: "https://example.org", 19: "https://example.org", 12: "https:…e.org", 11: "https…e.org", 2: "h…", 1: "…", 0: "…",
	} {
		if got := plain.ClipMiddle("https://example.\x1b[1morg", cells, "…"); got != want {
			t.Errorf("%d cells: %q, want %q", cells, got, want)
		}
	}
	if got := plain.ClipMiddle("日本語日本語", 8, "..."); got != "日...語" {
		t.Errorf("wide characters: %q", got)
	}
}

// A character that takes two cells may have room for one only.
func TestWideCharactersAreCutToTheCellsThereAre(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"日本の地図", "a日b本c", "한국어", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦", "e\u0301te\u0301", "مدينة地図"} {
		for cells := range ansi.StringWidth(text) + 2 {
			for _, ellipsis := range []string{"", "…", "..."} {
				for how, got := range map[string]string{
					"Clip": plain.Clip(text, cells), "ClipMiddle": plain.ClipMiddle(text, cells, ellipsis), "End": plain.End(text, cells, ellipsis),
				} {
					if width := ansi.StringWidth(got); width > max(cells, ansi.StringWidth(ellipsis)) || width < min(cells, ansi.StringWidth(text))-3 {
						t.Errorf("%s of %q to %d cells with %q takes %d: %q", how, text, cells, ellipsis, width, got)
					}
				}
			}
		}
	}
}

var lines = map[string]struct{ in, want string }{
	"empty":                             {"", ""},
	"plain text stays":                  {"Basic health checks", "Basic health checks"},
	"other scripts stay":                {"Prüfung 日本語 проверка ✓ → שלום", "Prüfung 日本語 проверка ✓ → שלום"},
	"leading and double spaces stay":    {"  a  b ", "  a  b "},
	"line breaks are spaces":            {"a\nb\r\nc\rd\u0085e\u2028f\u2029g\vh\fi", "a b c d e f g h i"},
	"a tab is a space":                  {"a\tb", "a b"},
	"controls go":                       {"a\x00\x07\x08\x7fb\u0080\u009cc", "abc"},
	"colours go":                        {"\x1b[1;31mred\x1b[0m", "red"},
	"colours with colons go":            {"\x1b[38:2::1:2:3mred", "red"},
	"cursor and screen go":              {"\x1b[2J\x1b[H\x1b[?1049hx\x1b[6n", "x"},
	"title by OSC goes":                 {"\x1b]0;evil\x07x", "x"},
	"clipboard by OSC 52 goes":          {"\x1b]52;c;ZXZpbA==\x1b\\x", "x"},
	"link keeps its text":               {"\x1b]8;;http://evil\x1b\\text\x1b]8;;\x1b\\", "text"},
	"OSC over two lines goes":           {"\x1b]0;a\nb\x07x", "x"},
	"unended OSC takes its line":        {"a\x1b]0;evil", "a"},
	"unended OSC spares the next line":  {"a\x1b]0;evil\nb", "a b"},
	"OSC given up at the next sequence": {"\x1b]0;evil\x1b[31mx", "x"},
	"DCS goes, a bell does not end it":  {"\x1bP1$r\x07q\x1b\\x", "x"},
	"APC, PM, SOS go":                   {"\x1b_G1\x1b\\a\x1b^p\x1b\\b\x1bXs\x1b\\c", "abc"},
	"title of screen goes":              {"\x1bkevil\x1b\\x", "x"},
	"character sets go":                 {"\x1b(0lqk\x1b(B\x1b#8\x1b%G", "lqk"},
	"reset and shifts go":               {"\x1bc\x1b7\x1bNx\x1b=", "x"},
	"unended CSI goes":                  {"a\x1b[31", "a"},
	"ESC at the end goes":               {"a\x1b", "a"},
	"ESC before a letter beyond ASCII":  {"\x1bé", "é"},
	"eight-bit CSI as UTF-8 goes":       {"\u009b31mred", "red"},
	"eight-bit CSI as a byte goes":      {"\x9b31mred", "red"},
	"eight-bit OSC and its end go":      {"\u009d0;t\u009cx\x9d0;t\x9cy", "xy"},
	"eight-bit DCS, SOS, PM, APC go":    {"\u0090a\u009c1\u0098a\u009c2\u009ea\u009c3\u009fa\u009c4", "1234"},
	"sequence inside a sequence":        {"\x1b[3\x1b[31m1mx", "1mx"},
	"bidirectional marks go":            {"a\u202eb\u2066c\u2069\u200e\u200f\u061cd", "abcd"},
	"zero-width characters go":          {"a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg\u180eh", "abcdefgh"},
	"variation selectors go":            {"⚠\ufe0f x\U000e0100", "⚠ x"},
	"tags go":                           {"a\U000e0041\U000e007fb", "ab"},
	"annotations and fillers go":        {"a\ufff9b\ufffbc\u3164\u115fd", "abcd"},
	"joined pictures fall apart":        {"\U0001f469\u200d\U0001f467", "\U0001f469\U0001f467"},
	"colours of skin go":                {"\U0001f469\U0001f3fd\u200d\U0001f692", "\U0001f469\U0001f692"},
	"flags are their letters":           {"\U0001f1e9\U0001f1ea", "DE"},
	"pictures stay":                     {"\u2705 \U0001f680", "\u2705 \U0001f680"},
	"Thai and Lao stay":                 {"\u0e01\u0e33\u0e25\u0e31\u0e07 \u0e99\u0ecd\u0eb2", "\u0e01\u0e4d\u0e32\u0e25\u0e31\u0e07 \u0e99\u0ecd\u0eb2"},
	"broken UTF-8 is replaced":          {"a\xffb\xc3", "a\ufffdb\ufffd"},
	"a broken run is replaced once":     {"a\xe2\x9b\xffb", "a\ufffdb"},
	"surrogates are replaced":           {"a\xed\xa0\x80b", "a\ufffdb"},
	"no characters are replaced":        {"a\ufffe\ufdd0b", "a\ufffd\ufffdb"},
	"accents stay":                      {"e\u0301a\u0308", "e\u0301a\u0308"},
	"stacked marks are limited":         {"e" + strings.Repeat("\u0301", 9) + "x", "e" + strings.Repeat("\u0301", 4) + "x"},
	"dropped characters do not reset":   {"e\u0301\u0301\u200d\u0301\u0301\u200d\u0301", "e" + strings.Repeat("\u0301", 4)},
	"a mark without a base goes":        {"\u0301x", "x"},
	"formula signs are no concern here": {"=1+1", "=1+1"},
}

func TestLineLeavesNothingATerminalObeys(t *testing.T) {
	t.Parallel()
	for name, tt := range lines {
		t.Run(name, func(t *testing.T) {
			if got := plain.Line(tt.in); got != tt.want {
				t.Errorf("Line(%+q) = %+q, want %+q", tt.in, got, tt.want)
			}
		})
	}
}

func TestTextKeepsLines(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, want string }{
		"every break":               {"a\nb\r\nc\rd\u0085e\u2028f\u2029g\vh", "a\nb\nc\nd\ne\nf\ng\nh"},
		"empty lines and the end":   {"\n\na\n", "\n\na\n"},
		"indentation":               {"  a\n    b", "  a\n    b"},
		"tabs to the fourth column": {"\ta\nab\tc\n日\tx\nabcd\te", "    a\nab  c\n日  x\nabcd    e"},
		"sequences in any line":     {"\x1b[31ma\x1b[0m\nb\x1b]0;t\x07", "a\nb"},
		"unended OSC":               {"a\x1b]0;x\nb\x1b]0;y\nc", "a\nb\nc"},
		"a mark opens a line":       {"a\n\u0301b", "a\nb"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plain.Text(tt.in); got != tt.want {
				t.Errorf("Text(%+q) = %+q, want %+q", tt.in, got, tt.want)
			}
		})
	}
}

func TestLongTextEndsInAnEllipsis(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		in    string
		cells int
	}{
		"a line that just fits": {strings.Repeat("x", plain.MaxLine), plain.MaxLine},
		"one more":              {strings.Repeat("x", plain.MaxLine+1), plain.MaxLine},
		"wide ones that fit":    {strings.Repeat("日", plain.MaxLine/2), plain.MaxLine},
		"wide ones":             {strings.Repeat("日", plain.MaxLine), plain.MaxLine - 1},
		"marks":                 {strings.Repeat("e\u0301", plain.MaxLine+1), plain.MaxLine},
	} {
		t.Run(name, func(t *testing.T) {
			got := plain.Line(tt.in)
			if w := ansi.StringWidth(got); w != tt.cells {
				t.Errorf("%d cells, want %d", w, tt.cells)
			}
			if cut := got != tt.in; cut != strings.HasSuffix(got, "…") {
				t.Errorf("cut = %v, ends in %+q", cut, got[len(got)-6:])
			}
		})
	}
}

func TestTextIsBounded(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("line\n", plain.MaxLines+50)
	if got := plain.Text(many); strings.Count(got, "\n") != plain.MaxLines-1 || !strings.HasSuffix(got, "\n…") {
		t.Errorf("%d line breaks, ends in %q", strings.Count(got, "\n"), got[len(got)-8:])
	}
	just := strings.TrimSuffix(strings.Repeat("line\n", plain.MaxLines), "\n")
	if plain.Text(just) != just {
		t.Error("a text of just MaxLines lines was cut")
	}
	big := strings.Repeat(strings.Repeat("x", 3_000)+"\n", 1_000)
	if got := plain.Text(big); len(got) > plain.MaxText || len(got) < plain.MaxText-3_100 || !strings.HasSuffix(got, "\n…") {
		t.Errorf("%d bytes kept", len(got))
	}
}

func TestClipCutsByCells(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		in    string
		cells int
		want  string
	}{
		"fits":     {"abc", 3, "abc"},
		"cut":      {"abcd", 3, "ab…"},
		"wide":     {"日本語", 4, "日…"},
		"nothing":  {"abc", 0, ""},
		"negative": {"abc", -1, ""},
		"cleaned":  {"\x1b[31mabc\n", 9, "abc "},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plain.Clip(tt.in, tt.cells); got != tt.want {
				t.Errorf("Clip(%+q, %d) = %+q, want %+q", tt.in, tt.cells, got, tt.want)
			}
		})
	}
}

func TestCleanTextCostsNothing(t *testing.T) {
	for _, s := range []string{"healthcheck_objectStore", "Prüfung 日本語 e\u0301 ✓"} {
		if n := testing.AllocsPerRun(100, func() { plain.Line(s); plain.Text(s) }); n != 0 {
			t.Errorf("%q: %v allocations", s, n)
		}
	}
}

// TestManyUnendedSequencesStayLinear: every opener looks for an end that never
// comes; looking once must do. Quadratic work would take minutes here.
func TestManyUnendedSequencesStayLinear(t *testing.T) {
	t.Parallel()
	s := strings.Repeat("\u009d\n\u0090\n", 1<<20)
	if got := plain.Line(s); !strings.HasSuffix(got, "…") {
		t.Errorf("got %d bytes", len(got))
	}
	if got := plain.Line(strings.Repeat("\u009d", 1<<21)); got != "" {
		t.Errorf("got %d bytes", len(got))
	}
}

// fits tells what is wrong with a cleaned line, by rules written down apart from
// those of the cleaner.
func fits(s string) string {
	if !utf8.ValidString(s) {
		return "broken UTF-8"
	}
	marks := plain.MaxMarks
	for _, r := range s {
		switch {
		case unicode.IsControl(r):
			return "a control character"
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
			return "a format character"
		case unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), unicode.Is(unicode.Variation_Selector, r):
			return "an invisible character"
		case unicode.Is(unicode.Noncharacter_Code_Point, r):
			return "no character"
		case unicode.Is(unicode.M, r):
			if marks++; marks > plain.MaxMarks {
				return "too many marks"
			}
		default:
			marks = 0
		}
	}
	if ansi.StringWidth(s) > plain.MaxLine || ansi.StringWidthWc(s) > plain.MaxLine {
		return "too wide"
	}
	return ""
}

func TestEveryCharacterIsSorted(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if bad := fits(plain.Line("a" + string(r) + "b")); bad != "" {
			t.Errorf("%U: %s", r, bad)
		}
	}
}

// FuzzClean checks what holds for any text; every table entry above is a seed.
func FuzzClean(f *testing.F) {
	for _, tt := range lines {
		f.Add(tt.in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line := plain.Line(s)
		if bad := fits(line); bad != "" {
			t.Fatalf("Line(%+q) = %+q: %s", s, line, bad)
		}
		if plain.Line(line) != line {
			t.Fatalf("Line(%+q) is not stable", s)
		}
		text := plain.Text(s)
		if plain.Text(text) != text {
			t.Fatalf("Text(%+q) is not stable", s)
		}
		if len(text) > plain.MaxText || strings.Count(text, "\n") >= plain.MaxLines {
			t.Fatalf("Text keeps %d bytes, %d breaks", len(text), strings.Count(text, "\n"))
		}
		for one := range strings.SplitSeq(text, "\n") {
			if bad := fits(one); bad != "" {
				t.Fatalf("Text(%+q) has %+q: %s", s, one, bad)
			}
		}
	})
}

func BenchmarkLine(b *testing.B) {
	for name, s := range map[string]string{
		"clean":  "healthcheck_spatioTemporalIndexStore",
		"script": "Prüfung der räumlichen Dienste 日本語",
		"dirty":  "\x1b[1;31mhealthcheck\x1b[0m_spatio\tTemporal\nIndexStore",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				plain.Line(s)
			}
		})
	}
}

func TestMarkdownShowsATextAsItIs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"healthcheck_objectStore":       "healthcheck_objectStore",
		"a|b `c` *d* <e> & [f](g)":      "a\\|b \\`c\\` \\*d\\* &lt;e&gt; &amp; \\[f\\](g)",
		" _x_ https://a.example www.b ": "\\_x\\_ https\\://a.example www\\.b",
		"one\ntwo\x1b[2J":               "one two",
	} {
		if got := plain.Markdown(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestAShellTakesAWordAsItIs(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"Folder/Roads.MapServer": "Folder/Roads.MapServer",
		"":                       "''",
		"two words":              "'two words'",
		"$(touch x); `y`":        "'$(touch x); `y`'",
		"it's":                   `'it'\''s'`,
		"a\n;b\x1b[2J":           "'a ;b'",
	} {
		if got := plain.ShellWord(word); got != want {
			t.Errorf("%q is %s, want %s", word, got, want)
		}
	}
}

func TestNumbersAgreeWithTheirWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n    int
		word string
		want string
	}{{0, "report", "0 reports"}, {1, "patch", "1 patch"}, {2, "patch", "2 patches"}, {3, "update", "3 updates"}} {
		if got := plain.Plural(c.n, c.word); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestEscapesLeaveTheValueOfJSONAsItIs(t *testing.T) {
	t.Parallel()
	escape := func(r rune) bool { return r == '\u202e' || r == '\u2028' || r > 0xffff }
	for text, want := range map[string]string{
		`{"a":"b é"}`:                       `{"a":"b é"}`,
		"[\"a\u202eb\u2028\U0001f600c\"]\n": "[\"a\\u202eb\\u2028\\ud83d\\ude00c\"]\n",
	} {
		got := plain.EscapeJSON(text, escape)
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		var before, after any
		if json.Unmarshal([]byte(text), &before) != nil || json.Unmarshal([]byte(got), &after) != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("%q: the value %v became %v", text, before, after)
		}
	}
}

func TestUnseenCharactersBecomeEscapesAndKeepTheirValue(t *testing.T) {
	have := string(plain.SafeJSON([]byte("\"a\u009b\u202e\x7f\U000e0041é\"")))
	if want := `"a\u009b\u202e\u007f` + `\udb40\udc41é"`; have != want {
		t.Errorf("have %s, want %s", have, want)
	}
}

func TestATextIsCutBetweenItsCharactersAndSaysSo(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]string{0: "…", 1: "a…", 2: "a…", 3: "aé…", 4: "aé\x1b…", 5: "aé\x1bz", 6: "aé\x1bz"} {
		if got := plain.Cut("aé\x1bz", limit); got != want {
			t.Errorf("%d bytes: %q, want %q", limit, got, want)
		}
	}
}
