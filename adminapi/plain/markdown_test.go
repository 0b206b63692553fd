package plain_test

import (
	"testing"

	"geodeck/adminapi/plain"
)

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
