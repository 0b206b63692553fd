package progress

import (
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi/pattern"
)

// Texts of messages may be in any language, so no word of them counts. Numbers are read
// as most languages write them: in ASCII digits, with h, min and s for durations.

// maxNumberText bounds what is read of a text.
const maxNumberText = 4096

var (
	// versionLike matches versions with and without a build: 12.0, 11.5.0.6835; not 14.03,
	// a time or a date in some languages.
	versionLike = pattern.New(`^v?(\d{1,4}(?:\.(?:0|[1-9]\d{0,5})|(?:\.\d{1,6}){2,4}))$`)
	dateLike    = pattern.New(`^\d{1,2}\.\d{1,2}\.(?:19|20)\d\d$`)
	countLike   = pattern.New(`^(?:\d{1,7}|\d{1,3}(?:,\d{3})+)$`)
	amount      = pattern.New(`(\d+(?:[.,]\d{1,2})?) ?(\pL+)`)
	clockTime   = pattern.New(`(?:^|[\s(])(\d{1,5}):([0-5]\d):([0-5]\d)(?:[.,]\d+)?(?:$|[\s).,;!])`)
	thousands   = pattern.New(`\b\d{1,3}(?:[ '’\x{a0}\x{202f}]\d{3})+\b`)
	dateBefore  = pattern.New(`\d[-./]\d{1,2}[-./]\d{1,4},? $`)
)

// numberText returns what is read of a text, without the blanks between thousands.
func numberText(text string) string {
	return thousands().ReplaceAllStringFunc(text[:min(len(text), maxNumberText)], func(number string) string {
		return strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, number)
	})
}

// VersionsIn returns the first two versions in a text; both are empty where there are not
// two.
func VersionsIn(text string) (from, to string) {
	if all := versionsOf(text); len(all) >= 2 {
		return all[0], all[1]
	}
	return "", ""
}

// versionsOf returns every version in a text.
func versionsOf(text string) (all []string) {
	words := wordsOf(text, func(r rune) bool { return r < 0x80 && isLetterOrDigit(byte(r)) || r == '.' || r == '%' })
	for i, word := range words {
		version := versionLike().FindStringSubmatch(word)
		if version != nil && !dateLike().MatchString(word) && !isUnit(words, i+1) {
			all = append(all, version[1])
		}
	}
	return all
}

// maxCount is more than any site has of anything.
const maxCount = 1_000_000

// CountIn reads "done of total" from the text of a 2173 or 2175: two numbers with a slash
// between them, else the first two of which the first is not greater. Numbers in names,
// versions, dates, times and durations do not count.
func CountIn(text string) (done, total int, ok bool) {
	words := wordsOf(strings.ReplaceAll(numberText(text), " / ", "/"), func(r rune) bool { return r > ' ' && !strings.ContainsRune("()[];\"", r) })
	last := -1
	for i, word := range words {
		if a, b, isPair := strings.Cut(word, "/"); isPair && countOf(a) >= 0 && countOf(b) >= max(1, countOf(a)) {
			return countOf(a), countOf(b), true
		}
		count := countOf(word)
		if count < 0 || isUnit(words, i+1) {
			continue
		}
		if !ok && last >= 0 && last <= count && count > 0 {
			done, total, ok = last, count, true
		}
		last = count
	}
	return done, total, ok
}

// countOf returns the number that a word is, or -1.
func countOf(word string) int {
	if word == "" || word[0] < '0' || word[0] > '9' || !countLike().MatchString(word) {
		return -1
	}
	if n, err := strconv.Atoi(strings.ReplaceAll(word, ",", "")); err == nil && n <= maxCount {
		return n
	}
	return -1
}

// wordsOf splits a text into words, without the marks that end a sentence.
func wordsOf(text string, inWord func(rune) bool) []string {
	words := strings.FieldsFunc(text[:min(len(text), maxNumberText)], func(r rune) bool { return !inWord(r) })
	for i := range words {
		words[i] = strings.TrimRight(words[i], ".,:!?")
	}
	return words
}

const day = 24 * time.Hour

// units are those that most languages share, and the English words.
var units = map[string]time.Duration{
	"s": time.Second, "sec": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "min": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hour": time.Hour, "hours": time.Hour, "d": day, "day": day, "days": day,
}

func isUnit(words []string, i int) bool {
	return i < len(words) && (units[words[i]] > 0 || strings.HasPrefix(words[i], "%"))
}

const (
	maxDuration = 1000 * day // longer than any upgrade
	maxGap      = 8          // bytes between the parts of a duration: 1 hour and 2 minutes
)

// DurationIn reads the first duration of a text, such as 1 h 2 min 3 s or 01:02:03. In a
// text with units, and behind a date, a clock time is a time of day. A number such as
// 3,723 is not read: it may mean thousands or thousandths.
func DurationIn(text string) (total time.Duration, ok bool) {
	text = numberText(text)
	end, last := 0, time.Duration(0)
	for _, at := range amount().FindAllStringSubmatchIndex(text, -1) {
		unit, known := units[text[at[4]:at[5]]]
		known = known && !strings.HasPrefix(text[at[1]:], "'") // 41 d'entre 47
		switch goesOn := ok && at[0]-end <= maxGap; {
		case ok && (!goesOn || !known || unit >= last):
			return total, true
		case !known || !ok && !standsAlone(text[:at[0]]):
			continue
		}
		n, err := strconv.ParseFloat(strings.ReplaceAll(text[at[2]:at[3]], ",", "."), 64)
		if err != nil || n > float64((maxDuration-total)/unit) {
			return 0, false
		}
		total += time.Duration(n * float64(unit))
		ok, end, last = true, at[1], unit
	}
	if ok {
		return total, true
	}
	for _, at := range clockTime().FindAllStringSubmatchIndex(text, -1) {
		if dateBefore().MatchString(text[:at[2]]) {
			continue
		}
		part := func(i int) time.Duration {
			n, _ := strconv.Atoi(text[at[i]:at[i+1]])
			return time.Duration(n)
		}
		if total = part(2)*time.Hour + part(4)*time.Minute + part(6)*time.Second; total <= maxDuration {
			return total, true
		}
		break
	}
	return 0, false
}

var (
	partBefore = pattern.New(`\d ?(\pL+)\.?,? $`)
	glued      = pattern.New(`(?:[\pL\pN_.,:/-]|\d )$`)
)

// standsAlone reports whether a number behind a text is not part of a name, of another
// number, or of a duration whose first unit is not known.
func standsAlone(before string) bool {
	if glued().MatchString(before) {
		return false
	}
	part := partBefore().FindStringSubmatch(before)
	return part == nil || part[1] == "in" || part[1] == "after"
}
