package paint

import (
	"fmt"
	"strings"
	"testing"
)

// listing returns a screen of 120x40 with a selected row, as views draw it.
func listing(selected, version int) string {
	lines := make([]string, 40)
	for y := range lines {
		marker, row := "  ", fmt.Sprintf("HC_112_%03d  service-%02d   running   %4d MiB", y, y, 256+y*version)
		if y == selected {
			marker = "\x1b[38;5;39m› \x1b[0m"
		}
		lines[y] = fmt.Sprintf("│%s%-60s\x1b[38;5;242m│\x1b[0m \x1b[32m✓\x1b[0m ready \x1b[38;5;242m%s\x1b[0m", marker, row, strings.Repeat("─", 42))
	}
	return strings.Join(lines, "\n")
}

func BenchmarkFrame(b *testing.B) {
	for name, texts := range map[string][2]string{
		"unchanged": {listing(3, 1), listing(3, 1)},
		"move":      {listing(3, 1), listing(4, 1)},
		"whole":     {listing(3, 1), strings.ReplaceAll(strings.ReplaceAll(listing(4, 7), "─", "═"), "service", "x")},
	} {
		b.Run(name, func(b *testing.B) {
			var s screen
			s.frame(texts[0], 120, 40)
			written := 0
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				written += len(s.frame(texts[(i+1)%2], 120, 40))
			}
			b.ReportMetric(float64(written)/float64(b.N), "written/op")
		})
	}
}
