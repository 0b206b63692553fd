package upgrade

import (
	"hash/maphash"
	"strings"
)

// names are what a text may name, as hashes: its words, and those among them that
// look like names of something in a cluster, such as arcgis-web-7f or
// WEB_PROXY.
type names struct{ words, objects []uint64 }

// Limits of what is looked at: the name of a deployment stands in a short text.
const (
	maxNames    = 24
	maxNameText = 512
)

var nameSeed = maphash.MakeSeed()

// namesIn finds the words of a text that have a letter. Texts may be in any
// language: which word is a name is not known, only which look like one.
func namesIn(text string) names {
	var n names
	for word := range strings.FieldsFuncSeq(text[:min(len(text), maxNameText)], endsWord) {
		word = strings.Trim(word, "-_")
		if strings.IndexFunc(word, isASCIILetter) < 0 {
			continue
		}
		hash := maphash.String(nameSeed, word)
		n.words = append(n.words, hash)
		if strings.ContainsAny(word, "-_") {
			n.objects = append(n.objects, hash)
		}
		if len(n.words) == maxNames {
			break
		}
	}
	return n
}

func endsWord(r rune) bool {
	return !isASCIILetter(r) && (r < '0' || r > '9') && r != '-' && r != '_'
}

func isASCIILetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }

// shared counts the words that both have. Where both name objects and none of them
// in common they do not fit.
func (n names) shared(other names) (count int, fit bool) {
	if len(n.objects) > 0 && len(other.objects) > 0 && overlap(n.objects, other.objects) == 0 {
		return 0, false
	}
	return overlap(n.words, other.words), true
}

func overlap(a, b []uint64) (count int) {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				count++
				break
			}
		}
	}
	return count
}
