package upgrade

import "geodeck/adminapi"

// Installed is what a site runs now. Fields that nobody told are empty.
type Installed struct {
	Version      string // without build, such as 11.5.0
	Build        string // as written, such as 6835
	ReleaseBuild string // of the release that the build belongs to
	Containers   []adminapi.Container
	Known        bool // whether at least the version or the build is known
}

// InstalledFrom puts together what the admin root says (fullVersion, such as
// 11.5.0.6745; may be empty) and what currentVersion says (nil where it was not
// read). Where both speak, currentVersion is believed.
func InstalledFrom(fullVersion string, current *adminapi.Update) Installed { panic("contract only") }

// FullVersion returns version.build for people, the part that is known, or
// "a version that is not known".
func (i Installed) FullVersion() string { panic("contract only") }
