package upgrade

import (
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// ConfirmWords returns what may be typed to start an upgrade, the fullest first:
// version.build always; the plain version only where it differs from the
// installed one and no other offered update has it; the id where there is no version.
func ConfirmWords(target adminapi.Update, installed Installed, all adminapi.Manifest) []string {
	word := confirmWord(target)
	if word == "" {
		return nil
	}
	words := []string{word}
	version := typed(target.Version)
	if version != "" && version != word && installed.Version != "" &&
		!keyOf(version).same(keyOf(installed.Version)) && onlyOne(version, target, all) {
		words = append(words, version)
	}
	return words
}

// Confirms tells whether typed is one of [ConfirmWords], blanks around it aside.
func Confirms(typed string, target adminapi.Update, installed Installed, all adminapi.Manifest) bool {
	return slices.Contains(ConfirmWords(target, installed, all), strings.TrimSpace(typed))
}

func confirmWord(u adminapi.Update) string {
	if version := typed(u.Version); version != "" {
		if build := typed(u.Build); build != "" {
			return version + "." + build
		}
		return version
	}
	return typed(u.ID)
}

// typed is a text of the server as somebody reads it and types it again.
func typed(text string) string { return strings.TrimSpace(plain.Line(text)) }

// onlyOne tells whether no other offered update leads to the version.
func onlyOne(version string, target adminapi.Update, all adminapi.Manifest) bool {
	key, found := keyOf(version), 0
	for _, list := range [][]adminapi.Update{all.Releases, all.Patches} {
		for _, u := range list {
			if !keyOf(u.Version).same(key) {
				continue
			}
			if found++; u.ID != target.ID {
				return false
			}
		}
	}
	return found <= 1
}
