package secrets

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// scan searches the characters that read returns of a text.
func (s *matcher) scan(text string, rule Rule, read func(string, func(character)), hit func(from, to int32)) {
	l := bufferPool.Get().(*scanBuffers)
	defer bufferPool.Put(l)
	all := l.piece[:0]
	begun := true // the piece is the first
	read(text, func(c character) {
		if all = append(all, c); len(all) == pieceSize {
			s.scanPiece(all, rule, begun, l, hit)
			all, begun = append(all[:0], all[len(all)-pieceOverlap:]...), false
		}
	})
	s.scanPiece(all, rule, begun, l, hit)
	l.piece = all
}

// scanBuffers is the memory of one search, for the next one to use.
type scanBuffers struct {
	piece  []character
	layers [2][]character
}

var bufferPool = sync.Pool{New: func() any { return new(scanBuffers) }}

// scanPiece searches a piece of a text, and what its escapes decode to, layer by layer.
func (s *matcher) scanPiece(piece []character, rule Rule, begun bool, l *scanBuffers, hit func(from, to int32)) {
	for layer := range layers + 1 {
		s.findRuns(piece, func(from, to int, sum uint64) {
			switch {
			case rule == Anywhere || s.runs[sum]:
				hit(piece[from].from, piece[to].to)
			case rule == InKept && (from > 0 || begun) && !isOneWord(piece, from-1):
				s.findWhole(piece, from, sum, hit)
			}
		})
		if rule == Anywhere {
			s.findWords(piece, begun, hit)
		}
		next, changed := unescaped(piece, l.layers[layer%2][:0])
		if l.layers[layer%2] = next; !changed {
			return
		}
		piece = next
	}
}

// findRuns searches for runs, ignoring white space, and returns their first and last character.
func (s *matcher) findRuns(piece []character, hit func(from, to int, sum uint64)) {
	var last [runLength]int
	var sum uint64
	n := 0
	for i, c := range piece {
		if c.r == ' ' {
			continue
		}
		at := n % runLength
		if n >= runLength {
			sum -= uint64(piece[last[at]].r) * s.first
		}
		sum = sum*s.base + uint64(c.r)
		last[at] = i
		if n++; n >= runLength && s.has(sum) {
			hit(last[n%runLength], i, sum)
		}
	}
}

// findWhole searches for secrets that begin with a run and end before another word.
func (s *matcher) findWhole(piece []character, from int, run uint64, hit func(from, to int32)) {
	for _, w := range s.wholes {
		var sum uint64
		for to, left := from, w.length; to < len(piece) && w.first == run; to++ {
			if piece[to].r == ' ' {
				continue
			}
			sum = sum*s.base + uint64(piece[to].r)
			if left--; left == 0 {
				if sum == w.sum && !isOneWord(piece, to) {
					hit(piece[from].from, piece[to].to)
				}
				break
			}
		}
	}
}

// isOneWord reports whether a character and the next belong to one word.
func isOneWord(piece []character, at int) bool {
	return at >= 0 && at+1 < len(piece) && isWordRune(piece[at].r) && isWordRune(piece[at+1].r) && !piece[at+1].afterHidden
}

// findWords searches for short secrets that are not part of a longer word.
func (s *matcher) findWords(piece []character, begun bool, hit func(from, to int32)) {
	for _, w := range s.words {
		for i := 0; i+w.length <= len(piece); i++ {
			if i == 0 && !begun || i > 0 && isWordRune(piece[i-1].r) && !piece[i].afterHidden {
				continue
			}
			end := i + w.length
			if end < len(piece) && isWordRune(piece[end].r) && !piece[end].afterHidden {
				continue
			}
			if sumOf(piece[i:end], s.base) == w.sum {
				hit(piece[i].from, piece[end-1].to)
			}
		}
	}
}

// spans are ranges of bytes in a text.
type spans [][2]int32

func (p *spans) add(from, to int32) {
	if n := len(*p); n > 0 && (*p)[n-1][0] <= from && from <= (*p)[n-1][1] {
		(*p)[n-1][1] = max((*p)[n-1][1], to)
		return
	}
	*p = append(*p, [2]int32{from, to})
}

// mask replaces each range of a text by a mask.
func (p spans) mask(text string) string {
	if len(p) == 0 {
		return text
	}
	slices.SortFunc(p, func(a, b [2]int32) int { return cmp.Compare(a[0], b[0]) })
	var joined spans
	for _, place := range p {
		joined.add(place[0], place[1])
	}
	var b strings.Builder
	end := int32(0)
	for _, place := range joined {
		b.WriteString(text[end:place[0]] + Mask)
		end = place[1]
	}
	b.WriteString(text[end:])
	return b.String()
}
