package keyboard

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/theme"
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

// FuzzBackground reads the answer with any colour: it is as light however many digits it has,
// and comes among keys, cut by the line in any places, without being one.
func FuzzBackground(f *testing.F) {
	for _, rgb := range []uint32{0, 0xffffff, 0xfdf6e3, 0x002b36} {
		f.Add(rgb, "jk", "G", []byte{3}, false)
		f.Add(rgb, "", "/f\r", []byte{1, 170}, true)
	}
	f.Fuzz(func(t *testing.T, rgb uint32, before, behind string, cuts []byte, bel bool) {
		if strings.ContainsFunc(before+behind, func(r rune) bool { return r < ' ' && r != '\r' || r > '~' }) {
			return
		}
		red, green, blue := rgb>>16&0xff, rgb>>8&0xff, rgb&0xff
		want := theme.Dark
		if 299*red+587*green+114*blue > 500*0xff {
			want = theme.Light
		}
		end := map[bool]string{true: "\a", false: "\x1b\\"}[bel]
		for _, format := range []string{"rgb:%02x/%02x/%02x", "rgb:%02[1]x%02[1]x/%02[2]x%02[2]x/%02[3]x%02[3]x"} {
			answer := fmt.Sprintf("\x1b]11;"+format+end, red, green, blue)
			var pieces []string
			for i, rest := 0, before+answer+"\x1b[?62;22c"+behind; rest != ""; i++ {
				n := len(rest)
				if len(cuts) > 0 {
					n = min(n, 1+int(cuts[i%len(cuts)]))
				}
				pieces, rest = append(pieces, rest[:n]), rest[n:]
			}
			r := readerOf(uitest.NewLine(pieces...))
			r.QueryBackground()
			var decoder Decoder
			var typed []byte
			var told []tea.Msg
			for buffer := make([]byte, 256); ; {
				if _, err := r.Read(buffer); err != nil {
					break
				}
				for _, p := range r.pieces {
					switch p.kind {
					case text:
						typed = append(typed, p.bytes...)
					case mark:
						told = append(told, decoder.mark(p.bytes[0]))
					case ignored:
					default:
						t.Fatalf("%q cut to %q has the key %q", answer, pieces, p.bytes)
					}
				}
				r.pieces = nil
			}
			if string(typed) != before+behind || len(told) != 1 || told[0] != want || r.Expects() {
				t.Errorf("%q cut to %q is typed as %q, and is %v", answer, pieces, typed, told)
			}
		}
	})
}
