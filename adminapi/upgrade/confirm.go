package upgrade

import "geodeck/adminapi"

// ConfirmWords returns what may be typed to start an upgrade, the fullest first:
// version.build always; the plain version only where it differs from the
// installed one and no other offered update has it; the id where there is no version.
func ConfirmWords(target adminapi.Update, installed Installed, all adminapi.Manifest) []string {
	panic("contract only")
}

// Confirms tells whether typed is one of [ConfirmWords], blanks around it aside.
func Confirms(typed string, target adminapi.Update, installed Installed, all adminapi.Manifest) bool {
	panic("contract only")
}
