package rows_test

import (
	"strconv"
	"testing"

	"geodeck/ui/uitest"
)

var sizes = []int{13, 100_000}

// BenchmarkMoveAndDraw is a key and the frame after it.
func BenchmarkMoveAndDraw(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			l := list(numbers(n), 100, 40)
			b.ReportAllocs()
			for i := range b.N {
				if i%n == n-1 {
					l.GoTop()
				}
				l.GoDown()
				_ = l.View()
			}
		})
	}
}

// BenchmarkDrawAnew is a frame of which nothing was drawn before.
func BenchmarkDrawAnew(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			l := list(numbers(n), 100, 40)
			for b.Loop() {
				l.Redraw()
				_ = l.View()
			}
		})
	}
}

// BenchmarkFilterKey is one character typed into the filter.
func BenchmarkFilterKey(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			l := list(numbers(n), 100, 40)
			l.StartFilter()
			for i := range b.N {
				if i%2 == 0 {
					l.Type(uitest.Key("9"))
				} else {
					l.Type(uitest.Key("backspace"))
				}
				_ = l.View()
			}
		})
	}
}
