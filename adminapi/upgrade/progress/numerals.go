package progress

import (
	"strconv"
	"strings"
	"time"
	"unicode"
)

// numeral is a number in a text, of whatever sort. Texts may be in any language, so
// its sort follows from how it is written and what stands next to it.
type numeral struct {
	from, to int // in the runes of the text
	text     string
	form     form
	value    float64
	doubtful bool // thousands or thousandths: 1.234 is either
	named    bool // part of a name, such as arcgis-web-0
	percent  bool
	joined   rune          // slash or hyphen between it and the one before
	unit     time.Duration // a duration is given in; 0 for none
	unitEnd  int           // in the runes of the text; to where there is no unit
}

// form is how a numeral is written.
type form int

const (
	whole   form = iota
	decimal      // 1.5 or 1,5
	dotted       // 11.5.0
	clock        // 14:03:05
	date
	other
)

// maxNumberText bounds what is looked at: what counts stands in a short text.
const maxNumberText = 4096

// numeralsIn finds the numbers of a text.
func numeralsIn(text string) (list []numeral) {
	runes := plainDigits(text[:min(len(text), maxNumberText)])
	for i := 0; i < len(runes); {
		if !isDigit(runes[i]) {
			i++
			continue
		}
		first := len(list)
		list, i = appendChain(list, runes, i)
		for k := first; k < len(list); k++ {
			lookAround(list, k, runes)
		}
	}
	return list
}

// appendChain reads numbers that slashes or hyphens join, such as 41/47 or
// 2026-11-20, and returns where they end.
func appendChain(list []numeral, runes []rune, i int) ([]numeral, int) {
	first := len(list)
	joined := rune(0)
	for {
		end := numberEnd(runes, i)
		n := numeral{from: i, to: end, text: string(runes[i:end]), joined: joined, unitEnd: end}
		n.form, n.value, n.doubtful = read(n.text)
		list = append(list, n)
		if end+1 >= len(runes) || runes[end] != '/' && runes[end] != '-' || !isDigit(runes[end+1]) {
			if chain := list[first:]; len(chain) >= 3 {
				for k := range chain {
					chain[k].form = date
				}
			}
			return list, end
		}
		joined, i = runes[end], end+1
	}
}

// numberEnd is where the number that begins at i ends, with its groups of
// thousands, fractions, parts of a version or of a time.
func numberEnd(runes []rune, i int) int {
	end := digitsEnd(runes, i)
	if grouped := groupsEnd(runes, i, end); grouped > end {
		return grouped
	}
	for end+1 < len(runes) && strings.ContainsRune(".,:", runes[end]) && isDigit(runes[end+1]) {
		end = digitsEnd(runes, end+1)
	}
	return end
}

func digitsEnd(runes []rune, i int) int {
	for i < len(runes) && isDigit(runes[i]) {
		i++
	}
	return i
}

// groupsEnd is where the groups of thousands end that spaces or apostrophes part.
func groupsEnd(runes []rune, from, end int) int {
	if end-from > 3 || runes[from] == '0' {
		return end
	}
	for end < len(runes) && strings.ContainsRune(" '", runes[end]) && digitsEnd(runes, end+1) == end+4 {
		end += 4
	}
	return end
}

// read tells what a number without its surroundings is.
func read(text string) (f form, value float64, doubtful bool) {
	parts := strings.FieldsFunc(text, func(r rune) bool { return !isDigit(r) })
	separators := strings.Map(func(r rune) rune {
		if isDigit(r) {
			return -1
		}
		return r
	}, text)
	switch {
	case separators == "" || thousands(parts, separators):
		return whole, number(strings.Join(parts, "")), len(separators) == 1 && strings.Contains(".,", separators)
	case strings.Contains(separators, ":"):
		return clock, 0, false
	case separators == "..":
		if isDate(parts) {
			return date, 0, false
		}
		return dotted, 0, false
	case separators == "." || separators == ",":
		return decimal, number(parts[0] + "." + parts[1]), false
	case strings.Trim(separators, ".") == "":
		return dotted, 0, false
	}
	return other, 0, false
}

// thousands tells whether the parts are groups of three digits, all separated in
// the same way.
func thousands(parts []string, separators string) bool {
	if strings.Trim(separators, separators[:1]) != "" || len(parts[0]) > 3 || parts[0][0] == '0' || separators[0] == ':' {
		return false
	}
	for _, group := range parts[1:] {
		if len(group) != 3 {
			return false
		}
	}
	return true
}

// isDate tells whether parts are day, month and year.
func isDate(parts []string) bool {
	day, month := number(parts[0]), number(parts[1])
	return len(parts[2]) == 4 && day >= 1 && day <= 31 && month >= 1 && month <= 12 && (parts[2][:2] == "19" || parts[2][:2] == "20")
}

// number is the value of digits; what is too long to be meant is beyond all limits.
func number(digits string) float64 {
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 1e300
	}
	return v
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// plainDigits returns the runes of a text with the digits and separators of all
// scripts as those of ASCII.
func plainDigits(text string) []rune {
	runes := []rune(text)
	for i, r := range runes {
		if r < 0x80 {
			continue
		}
		if plain, ok := plainSign[r]; ok {
			runes[i] = plain
		} else if unicode.Is(unicode.Nd, r) {
			runes[i] = '0' + digitValue(r)
		}
	}
	return runes
}

var plainSign = map[rune]rune{
	'．': '.', '，': ',', '：': ':', '／': '/', '％': '%', '－': '-', '٫': '.', '٬': ',', '٪': '%', '⁄': '/', '‐': '-', '‑': '-',
	'’': '\'', '\u00a0': ' ', '\u202f': ' ', '\u2009': ' ', '\u3000': ' ',
}

// digitValue is the value of a decimal digit: those of a script stand in order,
// from zero on.
func digitValue(r rune) rune {
	for _, ranges := range unicode.Nd.R16 {
		if lo := rune(ranges.Lo); r >= lo && r <= rune(ranges.Hi) {
			return (r - lo) % 10
		}
	}
	for _, ranges := range unicode.Nd.R32 {
		if lo := rune(ranges.Lo); r >= lo && r <= rune(ranges.Hi) {
			return (r - lo) % 10
		}
	}
	return 0
}
