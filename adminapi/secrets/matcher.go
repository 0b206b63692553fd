package secrets

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// runLength is how many characters in a row of a secret are masked anywhere: servers
	// cut what they quote, at either end. Fewer reveal little of a long secret, and any
	// sentence may contain them by chance.
	runLength = 8
	// minSecret is the length in characters from which a secret is masked. One shorter
	// than runLength is masked only as a whole word, or every text would be full of masks;
	// words of one or two letters are in nearly every sentence, so that masks would reveal
	// them.
	minSecret = 3
	// layers is how many layers of escapes are decoded: a URL in JSON in HTML has three.
	layers = 3
	// pieceSize limits the characters that are searched at a time, and so the memory;
	// pieceOverlap is how many of them the next piece repeats.
	pieceSize, pieceOverlap = 64 << 10, 4 << 10
)

// matcher finds secrets in texts by checksums, so that no secret stays in memory after its
// use. It is immutable.
type matcher struct {
	base    uint64          // of the checksums; a random number
	first   uint64          // weight of the first of runLength characters
	runs    map[uint64]bool // true for those of tokens
	runBits []uint64        // a bit for each checksum in runs: a first, quick check
	words   []sumOfForm     // of secrets that are shorter than a run
	wholes  []sumOfForm     // of all others, without white space
}

// sumOfForm is the checksum of a secret.
type sumOfForm struct {
	length int // characters
	sum    uint64
	first  uint64 // the sum of its first run; 0 for a shorter one
}

// fingerprints are the checksums of one secret.
type fingerprints struct {
	runs   []uint64
	words  []sumOfForm
	wholes []sumOfForm
}

// fingerprintsOf returns the fingerprints of a secret as it is, and with escapes in it
// decoded.
func fingerprintsOf(secret Secret, base uint64) (t fingerprints) {
	var form []character
	eachRune(secret.Reveal(), func(c character) { form = append(form, c) })
	for range layers + 1 {
		t.add(form, base)
		var changed bool
		if form, changed = unescaped(form, nil); !changed {
			break
		}
	}
	return t
}

func (t *fingerprints) add(form []character, base uint64) {
	for len(form) > 0 && form[len(form)-1].r == ' ' {
		form = form[:len(form)-1]
	}
	for len(form) > 0 && form[0].r == ' ' {
		form = form[1:]
	}
	solid := slices.DeleteFunc(slices.Clone(form), func(c character) bool { return c.r == ' ' })
	if len(solid) < runLength {
		if len(form) >= minSecret {
			t.words = append(t.words, sumOfForm{length: len(form), sum: sumOf(form, base)})
		}
		return
	}
	t.wholes = append(t.wholes, sumOfForm{len(solid), sumOf(solid, base), sumOf(solid[:runLength], base)})
	for i := range len(solid) - runLength + 1 {
		t.runs = append(t.runs, sumOf(solid[i:i+runLength], base))
	}
}

// sumOf is a polynomial, so that the sum of a run can be computed from that of the run
// before.
func sumOf(form []character, base uint64) (sum uint64) {
	for _, c := range form {
		sum = sum*base + uint64(c.r)
	}
	return sum
}

func newMatcher(base uint64, tokens, others []known) *matcher {
	s := &matcher{base: base, first: 1, runs: map[uint64]bool{}}
	for range runLength - 1 {
		s.first *= base
	}
	for i, t := range slices.Concat(tokens, others) {
		for _, sum := range t.runs {
			s.runs[sum] = s.runs[sum] || i < len(tokens) && !t.doubtful()
		}
		if s.words = append(s.words, t.words...); !t.doubtful() {
			s.wholes = append(s.wholes, t.wholes...)
		}
	}
	size := 64
	for size < 32*len(s.runs) {
		size *= 2
	}
	s.runBits = make([]uint64, size/64)
	for sum := range s.runs {
		bit := s.bit(sum)
		s.runBits[bit/64] |= 1 << (bit % 64)
	}
	return s
}

// bit takes the upper half of a checksum, which depends on all of its characters.
func (s *matcher) bit(sum uint64) uint64 { return sum >> 32 & uint64(len(s.runBits)*64-1) }

func (s *matcher) has(sum uint64) bool {
	bit := s.bit(sum)
	if s.runBits[bit/64]>>(bit%64)&1 == 0 {
		return false
	}
	_, found := s.runs[sum]
	return found
}

// empty reports whether there are no secrets.
func (s *matcher) empty() bool { return len(s.runs) == 0 && len(s.words) == 0 }

// text masks the secrets in a text that stand there as a rule says.
func (s *matcher) text(text string, rule Rule) string {
	if s.empty() || !s.mayContain(text, rule) {
		return text
	}
	var found spans
	s.scan(text, rule, eachRune, found.add)
	if hasSequences(text) {
		s.scan(text, rule, eachDisplayed, found.add)
	}
	return found.mask(text)
}

// mayContain reports, quickly, whether a text has to be searched. Most texts have neither
// escapes nor parts of a secret.
func (s *matcher) mayContain(text string, rule Rule) bool {
	if rule == Anywhere && len(s.words) > 0 {
		return true
	}
	var last [runLength]uint64
	var sum uint64
	n := 0
	for _, r := range text {
		switch {
		case r == '%', r == '&', r == '\\', r == '+', r == 0x1b, r >= utf8.RuneSelf && !isVisible(r):
			return true
		case r <= ' ', r == 0x7f:
			continue
		}
		f := folded(r)
		if f == ' ' {
			continue
		}
		at := n % runLength
		sum = (sum-last[at]*s.first)*s.base + uint64(f)
		last[at] = uint64(f)
		if n++; n >= runLength && s.has(sum) {
			return true
		}
	}
	return false
}

// scan searches the characters that read returns of a text.
func (s *matcher) scan(text string, rule Rule, read func(string, func(character)), hit func(from, to int32)) {
	var l [2][]character // what the layers decode to, in turn
	var all []character
	begun := true // the piece is the first
	read(text, func(c character) {
		if all = append(all, c); len(all) == pieceSize {
			s.scanPiece(all, rule, begun, &l, hit)
			all, begun = append(all[:0], all[len(all)-pieceOverlap:]...), false
		}
	})
	s.scanPiece(all, rule, begun, &l, hit)
}

// scanPiece searches a piece of a text, and what its escapes decode to, layer by layer.
func (s *matcher) scanPiece(piece []character, rule Rule, begun bool, l *[2][]character, hit func(from, to int32)) {
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
		next, changed := unescaped(piece, l[layer%2][:0])
		if l[layer%2] = next; !changed {
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
