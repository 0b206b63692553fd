package progress

import (
	"slices"
	"strings"
	"time"
)

// CountIn reads how many of how many from the text of a 2173 or 2175: its first
// two whole numbers of which the first is not the greater, and which belong to no
// version and no duration; where two are written with a slash, those. Texts may be
// in any language, so no word is looked at.
func CountIn(text string) (done, total int, ok bool) {
	counts := slices.DeleteFunc(numeralsIn(text), func(n numeral) bool { return !n.isCount() })
	pair := slices.IndexFunc(counts[min(1, len(counts)):], func(n numeral) bool { return n.joined == '/' })
	for i := 1; i < len(counts); i++ {
		if pair >= 0 && counts[i].joined != '/' {
			continue
		}
		if a, b := counts[i-1].value, counts[i].value; a <= b && b > 0 {
			return int(a), int(b), true
		}
	}
	return 0, 0, false
}

// maxCount is more than any site has of anything.
const maxCount = 1_000_000

func (n numeral) isCount() bool {
	return n.form == whole && n.unit == 0 && !n.named && !n.percent && n.joined != '-' && n.value <= maxCount
}

// maxDuration is longer than any upgrade.
const maxDuration = 1000 * day

// DurationIn reads the first duration of a text, such as 1 h 2 min 3 s, 01:02:03
// or 3723 seconds, in the abbreviations that languages share. Where a text has
// units a clock time in it is taken for a time of day. A number such as 3,723 is
// no duration: it may be thousands as well as thousandths.
func DurationIn(text string) (time.Duration, bool) {
	list := numeralsIn(text)
	for i := range list {
		if list[i].unit > 0 && !list[i].named {
			return inUnits(list[i:])
		}
	}
	for i := range list {
		if d, ok := byClock(list, i); ok {
			return d, true
		}
	}
	return 0, false
}

// maxGap is the number of signs between the parts of a duration: 1 hour and 2
// minutes.
const maxGap = 8

// inUnits adds up the parts of a duration, the largest first.
func inUnits(list []numeral) (total time.Duration, ok bool) {
	for i, n := range list {
		if i > 0 && (n.unit == 0 || n.unit >= list[i-1].unit || n.from-list[i-1].unitEnd > maxGap) {
			break
		}
		if n.doubtful || n.form != whole && n.form != decimal || n.value > float64((maxDuration-total)/n.unit) {
			return 0, false
		}
		total += time.Duration(n.value * float64(n.unit))
	}
	return total, true
}

// byClock reads hours, minutes and seconds. After a date they are a time of day.
func byClock(list []numeral, i int) (time.Duration, bool) {
	n := list[i]
	if n.form != clock || n.named || i > 0 && list[i-1].form == date && n.from-list[i-1].to <= 2 {
		return 0, false
	}
	whole, _, _ := strings.Cut(strings.ReplaceAll(n.text, ",", "."), ".")
	parts := strings.Split(whole, ":")
	if len(parts) != 3 || len(parts[1]) != 2 || len(parts[2]) != 2 {
		return 0, false
	}
	h, m, s := number(parts[0]), number(parts[1]), number(parts[2])
	if h > maxDuration.Hours() || m >= 60 || s >= 60 {
		return 0, false
	}
	return time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(s)*time.Second, true
}
