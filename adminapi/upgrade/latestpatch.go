package upgrade

import (
	"fmt"

	"geodeck/adminapi"
)

// LatestPatchSetting is the id of the setting that asks whether the latest patch
// comes along with an upgrade.
const LatestPatchSetting = "updateToLatestPatch"

// LatestPatch tells whether an upgrade goes on to the latest patch: as it was
// answered, else as the site proposes it.
func LatestPatch(settings adminapi.UpgradeSettings, answers Answers) bool {
	for _, field := range Form(settings) {
		if field.ID != LatestPatchSetting {
			continue
		}
		if answer := answers[field.ID]; answer.Bool != nil {
			return *answer.Bool
		}
		return field.On()
	}
	return false
}

// LatestPatchSentence says what going on to the latest patch means for a release:
// the patches that its place in the chain leaves out come along after all. It is
// empty for a patch, which goes no further than itself.
func LatestPatchSentence(target adminapi.Update, chain Chain) string {
	if !IsRelease(target) {
		return ""
	}
	text := "It goes on to the latest patch of that release"
	if entry, ok := chain.Find(target.ID); ok && len(entry.Skips) > 0 {
		text += fmt.Sprintf("; with it comes what is left out before the release (%s)", counted(len(entry.Skips), "optional update"))
	}
	return text + "."
}
