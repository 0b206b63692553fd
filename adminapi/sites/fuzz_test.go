package sites

import (
	"errors"
	"strings"
	"testing"
)

// What is read can be edited or is refused, and whatever the edit does not mean stays byte
// for byte.
func FuzzEdit(f *testing.F) {
	for _, seed := range []string{"", everyKey, "sites:\n  a:\n    url: a\n  b: {url: b}\ncurrent: a", "sites: {}\r\n", "\ufeff# x\n---\nsites:\n- a\n...", "{sites: {a: {url: a}}}",
		"current: 'a'\nsites:\n  a: {url: a}\n\n\n  # c\n  b:\n    # d\n    url: b", "? sites\n: a:\n    url: a", "\"sites\":\n  \"a\": {url: a}\n# end", "current: ~\nsites:\n  a:\n    hook: 'a\n  b'\n    url: a"} {
		f.Add(seed)
	}
	const path = "/folder/config.yaml"
	edit := func(before string, do change) (gone, arrived string, ok bool) {
		after, err := edited(path, []byte(before), do)
		gone, arrived = difference(before, string(after))
		return gone, arrived, err == nil
	}
	f.Fuzz(func(t *testing.T, before string) {
		file, _, err := parse(path, []byte(before))
		if err != nil {
			if _, ok := errors.AsType[*Error](err); !ok {
				t.Fatalf("%q: %v", before, err)
			}
			return
		}
		for _, s := range file.sites {
			if gone, _, ok := edit(before, using(s.Name)); ok && strings.Trim(gone, " \t'\"~nulNUL"+file.current) != "" {
				t.Errorf("%q: use %s loses %q", before, s.Name, gone)
			}
			if _, arrived, ok := edit(before, removing(s.Name)); ok && arrived != "" && s.Name != file.current {
				t.Errorf("%q: remove %s brings %q", before, s.Name, arrived)
			}
		}
		if gone, _, ok := edit(before, adding(north)); ok && strings.Trim(gone, " \t{}~nulNUL") != "" { // of no sites
			t.Errorf("%q: add loses %q", before, gone)
		}
	})
}

// difference returns what stands between the beginning and the end that both texts have.
func difference(before, after string) (gone, arrived string) {
	from := 0
	for from < min(len(before), len(after)) && before[from] == after[from] {
		from++
	}
	to := 0
	for to < min(len(before), len(after))-from && before[len(before)-1-to] == after[len(after)-1-to] {
		to++
	}
	return before[from : len(before)-to], after[from : len(after)-to]
}
