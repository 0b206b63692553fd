package keyboard

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"geodeck/ui/uitest"
)

// FuzzPaste pastes any text between keys, cut by the line in any places: it is one paste with
// that text, and no part of it is a key.
func FuzzPaste(f *testing.F) {
	for _, text := range []string{"y\r", "yes\n\r\x03", "\x1b[A\x1b]11;rgb:", "aé漢\x1b[20", "\x1b[200~y\r", "\xc3\xff", "\x00\x04\x1b", strings.Repeat("é\r", 300)} {
		f.Add(text, []byte{3}, false)
		f.Add(text, []byte{1, 170}, true)
	}
	f.Fuzz(func(t *testing.T, text string, cuts []byte, asking bool) {
		// Without its end in it. The start of that end before the real one makes it another text.
		if strings.Contains(text+pasteEnd[:len(pasteEnd)-1], pasteEnd) || text == "" || len(text) > maxPaste {
			return
		}
		input := "\x1b[A" + pasteStart + text + pasteEnd + "\x1b[B"
		var pieces []string
		for i, rest := 0, input; rest != ""; i++ {
			n := len(rest)
			if len(cuts) > 0 {
				n = min(n, 1+int(cuts[i%len(cuts)]))
			}
			if rest[:n] == "\x03" { // alone it ends a paste
				return
			}
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		l := uitest.NewLine(pieces...)
		r := readerOf(l)
		r.SetAsking(asking)
		got := read(t, r)
		if len(got) == 2 && !utf8.ValidString(text) { // nothing of it may be left
			return
		}
		if len(got) != 3 || got[0].kind != special || got[1].kind != pasted || got[2].kind != special || string(got[1].bytes) != text {
			t.Errorf("%.200q cut to %.200q is %.300v", text, pieces, got)
		}
	})
}

// FuzzBackground reads what a terminal says of its background. What is known of it stays so
// when more comes, a colour is as light however many digits it has, and what is cut off within
// the answer is waited for.
func FuzzBackground(f *testing.F) {
	for _, said := range []string{"", "\x1b", "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\\x1b[?62;22c", "\x1b]11;#fff\a", "\x1b]11;rgb:f/f/f", "\x1b]10;?\a\x1b]11;white\a", "q\x1b[?c", "\x1b]11;rgba:ff/ff/ff/00\a"} {
		f.Add([]byte(said), []byte("\x1b[?1c"), uint32(0xfdf6e3))
	}
	f.Fuzz(func(t *testing.T, said, more []byte, rgb uint32) {
		light, known := lightIn(said)
		if light && !known {
			t.Errorf("%q is light, and not known", said)
		}
		if now, still := lightIn(slices.Concat(said, more)); known && (!still || now != light) {
			t.Errorf("%q is light %v, but with %q %v, %v", said, light, more, now, still)
		}
		if told := toldKind(said); told && !toldKind(slices.Concat(said, more)) {
			t.Errorf("%q tells the kind, and with %q it does not", said, more)
		}
		red, green, blue := rgb>>16&0xff, rgb>>8&0xff, rgb&0xff
		want := 299*red+587*green+114*blue > 500*0xff
		for _, format := range []string{"rgb:%02x/%02x/%02x", "rgb:%02[1]x%02[1]x/%02[2]x%02[2]x/%02[3]x%02[3]x"} {
			answer := fmt.Appendf(nil, "\x1b]11;"+format+"\a", red, green, blue)
			if light, known := lightIn(answer); !known || light != want {
				t.Errorf("%q is light %v, %v", answer, light, known)
			}
			for n := bytes.IndexByte(answer, '\x1b') + 1; n < len(answer); n++ {
				if _, known := lightIn(answer[:n]); known || !torn(answer[:n]) || torn(answer) {
					t.Errorf("%q: known %v, torn %v", answer[:n], known, torn(answer[:n]))
				}
			}
		}
	})
}
