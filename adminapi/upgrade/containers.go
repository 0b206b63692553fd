package upgrade

import "geodeck/adminapi"

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
// Texts are as the server wrote them.
func Changes(update, installed []adminapi.Container) []ContainerChange { panic("contract only") }
