package upgrade

import (
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

// IsRelease tells whether u is a release rather than a patch: by its type, and
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
