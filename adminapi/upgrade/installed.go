package upgrade

import (
	"cmp"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/pattern"
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

// InstalledFrom joins fullVersion of the admin root, such as 11.5.0.6745 (may be empty),
// with currentVersion (nil where it could not be read), which takes precedence.
func InstalledFrom(fullVersion string, current *adminapi.Update) Installed {
	i := Installed{Version: strings.TrimSpace(fullVersion)}
	if parts := strings.Split(i.Version, "."); len(parts) > versionParts {
		i.Version, i.Build = strings.Join(parts[:versionParts], "."), parts[versionParts]
	}
	if current != nil {
		i.Version = cmp.Or(strings.TrimSpace(current.Version), i.Version)
		if build := strings.TrimSpace(current.Build); build != "" {
			i.Build, i.ReleaseBuild = build, strings.TrimSpace(current.ReleaseBuild)
			if IsRelease(*current) {
				i.ReleaseBuild = build
			}
		}
		i.Containers, i.Complete = current.Containers, IsRelease(*current) && len(current.Containers) > 0
	}
	i.Known = i.Version != "" || i.Build != ""
	return i
}

// FullVersion returns version.build, the part that is known, or "an unknown version".
// It is clean.
func (i Installed) FullVersion() string {
	switch {
	case i.Version == "" && i.Build == "":
		return "an unknown version"
	case i.Version == "":
		return "build " + short(i.Build)
	}
	return short(adminapi.Update{Version: i.Version, Build: i.Build}.FullVersion())
}

// maxShort is how many cells of a name or a build a sentence shows.
const maxShort = 60

// short returns a text of the server for the middle of a sentence. No character takes more
// cells than bytes, so most texts need no measuring.
func short(text string) string {
	if text = strings.TrimSpace(text); len(text) <= maxShort {
		return plain.Line(text)
	}
	return plain.Clip(text, maxShort)
}

// displayName returns the full version of an update for a sentence, or its id where it has
// no version.
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

// ChecksumState is what is known of a checksum without the image.
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
	Was      string        `json:"was"` // installed image, empty where there is none or it is not known
	Change   Change        `json:"change"`
	State    ChecksumState `json:"checksumState"`
}

// Changes compares containers of an update with the installed ones by their names, in their
// order. A patch names only what it changes, so a container that is not known at a patched site is
// NotCompared rather than Added. Texts are as the server wrote them.
func (i Installed) Changes(update []adminapi.Container) []ContainerChange {
	before := make(map[string]adminapi.Container, len(i.Containers))
	for _, c := range i.Containers {
		before[c.Name] = c
	}
	changes := make([]ContainerChange, len(update))
	for at, c := range update {
		was, found := before[c.Name]
		change := Same
		// The same tag may hold another image, which only two digests show.
		digests := stateOfChecksum(c.Checksum) == ChecksumGood && stateOfChecksum(was.Checksum) == ChecksumGood
		switch {
		case !found && !i.Complete:
			change = NotCompared
		case !found:
			change = Added
		case c.Image != was.Image, digests && !strings.EqualFold(strings.TrimSpace(c.Checksum), strings.TrimSpace(was.Checksum)):
			change = Changed
		}
		changes[at] = ContainerChange{
			Name: c.Name, Image: c.Image, Checksum: c.Checksum, Was: was.Image, Change: change, State: stateOfChecksum(c.Checksum),
		}
	}
	return changes
}

var sha256 = pattern.New(`^(?i:sha256:)[0-9a-fA-F]{64}$`)

func stateOfChecksum(checksum string) ChecksumState {
	switch checksum = strings.TrimSpace(checksum); {
	case checksum == "", strings.EqualFold(checksum, "N/A"):
		return ChecksumMissing
	case sha256().MatchString(checksum):
		return ChecksumGood
	}
	return ChecksumMalformed
}
