package upgrade

import (
	"cmp"
	"slices"
	"strings"

	"geodeck/adminapi"
)

// CompareBuilds orders builds as whole numbers of any length; false where one of
// them is no number and they are not the same text.
func CompareBuilds(a, b string) (order int, comparable bool) {
	a, b = canonical(a), canonical(b)
	switch {
	case a == "" || b == "":
		return 0, false
	case a == b:
		return 0, true
	case !isNumber(a) || !isNumber(b):
		return 0, false
	}
	return compareNumbers(a, b), true
}

// newer tells whether a is certainly the later build.
func newer(a, b string) bool {
	order, ok := CompareBuilds(a, b)
	return ok && order > 0
}

// canonical returns the one form of a build that is compared: no blanks, and of
// numbers no zeros in front.
func canonical(build string) string {
	build = strings.TrimSpace(build)
	if isNumber(build) {
		if build = strings.TrimLeft(build, "0"); build == "" {
			return "0"
		}
	}
	return build
}

func isNumber(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

// compareNumbers compares digits without leading zeros: no integer type is wide
// enough for whatever a server may write.
func compareNumbers(a, b string) int {
	if len(a) != len(b) {
		return cmp.Compare(len(a), len(b))
	}
	return strings.Compare(a, b)
}

// orderBuilds is a total order for display: numbers, then texts, then nothing.
func orderBuilds(a, b string) int {
	if order := cmp.Compare(buildClass(a), buildClass(b)); order != 0 {
		return order
	}
	if isNumber(a) {
		return compareNumbers(a, b)
	}
	return strings.Compare(a, b)
}

func buildClass(b string) int {
	switch {
	case b == "":
		return 2
	case isNumber(b):
		return 0
	}
	return 1
}

// versionKey is a version without its build, ready to be compared and looked up.
type versionKey struct {
	parts [versionParts]int
	text  string // where it is no version
	known bool
}

func keyOf(version string) versionKey {
	version = strings.TrimSpace(version)
	if version == "" {
		return versionKey{}
	}
	parsed, ok := adminapi.ParseVersion(version)
	if !ok {
		return versionKey{text: version, known: true}
	}
	return versionKey{parts: [versionParts]int(parsed[:versionParts]), known: true}
}

// comparable tells whether it can be told which of the two is older, or that they
// are the same.
func (k versionKey) comparable(other versionKey) bool {
	return k.known && other.known && (k.text == "" && other.text == "" || k == other)
}

func (k versionKey) same(other versionKey) bool { return k.known && k == other }

func (k versionKey) olderThan(other versionKey) bool {
	return k.comparable(other) && k.order(other) < 0
}

// order is a total order for display.
func (k versionKey) order(other versionKey) int {
	return cmp.Or(slices.Compare(k.parts[:], other.parts[:]), strings.Compare(k.text, other.text))
}
