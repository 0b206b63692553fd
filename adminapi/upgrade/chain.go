// Package upgrade plans upgrades: which offered updates build on which and which
// of them fit this site, what a site wants to know before it is upgraded, what
// exactly is sent, and what speaks against sending it. It is pure: no I/O, no
// clock. Package upgrade/progress follows an upgrade that runs.
//
// Start at [Plan]: it makes a [Chain] of a manifest. [Form], [Check] and [Fill]
// deal with settings, [Parts] makes the request, [Preflight] weighs the facts.
// Nothing unknown counts as passed, applicable or done.
package upgrade

import (
	"cmp"
	"slices"
	"strings"

	"geodeck/adminapi"
)

// State is whether an offered update can be applied to the site. The zero value
// is NotKnown.
type State int

// The states.
const (
	NotKnown      State = iota // what the site runs is not known well enough
	Applicable                 // can be applied now
	RequiredFirst              // Entry.Requires has to be installed before
	NotApplicable              // is for another version of the site
	InPlace                    // is installed, or included in what is
	Broken                     // the manifest contradicts itself here
)

var stateNames = [...]string{"not known", "applicable", "required first", "not applicable", "installed", "broken"}

// String returns the state in words.
func (s State) String() string {
	if s < 0 || int(s) >= len(stateNames) {
		return stateNames[NotKnown]
	}
	return stateNames[s]
}

// MarshalText writes the word of [State.String].
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Entry is one offered update in its place.
type Entry struct {
	adminapi.Update
	Depth    int      // updates between this one and what is installed; 0 builds on the installed one
	Base     string   // id of the entry that it builds on, "" where that is installed or not offered
	Brings   []string // ids that come along, oldest first: updates are cumulative
	Requires []string // ids to be installed before, in that order
	Skips    []string // releases: ids of optional patches that need not be installed before
	State    State
	Reason   string // one sentence, clean; never empty
}

// Problem is something wrong with the manifest or with an answer.
type Problem struct {
	ID   string `json:"id"`   // of the entry or the setting; may be empty
	Text string `json:"text"` // one sentence, clean, without any secret
}

// Chain is a manifest in order: oldest first, every entry after the one that it
// builds on.
type Chain struct {
	Entries  []Entry
	Problems []Problem
}

// Plan puts every offered update in its place. It goes by builds, since the
// version stays the same along a chain of patches. Both lists of the manifest are
// read the same way, see [IsRelease]. No manifest makes it fail: what cannot be
// understood is Broken or NotKnown; the broken ones have a Problem each.
func Plan(m adminapi.Manifest, i Installed) Chain {
	p := newPlanner(m, i)
	for _, n := range p.nodes {
		p.resolve(n)
	}
	return p.chain()
}

// Find returns the first entry with an id.
func (c Chain) Find(id string) (Entry, bool) {
	at := slices.IndexFunc(c.Entries, func(e Entry) bool { return e.ID == id })
	if at < 0 {
		return Entry{}, false
	}
	return c.Entries[at], true
}

// IsRelease reports whether u is a release rather than a patch: by its type, and
// where that is not one of the two by the links that only one of them has.
func IsRelease(u adminapi.Update) bool {
	switch kind := strings.TrimSpace(u.Type); {
	case strings.EqualFold(kind, adminapi.TypeRelease):
		return true
	case strings.EqualFold(kind, adminapi.TypePatch):
		return false
	}
	return u.PreviousReleaseBuild != "" && u.PreviousBuild == "" && u.ReleaseBuild == ""
}

// ReadManifestFile reads a version manifest as a file holds it: an object of
// mixed versions told apart by their type, or the two lists as a site answers.
// The error is of [adminapi.KindNotJSON] where data is none.
func ReadManifestFile(data []byte) (adminapi.Manifest, error) { return adminapi.DecodeManifest(data) }

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

// newer reports whether a is certainly the later build.
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

// comparable reports whether it can be told which of the two is older, or that they
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
