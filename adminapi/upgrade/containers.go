package upgrade

import (
	"regexp"
	"strings"

	"geodeck/adminapi"
)

// Change says what an update does to a container.
type Change string

// The changes.
const (
	Added       Change = "added"
	Changed     Change = "changed"
	Same        Change = "same"
	NotCompared Change = "not known" // the installed containers are not known
)

// ChecksumState is what can be said of a checksum without the image.
type ChecksumState string

// The states of a checksum.
const (
	ChecksumGood      ChecksumState = "good"      // sha256 and 64 hexadecimal digits
	ChecksumMissing   ChecksumState = "missing"   // empty or N/A
	ChecksumMalformed ChecksumState = "malformed" // anything else
)

// ContainerChange is one container of an update against the installed one.
type ContainerChange struct {
	Name     string        `json:"name"`
	Image    string        `json:"image"`
	Checksum string        `json:"checksum"`
	Was      string        `json:"was"` // image that is installed, empty where none is or it is not known
	Change   Change        `json:"change"`
	State    ChecksumState `json:"checksumState"`
}

// Changes compares the containers of an update with the installed ones, in the
// order of the update. With no installed containers every change is NotCompared.
// Texts are as the server wrote them. A patch names only the containers that it
// changes: one that is not installed by its name counts as added.
func Changes(update, installed []adminapi.Container) []ContainerChange {
	before := make(map[string]adminapi.Container, len(installed))
	for _, c := range installed {
		before[c.Name] = c
	}
	changes := make([]ContainerChange, len(update))
	for i, c := range update {
		was, there := before[c.Name]
		changes[i] = ContainerChange{
			Name: c.Name, Image: c.Image, Checksum: c.Checksum, Was: was.Image,
			Change: compare(c, was, there, len(installed) > 0), State: StateOfChecksum(c.Checksum),
		}
	}
	return changes
}

func compare(now, was adminapi.Container, there, known bool) Change {
	switch {
	case !known:
		return NotCompared
	case !there:
		return Added
	case now.Image != was.Image:
		return Changed
	}
	// The same tag may hold another image: only two digests can tell.
	if StateOfChecksum(now.Checksum) == ChecksumGood && StateOfChecksum(was.Checksum) == ChecksumGood &&
		!strings.EqualFold(strings.TrimSpace(now.Checksum), strings.TrimSpace(was.Checksum)) {
		return Changed
	}
	return Same
}

var sha256 = regexp.MustCompile(`^(?i:sha256:)[0-9a-fA-F]{64}$`)

// StateOfChecksum tells whether a checksum is one.
func StateOfChecksum(checksum string) ChecksumState {
	switch checksum = strings.TrimSpace(checksum); {
	case checksum == "", strings.EqualFold(checksum, "N/A"):
		return ChecksumMissing
	case sha256.MatchString(checksum):
		return ChecksumGood
	}
	return ChecksumMalformed
}
