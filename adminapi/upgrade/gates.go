package upgrade

import (
	"fmt"

	"geodeck/adminapi/finding"
)

// Gates are what the pre-flight may find, in the order of its checks. docs/gates.md lists them.
var Gates = finding.Gates{
	gate("an upgrade runs", "", "Nothing can be sent before it has ended.", finding.Block),
	gate("last upgrade failed", CheckRunning, "What made it fail may be there still.", finding.Caution),
	gate("failed between releases", "", "Only the same release can be started, or what What now names.", finding.Block),
	gate("state of upgrades not known", CheckRunning, "An upgrade may be running, or may have failed between releases.", finding.Danger),
	gate("geodeck only reads", "", "Nothing is sent while it was started with --read-only.", finding.Block),
	gate("left read-only", CheckMode, "The failed upgrade has left read-only mode on. The site may refuse.", finding.Danger),
	gate("read-only mode", CheckMode, "Somebody has switched it on. The site may refuse.", finding.Caution),
	gate("mode not known", CheckMode, "A failed upgrade may have left read-only mode on.", finding.Danger),
	gate("site is locked", "", "Its name is typed before the first change.", finding.Note),
	gate("update does not fit", "", "The site does not offer it, or it does not fit what is installed.", finding.Block),
	installs("offer not known", CheckOrder, "The update may not fit what is installed.", finding.Danger),
	finding.NewGate([]finding.Change{finding.Rollback}, "rollback not known", CheckOrder, "The site may roll back to another version.", finding.Danger),
	finding.NewGate([]finding.Change{finding.Rollback}, "several patches go", CheckOrder, "Later patches are removed, too.", finding.Caution),
	installs("required update first", "", "The site refuses it before that one is installed.", finding.Block),
	installs("required updates not known", CheckRequired, "The site may refuse it before others are installed.", finding.Danger),
	installs("licence missing or unusable", "", "A licence is needed, and no file is one.", finding.Block),
	installs("licence does not fit", CheckLicence, "The file says another version, or has expired. The site may refuse it.", finding.Danger),
	installs("licence not asked for", CheckLicence, "A licence is needed, but no setting takes it.", finding.Caution),
	installs("licence in the request", CheckLicence, "Sites from 11.0 on ask for an upload, and may not read it there.", finding.Caution),
	installs("licence not known", CheckLicence, "A licence may be missing.", finding.Danger),
	installs("settings incomplete", "", "What is missing is filled in first.", finding.Block),
	installs("settings not known", CheckSettings, "The site may need settings that are not sent.", finding.Danger),
	gate("failed health", AcceptFailedHealth, "What fails now can make it fail midway.", finding.Danger),
	gate("health not known", CheckHealth, "The site may be unhealthy: its report could not be read.", finding.Danger),
	gate("no fresh good report", CheckHealth, "Health is not known, or was good a while ago.", finding.Caution),
	{ID: "no backup of this release", Accept: CheckBackup, Means: "If it fails, there is nothing to restore the site from.",
		Weighs: map[finding.Change][]finding.Strength{finding.Release: {finding.Danger}, finding.Patch: {finding.Caution}, finding.Rollback: {finding.Caution}}},
	gate("old backup", CheckBackup, "What changed since the backup is lost where it is restored.", finding.Caution),
	gate("upgrade pods", CheckPlacement, "They may wait for a node until the upgrade times out.", finding.Caution),
	installs("image checksums", CheckImages, "Images may be others than those that were released.", finding.Caution, finding.Note),
	gate("privileges", CheckPrivileges, "The site may refuse it.", finding.Caution),
	gate("clocks", CheckClock, "Times of the site differ from those of this machine.", finding.Caution),
}

func gate(id, accept, means string, weighs ...finding.Strength) finding.Gate {
	return finding.NewGate([]finding.Change{finding.Release, finding.Patch, finding.Rollback}, id, accept, means, weighs...)
}

// installs is a gate of upgrades that rollbacks do not have.
func installs(id, accept, means string, weighs ...finding.Strength) finding.Gate {
	return finding.NewGate([]finding.Change{finding.Release, finding.Patch}, id, accept, means, weighs...)
}

// change is the kind of change that the facts are about.
func (f Facts) change() finding.Change {
	switch {
	case f.Rollback != nil:
		return finding.Rollback
	case IsRelease(f.Target):
		return finding.Release
	}
	return finding.Patch
}

// finds makes a finding of a gate; do says what to do.
func (f Facts) finds(gate, do, format string, args ...any) finding.Finding {
	found := Gates.Finding(f.change(), gate, finding.Place{}, fmt.Sprintf(format, args...))
	found.Do = do
	return found
}

// notes makes a note of a gate.
func (f Facts) notes(gate, format string, args ...any) finding.Finding {
	found := f.finds(gate, "", format, args...)
	found.Strength, found.Accept = finding.Note, ""
	return found
}

// unread is for what could not be read, and weighs like the worst that it may be; err may be nil.
func (f Facts) unread(gate, what string, err error, do string) finding.Finding {
	text := what
	if err != nil {
		text += ": " + sentence(err)
	}
	found := f.finds(gate, do, "%s.", text)
	found.Unread, found.Same = true, what
	return found
}
