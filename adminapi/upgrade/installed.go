package upgrade

import (
	"regexp"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// Installed is what a site runs now. Unknown fields are empty.
type Installed struct {
	Version      string // without build, such as 11.5.0
	Build        string // as written, such as 6835
	ReleaseBuild string // of the release that the build belongs to
	Containers   []adminapi.Container
	Complete     bool // Containers are those of the whole site rather than of its last patch
	Known        bool // whether at least the version or the build is known
}

// versionParts is how many parts a version has before its build.
const versionParts = 3

// InstalledFrom puts together what the admin root says (fullVersion, such as
// 11.5.0.6745; may be empty) and what currentVersion says (nil where it was not
// read). Where both do, currentVersion counts.
func InstalledFrom(fullVersion string, current *adminapi.Update) Installed {
	i := Installed{Version: strings.TrimSpace(fullVersion)}
	if parts := strings.Split(i.Version, "."); len(parts) > versionParts {
		i.Version, i.Build = strings.Join(parts[:versionParts], "."), parts[versionParts]
	}
	if current != nil {
		i.update(*current)
	}
	i.Known = i.Version != "" || i.Build != ""
	return i
}

func (i *Installed) update(u adminapi.Update) {
	if version := strings.TrimSpace(u.Version); version != "" {
		i.Version = version
	}
	if build := strings.TrimSpace(u.Build); build != "" {
		i.Build, i.ReleaseBuild = build, strings.TrimSpace(u.ReleaseBuild)
		if IsRelease(u) {
			i.ReleaseBuild = build
		}
	}
	i.Containers, i.Complete = u.Containers, IsRelease(u) && len(u.Containers) > 0
}

// Changes compares the containers of an update with the installed ones. A patch
// names only what it changes, so a container that a patched site is not known to
// have is NotCompared rather than Added.
func (i Installed) Changes(u adminapi.Update) []ContainerChange {
	changes := Changes(u.Containers, i.Containers)
	for at := range changes {
		if changes[at].Change == Added && !i.Complete {
			changes[at].Change = NotCompared
		}
	}
	return changes
}

// FullVersion returns version.build for people, the part that is known, or
// "a version that is not known".
func (i Installed) FullVersion() string {
	switch {
	case i.Version == "" && i.Build == "":
		return "a version that is not known"
	case i.Version == "":
		return "build " + short(i.Build)
	}
	return short(adminapi.Update{Version: i.Version, Build: i.Build}.FullVersion())
}

// maxShort is how many cells of a name or a build a sentence shows.
const maxShort = 60

// short makes a text of the server fit for the middle of a sentence. No character
// takes more cells than bytes, so most texts need no measuring.
func short(text string) string {
	if text = strings.TrimSpace(text); len(text) <= maxShort {
		return plain.Line(text)
	}
	return plain.Clip(text, maxShort)
}

// displayName returns what an update is called in a sentence: its full version, or its
// id where it has none.
func displayName(u adminapi.Update) string {
	switch {
	case strings.TrimSpace(u.Version) != "":
		return short(u.FullVersion())
	case strings.TrimSpace(u.ID) != "":
		return short(u.ID)
	}
	return "an update without an id"
}

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

// StateOfChecksum reports whether a checksum is one.
func StateOfChecksum(checksum string) ChecksumState {
	switch checksum = strings.TrimSpace(checksum); {
	case checksum == "", strings.EqualFold(checksum, "N/A"):
		return ChecksumMissing
	case sha256.MatchString(checksum):
		return ChecksumGood
	}
	return ChecksumMalformed
}
