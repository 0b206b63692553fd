package plain_test

import (
	"testing"

	"geodeck/adminapi/plain"
)

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
