package paint

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"
)

var glyphs = []string{"a", "b", "c", " ", " ", " ", "x", "─", "│", "✓", "界", "語", "é", "e\u0301", "ｱ", "한", "▁", "\u200b", "\t", "\x07", "\x1b[3A"}

func randomCell(r *rand.Rand) string {
	g := glyphs[r.IntN(len(glyphs))]
	switch r.IntN(8) {
	case 0:
		return fmt.Sprintf("\x1b[%dm%s\x1b[0m", 30+r.IntN(8), g)
	case 1:
		return fmt.Sprintf("\x1b[1;%dm%s\x1b[m", 90+r.IntN(8), g)
	case 2:
		return fmt.Sprintf("\x1b[7m%s\x1b[27m", g)
	case 3:
		return fmt.Sprintf("\x1b[4;48;5;%dm%s\x1b[0m", r.IntN(256), g)
	case 4:
		return fmt.Sprintf("\x1b[%dm%s", []int{0, 1, 2, 3, 31, 39, 49, 22}[r.IntN(8)], g)
	}
	return g
}

// randomFrame changes the frame before a little, or makes lines anew.
func randomFrame(r *rand.Rand, w, h int, before [][]string) [][]string {
	rows := make([][]string, h)
	for y := range rows {
		switch {
		case y < len(before) && r.IntN(4) > 0:
			rows[y] = before[y]
			if r.IntN(3) > 0 {
				continue
			}
			rows[y] = slices.Clone(rows[y])
			for range 1 + r.IntN(5) {
				i := r.IntN(len(rows[y]) + 1)
				switch r.IntN(3) {
				case 0:
					rows[y] = slices.Insert(rows[y], i, randomCell(r))
				case 1:
					rows[y] = slices.Delete(rows[y], min(i, max(0, len(rows[y])-1)), min(i+1, len(rows[y])))
				default:
					if i < len(rows[y]) {
						rows[y][i] = randomCell(r)
					}
				}
			}
		case len(before) > 0 && r.IntN(3) == 0:
			rows[y] = before[r.IntN(len(before))]
		default:
			for range r.IntN(w + 3) {
				rows[y] = append(rows[y], randomCell(r))
			}
		}
	}
	return rows
}

func text(rows [][]string) string {
	lines := make([]string, len(rows))
	for y, row := range rows {
		lines[y] = strings.Join(row, "")
	}
	return strings.Join(lines, "\n")
}

func TestDifferencesShowWhatAFullRedrawShows(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		w, h := 1+r.IntN(40), 1+r.IntN(12)
		shown := vt.NewEmulator(w, h)
		_, _ = shown.WriteString("\x1b[?1049h\x1b[?7l")
		var s screen
		var rows [][]string
		for n := range 50 {
			if r.IntN(15) == 0 {
				w, h = 1+r.IntN(40), 1+r.IntN(12)
				shown.Resize(w, h)
			}
			rows = randomFrame(r, w, h, rows)
			frame := text(rows)
			sent := s.frame(frame, w, h)
			_, _ = shown.WriteString(sent)
			anew := vt.NewEmulator(w, h)
			_, _ = anew.WriteString("\x1b[?1049h\x1b[?7l" + new(screen).frame(frame, w, h))
			if got, want := shown.Render(), anew.Render(); got != want {
				t.Fatalf("seed %d, frame %d, %dx%d\ngot  %q\nwant %q\nsent %q", seed, n, w, h, got, want, sent)
			}
		}
	}
}
