package secrets_test

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator/simtest"
)

const canary = "CANARY-token/with+signs=42"

// base is that of all checksums here.
const base = 0x9e3779b97f4a7c15

func FuzzSecretsInTexts(f *testing.F) {
	f.Add(uint64(1), canary, "before ", " after")
	f.Add(uint64(2), `a%41b\u0042c&amp;d+e f`, "%", ";")
	f.Add(uint64(3), "pässwörter", "&", "#")
	f.Fuzz(func(t *testing.T, seed uint64, secret, before, after string) {
		draw := rand.New(rand.NewPCG(seed, 5))
		mask := secrets.Of(secrets.Secret(secret))
		text := before + secret + after
		if part := simtest.Left(mask.Text(text, secrets.Anywhere), secret); part != "" && simtest.Left("[secret]", secret) == "" {
			t.Errorf("%q of %q is left in %q", part, secret, mask.Text(text, secrets.Anywhere))
		}
		clean := mask.Text(before+simtest.Mangled(draw, secret)+after, secrets.Anywhere)
		if !utf8.ValidString(clean) && utf8.ValidString(before) && utf8.ValidString(secret) && utf8.ValidString(after) {
			t.Errorf("broken: %q", clean)
		}
		quoted, _ := json.Marshal(map[string]string{before: text, "b": after})
		if masked := mask.JSON(quoted, secrets.Anywhere); !json.Valid(masked) {
			t.Errorf("%s became %s", quoted, masked)
		}
	})
}

// Eight characters in a row are masked, seven are not.
func TestAPartOfASecretIsMaskedAnywhere(t *testing.T) {
	t.Parallel()
	mask := secrets.Of(canary)
	for at := range len(canary) - simtest.MostLeft {
		for before := range 50 {
			around := strings.Repeat("~", before)
			if got := mask.Text(around+canary[at:at+simtest.MostLeft+1]+around, secrets.Anywhere); !strings.HasPrefix(got, around) || !strings.Contains(got, "[secret]") {
				t.Fatalf("behind %d: %q", before, got)
			}
			if text := around + canary[at:at+simtest.MostLeft] + around; mask.Text(text, secrets.Anywhere) != text {
				t.Fatalf("%q became %q", text, mask.Text(text, secrets.Anywhere))
			}
		}
	}
}

func TestOfManySecretsNoneIsLeft(t *testing.T) {
	t.Parallel()
	many := make([]secrets.Secret, 2000)
	var text strings.Builder
	for i := range many {
		many[i] = secrets.Secret(fmt.Sprintf("%x", rand.New(rand.NewPCG(uint64(i), 7)).Uint64()))
		text.WriteString(many[i].Reveal() + " ")
	}
	masked := secrets.Of(many...).Text(text.String(), secrets.Anywhere)
	for i, secret := range many {
		if strings.Contains(masked, secret.Reveal()) {
			t.Fatalf("secret %d of %d is left", i, len(many))
		}
	}
}

func TestMaskingChangesNothingElse(t *testing.T) {
	t.Parallel()
	mask := secrets.Of(canary)
	for text, want := range map[string]string{
		"100 % of 17 %2B, R&amp;D, C:\\new\\u0041, 1+1=2 \x1b[2J\u200b": "100 % of 17 %2B, R&amp;D, C:\\new\\u0041, 1+1=2 \x1b[2J\u200b",
		"x\u200b" + canary + "\u200by":                                  "x\u200b[secret]\u200by",
		canary + canary:                                                 "[secret]",
		canary + ", " + canary:                                          "[secret], [secret]",
	} {
		if got := mask.Text(text, secrets.Anywhere); got != want || mask.Text(got, secrets.Anywhere) != got {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	for _, cut := range []string{`\`, `\u`, `\u00`, `\x4`, `\ud83d\u`, "%", "%4", "&", "&#", "&am"} { // where no more of the text came
		for before := range 40 {
			if text := strings.Repeat("x", before) + cut; mask.Text(text, secrets.Anywhere) != text {
				t.Errorf("%q became %q", text, mask.Text(text, secrets.Anywhere))
			}
		}
	}
	for value, want := range map[string]string{
		`{"a" : 1.0, "b":"x\u0041" }` + "\n" + `[ "` + canary + `" , 2]`: `{"a" : 1.0, "b":"x\u0041" }` + "\n" + `["[secret]" , 2]`,
		`no JSON: ` + canary: `no JSON: [secret]`,
	} {
		if got := string(mask.JSON([]byte(value), secrets.Anywhere)); strings.ReplaceAll(got, `[ "`, `["`) != want {
			t.Errorf("%s became %s", value, got)
		}
	}
}

// A long text is searched in pieces, and a secret may lie between two.
func TestALongTextIsSearchedToItsEnd(t *testing.T) {
	t.Parallel()
	mask := secrets.Of(canary)
	for _, filling := range []string{"x", "é", "%41", "\u200b"} {
		for _, size := range []int{1 << 12, 60 << 10, 64<<10 - 5, 64 << 10, 140 << 10} {
			before := strings.Repeat(filling, size)
			if got := mask.Text(before+canary+before, secrets.Anywhere); got != before+"[secret]"+before {
				t.Errorf("between %d times %q it is left, or more is gone: %d bytes", size, filling, len(got))
			}
		}
	}
}

// One that lies there below layers of escapes is longer than what is masked of a plain one.
func TestALongTextIsSearchedBelowEscapesBetweenTwoPieces(t *testing.T) {
	t.Parallel()
	mask := secrets.Of(canary)
	var escaped strings.Builder
	for _, b := range []byte(canary) {
		fmt.Fprintf(&escaped, "%%2525%02X", b)
	}
	form := escaped.String()
	for _, at := range []int{1, 9, 30, len(form) / 2, len(form) - 20, len(form) - 1} {
		before := strings.Repeat("x", 64<<10-at)
		if got := mask.Text(before+form+" x", secrets.Anywhere); got != before+"[secret] x" {
			t.Errorf("with %d of its %d characters before the border it is left, or more is gone: %q", at, len(form), got[len(before):])
		}
	}
}

func TestNoFormOfASecretIsLeft(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(1, 2))
	for range 150 {
		secret := simtest.RandomSecret(draw, 9+draw.IntN(60))
		text := "it says " + simtest.Mangled(draw, secret) + " and " + simtest.Mangled(draw, secret) + "."
		if part := simtest.Left(secrets.Of(secrets.Secret(secret)).Text(text, secrets.Anywhere), secret); part != "" {
			t.Fatalf("%q of %q is left of %q", part, secret, text)
		}
	}
}

// A gateway quotes what the site has quoted: a URL in JSON in HTML has three layers of escapes.
func TestASecretIsMaskedBelowThreeLayersOfEscapes(t *testing.T) {
	t.Parallel()
	inJSON := func(text string) string {
		quoted, _ := json.Marshal(text)
		return string(quoted[1 : len(quoted)-1])
	}
	for name, layers := range map[string][]func(string) string{
		"a URL":                   {url.QueryEscape},
		"HTML in JSON":            {html.EscapeString, inJSON},
		"a URL in a URL":          {url.QueryEscape, url.QueryEscape},
		"a URL in JSON in HTML":   {url.QueryEscape, inJSON, html.EscapeString},
		"HTML in JSON in a URL":   {html.EscapeString, inJSON, url.QueryEscape},
		"a URL in a URL in a URL": {url.QueryEscape, url.QueryEscape, url.QueryEscape},
		"HTML in HTML in HTML":    {html.EscapeString, html.EscapeString, html.EscapeString},
		"HTML without semicolons": {html.EscapeString, func(text string) string {
			return strings.NewReplacer("&amp;", "&amp", "&lt;", "&lt", "&gt;", "&gt").Replace(text)
		}},
	} {
		for _, secret := range []string{canary, `a"b&c<d>e"f&g<h>`, "&&//&&//&&//", "Falcon&Kestrel<Merlin"} {
			text := secret
			for _, escaped := range layers {
				text = escaped(text)
			}
			masked := secrets.Of(secrets.Secret(secret)).Text("it says "+text+" here", secrets.Anywhere)
			if masked != "it says [secret] here" {
				t.Errorf("%s: %q became %q", name, text, masked)
			}
		}
	}
}

// A text is masked as its readers see it: a terminal shows the letters of a flag as letters, and a
// character that nobody sees not at all.
func TestASecretIsMaskedAsItsReadersSeeIt(t *testing.T) {
	t.Parallel()
	const words, odd, short, nine = "correct horse battery", "kestrel\u00de\U0001f600ice", "Falc0n", "Kestr3l-1"
	inFlags := func(text string) string {
		return strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' {
				return r - 'a' + 0x1f1e6
			}
			return r
		}, text)
	}
	for _, c := range []struct{ secret, text, want string }{
		{words, "it says correct\u00a0horse\u2003battery here", "it says [secret] here"},
		{words, "it says " + inFlags(words) + " here", "it says [secret] here"},
		{words, "it says " + inFlags("correct") + "horse\x7fbattery.", "it says [secret]."},
		{words, "it says cor\x7frect hor\x7fse bat\x7ftery here", "it says [secret] here"},
		{odd, `it says kestrel\u00de\ud83d\ude00ice here`, "it says [secret] here"},
		{short, "it says Fal\x7fc0n\u200bs here", "it says [secret]\u200bs here"},
		{short, "it says Falc0ns here", "it says Falc0ns here"},
		{short, "\u200bit says Falc0ns here", "\u200bit says Falc0ns here"},
		{short, `it says x\u0000Falc0n here`, `it says x\u0000[secret] here`},
		{short, "it says x\x1b[1mFalc0n\x1b[0ms here", "it says x\x1b[1m[secret]\x1b[0ms here"},
		{short, "it says \x1b[1mof Falc0ns\x1b[0m here", "it says \x1b[1mof Falc0ns\x1b[0m here"},
		{words, "it says cor\x9b31mrect horse battery here", "it says [secret] here"},
		{words, "it says cor\x1b[31mrect horse battery here", "it says [secret] here"},
		{words, "it says cor\u009b31mrect horse battery here", "it says [secret] here"},
		{words, "it says cor\xffrect horse battery here", "it says [secret] here"},
		{"pässwörter", "it says PÄSSWÖRTER, and pésswérter", "it says [secret], and pésswérter"},
		{short, `it says a\ud83d\u0046alc0n here`, `it says a\ud83d[secret] here`}, // half of a pair
		{short, `it says Falc0n \ud83d`, `it says [secret] \ud83d`},                // and the text is cut
		{short, `it says Falc0n \ud83d\u`, `it says [secret] \ud83d\u`},
		// A line that is broken, colours, and what nobody sees.
		{nine, "it says Kest\nr3l-1 here", "it says [secret] here"},
		{nine, "it says Kest\u200br3l-1 here", "it says [secret] here"},
		{nine, "it says Kest\x1b[31mr3l-1 here", "it says [secret] here"},
		{"zephyr bizarre", "it says " + inFlags("zephyr bizarre"), "it says [secret]"},
		// Escapes: of a form, of the last character, of one that nobody sees, without their end, and none.
		{words, "it says correct+horse+battery here", "it says [secret] here"},
		{short, "it says Falc0%6e", "it says [secret]"},
		{short, `it says Falc0\u006e`, "it says [secret]"},
		{"kestrel-\U0001f600", `it says kestrel-\ud83d\ude00`, "it says [secret]"},
		{`Falc0n"`, `it says Falc0n\"`, "it says [secret]"},
		{`Fal"c0n`, `it says Fal\"c0n here`, "it says [secret] here"},
		{short, "it says Fal%00c0n here", "it says [secret] here"},
		{short, "it says &#70alc0n.", "it says [secret]."},
		{nine, "it says &#75estr3l-1 here", "it says [secret] here"},
		{nine, `it says C:\uKest%723l-1 here`, `it says C:\u[secret] here`},
		// A short one is none within a longer word, whatever else of the text is escaped.
		{short, "it says xFalc0n here", "it says xFalc0n here"},
		{short, "it says Falc0ns, 100%25 of them", "it says Falc0ns, 100%25 of them"},
		{short, "it says x%46alc0n here", "it says x%46alc0n here"},
		{short, "it says %00%78Falc0n here", "it says %00%78Falc0n here"},
		{short, "it says x\u200b%46alc0n here", "it says x\u200b[secret] here"},
		{short, "it says Fal%630n\u200bs here", "it says [secret]\u200bs here"},
		{short, `it says x\nFalc0n here`, `it says x\n[secret] here`},
		// The secret itself may look like an escape, have been pasted with blanks, or be a word of any text.
		{"Kestr3l%41", "it says Kestr3lA here", "it says [secret] here"},
		{"Falc0n ", "it says Falc0n.", "it says [secret]."},
		{" Falc0n", "it says Falc0n.", "it says [secret]."},
		{"abc", "it says abc, not abcd", "it says [secret], not abcd"},
		{"at", "it says at here", "it says at here"},
	} {
		if got := secrets.Of(secrets.Secret(c.secret)).Text(c.text, secrets.Anywhere); got != c.want {
			t.Errorf("%q became %q, want %q", c.text, got, c.want)
		}
	}
}

// Each rule is about what a token and a password lose in the same texts.
func TestARuleSaysWhereKnownSecretsAreMasked(t *testing.T) {
	t.Parallel()
	known := secrets.New(base)
	known.AddToken("tok3n-of-this-site", true)
	known.Add("administrator", "Kestr3l", "Falcon-8", "correct horse battery")
	for text, want := range map[string][3]string{ // anywhere, in what is kept, in names
		"by tok3n-of-this-site.":                {"by [secret].", "by [secret].", "by [secret]."},
		"begins tok3n-of-th":                    {"begins [secret]", "begins [secret]", "begins [secret]"},
		"the administrator, of it":              {"the [secret], of it", "the [secret], of it", "the administrator, of it"},
		"an ADMINISTRATOR&#x21;":                {"an [secret]&#x21;", "an [secret]&#x21;", "an ADMINISTRATOR&#x21;"},
		"administrators and a subadministrator": {"[secret]s and a sub[secret]", "administrators and a subadministrator", "administrators and a subadministrator"},
		"minister of administration":            {"minister of [secret]ion", "minister of administration", "minister of administration"},
		"a Kestr3l":                             {"a [secret]", "a Kestr3l", "a Kestr3l"},
		"Kestr3ls":                              {"Kestr3ls", "Kestr3ls", "Kestr3ls"},
		"a Kestr3l of 100%":                     {"a [secret] of 100%", "a Kestr3l of 100%", "a Kestr3l of 100%"},
		"a Falcon-8, no Falcon-81":              {"a [secret], no [secret]1", "a [secret], no Falcon-81", "a Falcon-8, no Falcon-81"},
		"by Correct Horse Battery.":             {"by [secret].", "by [secret].", "by Correct Horse Battery."},
		"subadministrator":                      {"sub[secret]", "subadministrator", "subadministrator"},
		"xadministrator":                        {"x[secret]", "xadministrator", "xadministrator"},
		"the administrator\u200bs":              {"the [secret]\u200bs", "the [secret]\u200bs", "the administrator\u200bs"},
		"she administrates it":                  {"she [secret]es it", "she administrates it", "she administrates it"},
		"it ends with administrat":              {"it ends with [secret]", "it ends with administrat", "it ends with administrat"},
	} {
		for i, rule := range []secrets.Rule{secrets.Anywhere, secrets.InKept, secrets.InNames} {
			if got := known.Masker().Text(text, rule); got != want[i] {
				t.Errorf("rule %d: %q became %q, want %q", rule, text, got, want[i])
			}
		}
	}
}

// A piece of a long text begins within a word, of which the one before has the beginning.
func TestWhatIsWithinAWordIsSoInALongText(t *testing.T) {
	t.Parallel()
	known := secrets.New(base)
	known.Add("administrator", "Kestr3l")
	const at = 60 << 10 // where the second piece begins
	word, words, rest := strings.Repeat("x", at), strings.Repeat("x", at-1)+" ", strings.Repeat(" y", 10<<10)
	for rule, secret := range map[secrets.Rule]string{secrets.Anywhere: "Kestr3l", secrets.InKept: "administrator"} {
		if text := word + secret + rest; known.Masker().Text(text, rule) != text {
			t.Errorf("%s is masked within a word", secret)
		}
		for _, before := range []string{words, strings.Repeat(rest, 4) + " "} {
			if got := known.Masker().Text(before+secret+rest, rule); got != before+secrets.Mask+rest {
				t.Errorf("%s is left behind %d characters, or more is gone", secret, len(before))
			}
		}
	}
}

// A password may be any word: it would turn what an answer says into a text that says nothing.
func TestAPasswordThatIsAWordOfJSONMasksNothingButTexts(t *testing.T) {
	t.Parallel()
	const value = `{"on":false,"of":[null,false],"in":{},"text":"%s"}`
	mask := secrets.Of("false", "null", "{}]", "]}}")
	if got := string(mask.JSON(fmt.Appendf(nil, value, "false or null"), secrets.Anywhere)); got != fmt.Sprintf(value, "[secret] or [secret]") {
		t.Error(got)
	}
}

func TestNamesInJSONLoseTokensAlone(t *testing.T) {
	t.Parallel()
	known := secrets.New(base)
	known.AddToken("tok3n-of-this-site", true)
	known.Add("kestrel", "12345678")
	for value, want := range map[string]string{
		`{"name":"kestrel","text":"kestrel","kestrel":"a kestrel"}`:                `{"name":"kestrel","text":"[secret]","kestrel":"a [secret]"}`,
		`{"versions":["kestrel",{"text":["kestrel"]}],"id":12345678,"n":12345678}`: `{"versions":["kestrel",{"text":["[secret]"]}],"id":12345678,"n":"[secret]"}`,
		`{"serviceId":"tok3n-of-this-site","tok3n-of-this-site":1}`:                `{"serviceId":"[secret]","[secret]":1}`,
		`{"userName":"` + strings.Repeat("x", 300) + ` kestrel"}`:                  `{"userName":"` + strings.Repeat("x", 300) + ` [secret]"}`,
		`{"jobId":"kestrel","podIDs":["kestrel"],"ideas":"kestrel"}`:               `{"jobId":"kestrel","podIDs":["kestrel"],"ideas":"[secret]"}`,
		`{"tokenName":"kestrel","code":"kestrel"}`:                                 `{"tokenName":"[secret]","code":"kestrel"}`,
		"{\"text\":\"kestrel\"}\n[\"kestrel\"]":                                    "{\"text\":\"[secret]\"}\n[\"[secret]\"]",
	} {
		if got := string(known.Masker().JSON([]byte(value), secrets.Anywhere)); got != want {
			t.Errorf("%s\nbecame %s\nwant   %s", value, got, want)
		}
	}
}

// Of a secret file a server may quote some. Words of its prose are in any text.
func TestWhatATextSharesWithASecretFileIsMasked(t *testing.T) {
	t.Parallel()
	mask := secrets.ByValue{}.WithContent([]byte(`{"product":"ArcGIS Enterprise","code":"ECP123456789","level":"Standard","until":"20271231","is":"v12.0","part":"AB12CD34","key":"q9w8e7r6t5y4u3i2o1"}`))
	if !mask.HidesContent() || (secrets.ByValue{}).HidesContent() {
		t.Error("it is not told whether a content is masked")
	}
	for text, want := range map[string]string{
		`the key "q9w8e7r6t5y4u3i2o1" is used up`: `the key [secret] is used up`,
		"bad: w8e7r6t5y4u3i2o1":                   "bad: [secret]",
		"code ECP123456789!":                      "code [secret]!",
		"of AB12CD34, not B12CD34":                "of [secret], not B12CD34",
		"ECP123456789 has no AB12CD34":            "[secret] has no [secret]",
		"(code=ECP123456789,ECP123456789)":        "(code=[secret],[secret])",
		"no ArcGIS licence of ECP12345":           "no ArcGIS licence of ECP12345",
		"Standard of v12.0 until 20271231":        "Standard of v12.0 until 20271231",
		"":                                        "",
	} {
		if got := mask.Text(text, secrets.Anywhere); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	if got := (secrets.ByValue{}).WithContent([]byte("0123456789abcdef")).Text("0123456789abcdef", secrets.Anywhere); got != secrets.Mask {
		t.Errorf("of a short file %q is left", got)
	}
}

func TestMaskersAreJoined(t *testing.T) {
	t.Parallel()
	known := secrets.New(base)
	mask := known.Masker().And(secrets.Of("of-somebody-else"))
	known.Add("a-later-secret")
	if got := mask.Text("of-somebody-else, a-later-secret", secrets.Anywhere); got != "[secret], [secret]" {
		t.Error(got)
	}
	if got := (secrets.ByValue{}).Text("a-later-secret", secrets.Anywhere); got != "a-later-secret" {
		t.Error(got)
	}
}
