// Package upgrade plans upgrades: it finds out which offered updates fit the site, which
// settings an upgrade needs, what is sent, and what speaks against sending it. It does no
// I/O and has no clock. Package upgrade/progress follows an upgrade that runs.
//
// Start at [Plan] (chain.go, planner.go), which makes a [Chain] of a manifest. [Form],
// [Check] and [Fill] deal with settings (settings.go, answers.go), [Parts] makes the
// request (request.go), [Preflight] checks the facts (preflight.go): of the update
// in checks.go, of the site in sitechecks.go. [Rollbacks] reads what a site lists to be rolled back
// (rollback.go). Nothing unknown counts as passed, applicable or done.
package upgrade

import (
	"cmp"
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/plain"
)

// State is whether an offered update can be applied to the site. The zero value
// is NotKnown.
type State int

// The states.
const (
	NotKnown      State = iota // it is not known well enough what the site runs
	Applicable                 // can be applied now
	RequiredFirst              // needs Entry.Requires to be installed before
	NotApplicable              // is for another version of the site
	InPlace                    // is installed, or included in what is installed
	Broken                     // has contradictory or missing data in the manifest
	Blocked                    // applicable, but only another can follow a run that failed: no plan has it
)

// String returns the state in words.
func (s State) String() string {
	return [...]string{"not known", "applicable", "required first", "not applicable", "installed", "broken", "blocked"}[s]
}

// MarshalText returns the words of [State.String].
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Entry is an offered update with its place in the chain.
type Entry struct {
	adminapi.Update
	Place
}

// Place is that of an update among the others.
type Place struct {
	State    State    `json:"state"`
	Reason   string   `json:"reason"`   // one sentence, clean; never empty
	Depth    int      `json:"depth"`    // updates between this one and what is installed; 0 builds on the installed one
	Base     string   `json:"base"`     // id of the entry that it builds on, "" where that is installed or not offered
	Brings   []string `json:"brings"`   // ids of the updates that it includes, oldest first
	Requires []string `json:"requires"` // ids of the updates to install before, in that order
	Skips    []string `json:"skips"`    // of a release: ids of optional patches that need not be installed before
}

// problem is something wrong with the manifest or with an answer: id is that of the entry or the
// setting, and may be empty; text is clean, without any secret.
func problem(id, text string) finding.Finding {
	return finding.Finding{ID: id, Strength: finding.Block, Text: text}
}

// Chain is an ordered manifest: oldest first, every entry after the one that it builds on.
type Chain struct {
	Entries  []Entry
	Problems []finding.Finding
}

// Plan orders the offered updates. It goes by builds, since the version stays the same
// along a chain of patches. Both lists of the manifest are read the same way, see
// [IsRelease]. No manifest makes it fail: what cannot be understood is Broken or NotKnown,
// and each broken entry has a Problem.
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

// maxLink is how many cells of an address are shown: several lines of a narrow pane.
const maxLink = 400

// Link returns the address of more about a patch, as text to read: that of a release is not valid.
func Link(u adminapi.Update) string {
	if IsRelease(u) {
		return ""
	}
	return plain.ClipMiddle(strings.TrimSpace(u.URL), maxLink, plain.Ellipsis)
}

// IsRelease reports whether u is a release rather than a patch: by its type or, where that
// is neither, by the links that only one of the two has.
func IsRelease(u adminapi.Update) bool {
	switch kind := strings.TrimSpace(u.Type); {
	case strings.EqualFold(kind, adminapi.TypeRelease):
		return true
	case strings.EqualFold(kind, adminapi.TypePatch):
		return false
	}
	return u.PreviousReleaseBuild != "" && u.PreviousBuild == "" && u.ReleaseBuild == ""
}

// CompareBuilds orders builds as whole numbers of any length. comparable is false, and order 0, where
// one of them is not a number and they are different texts, or both are empty.
func CompareBuilds(a, b string) (order int, comparable bool) {
	a, b = canonical(a), canonical(b)
	switch {
	case a == b:
		return 0, a != ""
	case !isNumber(a) || !isNumber(b):
		return 0, false
	}
	return compareNumbers(a, b), true
}

// newer reports whether a is certainly the later build.
func newer(a, b string) bool {
	order, _ := CompareBuilds(a, b)
	return order > 0
}

// canonical returns a build without blanks and, of a number, without leading zeros.
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

// compareNumbers compares digits without leading zeros: a server may write more digits
// than any integer type holds.
func compareNumbers(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// orderBuilds is a total order for display: numbers, then texts, then nothing.
func orderBuilds(a, b string) int {
	switch numberA, numberB := isNumber(a), isNumber(b); {
	case numberA && numberB:
		return compareNumbers(a, b)
	case numberA || b == "" && a != "":
		return -1
	case numberB || a == "" && b != "":
		return 1
	}
	return strings.Compare(a, b)
}

// versionKey is a version without its build, as the key of a map.
type versionKey struct {
	parts [versionParts]int
	text  string // of what cannot be parsed
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

// comparable reports whether the two can be ordered, or are the same.
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

// ContainerCount counts the containers of an update and of the updates that it includes, each by
// its name once.
type ContainerCount struct {
	Total     int // named
	All       int // that change
	Own       int // of those, the ones that the update itself names
	Missing   int // without a checksum
	Malformed int // with something that is none
	Unread    int // included updates that were not looked at
}

// maxCounted bounds how many other updates are looked at: a manifest may name thousands.
const maxCounted = 40

// Containers counts the containers of an entry. An image with a malformed checksum in any of the
// updates counts as such.
func (c Chain) Containers(e Entry, installed Installed) (n ContainerCount) {
	updates := []adminapi.Update{e.Update}
	for _, id := range e.Brings[max(0, len(e.Brings)-maxCounted):] {
		if included, ok := c.Find(id); ok {
			updates = append(updates, included.Update)
		}
	}
	n.Unread = len(e.Brings) + 1 - len(updates)
	changed, checksums := map[string]bool{}, map[string]ChecksumState{}
	for i, u := range updates {
		for _, container := range installed.Changes(u.Containers) {
			if container.Change != Same {
				changed[container.Name] = true
			}
			if was := checksums[container.Name]; was == "" || container.State == ChecksumMalformed {
				checksums[container.Name] = container.State
			}
		}
		if i == 0 {
			n.Own = len(changed)
		}
	}
	n.Total, n.All = len(checksums), len(changed)
	for _, state := range checksums {
		switch state {
		case ChecksumMissing:
			n.Missing++
		case ChecksumMalformed:
			n.Malformed++
		}
	}
	return n
}
