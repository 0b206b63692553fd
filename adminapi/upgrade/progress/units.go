package progress

import (
	"strings"
	"time"
	"unicode"
)

// lookAround finds out what stands next to the k-th numeral.
func lookAround(list []numeral, k int, runes []rune) {
	n := &list[k]
	n.unit, n.unitEnd = unitAt(runes, n.to)
	n.percent = n.unit == 0 && strings.HasPrefix(strings.TrimLeft(string(runes[n.to:min(len(runes), n.to+2)]), " "), "%")
	goesOn := k > 0 && list[k-1].unit > 0 && list[k-1].unitEnd == n.from // 1h2m
	n.named = n.joined == 0 && !goesOn && afterName(runes, n.from) || n.unit == 0 && beforeName(runes, n.to)
}

// afterName tells whether what begins at i goes on with a name: web2, web-2, but
// not v2 or PT2.
func afterName(runes []rune, i int) bool {
	if i == 0 {
		return false
	}
	if last := runes[i-1]; strings.ContainsRune("-._", last) {
		return last == '_' || i > 1 && inName(runes[i-2])
	}
	from := i
	for from > 0 && inName(runes[from-1]) {
		from--
	}
	switch strings.ToLower(string(runes[from:i])) {
	case "", "v", "p", "pt":
		return false
	}
	return true
}

// beforeName tells whether what ends at i goes on as a name: 2nd, 2-node.
func beforeName(runes []rune, i int) bool {
	if i < len(runes) && runes[i] == '-' {
		i++
	}
	return i < len(runes) && inName(runes[i])
}

// inName tells whether a sign belongs to a word or a name. Scripts that write no
// spaces put their words right beside numbers.
func inName(r rune) bool {
	if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
		return false
	}
	return r == '_' || isDigit(r) || unicode.IsLetter(r)
}

// unitAt reads the unit of a duration that stands at i, after a space at most, and
// returns where it ends.
func unitAt(runes []rune, i int) (time.Duration, int) {
	start := i
	if i < len(runes) && runes[i] == ' ' {
		start++
	}
	end := start
	for end < len(runes) && unicode.IsLetter(runes[end]) {
		end++
	}
	if end == start {
		return 0, i
	}
	word := strings.ToLower(string(runes[start:end]))
	if unit, known := units[word]; known {
		if end < len(runes) && strings.ContainsRune("'-_", runes[end]) { // 41 d'entre 47
			return 0, i
		}
		return unit, end
	}
	for _, u := range unbrokenUnits {
		if strings.HasPrefix(word, u.word) {
			return u.unit, start + len([]rune(u.word))
		}
	}
	return 0, i
}

const day = 24 * time.Hour

// units are the abbreviations that languages share, and the words of some.
var units = map[string]time.Duration{
	"ms": time.Millisecond, "msec": time.Millisecond, "мс": time.Millisecond,
	"s": time.Second, "sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second,
	"seconde": time.Second, "secondes": time.Second, "sek": time.Second, "sekunde": time.Second, "sekunden": time.Second,
	"seg": time.Second, "segundo": time.Second, "segundos": time.Second, "secondi": time.Second, "с": time.Second, "сек": time.Second,
	"ث": time.Second, "ثانية": time.Second,
	"m": time.Minute, "min": time.Minute, "mins": time.Minute, "minute": time.Minute, "minutes": time.Minute, "minuten": time.Minute,
	"minuto": time.Minute, "minutos": time.Minute, "minuti": time.Minute, "м": time.Minute, "мин": time.Minute,
	"د": time.Minute, "دقيقة": time.Minute,
	"h": time.Hour, "hr": time.Hour, "hrs": time.Hour, "hour": time.Hour, "hours": time.Hour, "std": time.Hour, "stunde": time.Hour,
	"stunden": time.Hour, "heure": time.Hour, "heures": time.Hour, "hora": time.Hour, "horas": time.Hour, "ora": time.Hour,
	"ore": time.Hour, "ч": time.Hour, "час": time.Hour, "س": time.Hour, "ساعة": time.Hour,
	"d": day, "day": day, "days": day, "tag": day, "tage": day, "jour": day, "jours": day, "día": day, "días": day,
}

// unbrokenUnits are of scripts without spaces: a word may follow at once.
var unbrokenUnits = []struct {
	word string
	unit time.Duration
}{
	{"ミリ秒", time.Millisecond}, {"毫秒", time.Millisecond}, {"秒", time.Second}, {"초", time.Second},
	{"分", time.Minute}, {"분", time.Minute},
	{"時間", time.Hour}, {"小时", time.Hour}, {"小時", time.Hour}, {"시간", time.Hour}, {"天", day},
}
