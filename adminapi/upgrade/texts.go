package upgrade

import (
	"regexp"
	"strconv"
	"time"
)

var (
	countLike    = regexp.MustCompile(`(\d{1,6})\D{1,40}?(\d{1,6})`)
	durationLike = regexp.MustCompile(`(?:(\d{1,6})\s*h\D{0,8})?(?:(\d{1,6})\s*min\D{0,8})?(?:(\d{1,9})\s*s)`)
)

// CountIn reads how many of how many from the text of a 2173 or 2175: its first
// two whole numbers of which the first is not the greater, and which belong to no
// version and no duration. Texts may be in any language, so no word is looked at.
func CountIn(text string) (done, total int, ok bool) {
	found := countLike.FindStringSubmatch(versionLike.ReplaceAllString(text, ""))
	if found == nil {
		return 0, 0, false
	}
	done, _ = strconv.Atoi(found[1])
	total, _ = strconv.Atoi(found[2])
	return done, total, total > 0 && done <= total
}

// DurationIn reads the first duration of a text, such as 1 h 2 min 3 s, 01:02:03
// or 3723 seconds, in the abbreviations that languages share.
func DurationIn(text string) (time.Duration, bool) {
	found := durationLike.FindStringSubmatch(text)
	if found == nil {
		return 0, false
	}
	var seconds int
	for i, unit := range []int{3600, 60, 1} {
		n, _ := strconv.Atoi(found[i+1])
		seconds += n * unit
	}
	return time.Duration(seconds) * time.Second, true
}
