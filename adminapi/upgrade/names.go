package upgrade

import (
	"hash/maphash"
	"slices"
)

// names are the words of a text, which may be names, as hashes in order. An odd one
// looks like the name of something in a cluster, such as arcgis-web-7f or WEB_PROXY.
type names []uint64

// Limits of what is looked at: the name of a deployment stands in a short text.
const (
	maxNames    = 16
	maxNameText = 512
)

var nameSeed = maphash.MakeSeed()

// namesIn finds the words of a text that have a letter. Texts may be in any
// language: which word is a name is not known, only which looks like one.
func namesIn(text string) names {
	found := make(names, 0, maxNames)
	text = text[:min(len(text), maxNameText)]
	for i := 0; i < len(text) && len(found) < maxNames; i++ {
		if !letterOrDigit(text[i]) {
			continue
		}
		end, letters, object := wordEnd(text, i)
		if letters {
			hash := maphash.String(nameSeed, text[i:end]) &^ 1
			if object {
				hash |= 1
			}
			found = append(found, hash)
		}
		i = end
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// wordEnd is where the word that begins at i ends. Hyphens and underscores within
// it make it look like the name of an object.
func wordEnd(text string, i int) (end int, letters, object bool) {
	joined := false
	for ; i < len(text); i++ {
		switch b := text[i]; {
		case letterOrDigit(b):
			letters = letters || b > '9'
			end, object = i+1, object || joined
		case b == '-' || b == '_':
			joined = true
		default:
			return end, letters, object
		}
	}
	return end, letters, object
}

func letterOrDigit(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

// shared counts the names that both have. Where both have some that look like
// objects, and none of these in common, they do not fit.
func (n names) shared(other names) (count int, fit bool) {
	objects := false
	for i, k := 0, 0; i < len(n) && k < len(other); {
		switch {
		case n[i] < other[k]:
			i++
		case n[i] > other[k]:
			k++
		default:
			count, objects = count+1, objects || isObject(n[i])
			i, k = i+1, k+1
		}
	}
	return count, objects || !slices.ContainsFunc(n, isObject) || !slices.ContainsFunc(other, isObject)
}

func isObject(name uint64) bool { return name&1 == 1 }
