package cli

import (
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
)

const adviceUnknown = "Look before you send it again: geodeck health reports, geodeck job list"

// adviceStateDir is for what could not be recorded.
const adviceStateDir = "--state-dir names another folder."

// withAdvice ends a warning with what to do about its reason.
func withAdvice(warning string, err error) string {
	return strings.TrimSpace(warning + err.Error() + ". " + operation.Advice(err))
}

// advice says what to do about an error of a kind, empty where the error says
// it all. Where no platform is found, [operation.Advice] knows more.
func (p *program) advice(kind adminapi.Kind) string {
	switch kind {
	case adminapi.KindSignIn:
		return p.signInAdvice()
	case adminapi.KindPrivilege:
		return "Use the token of a user who has it, or ask an administrator of the site for it."
	case adminapi.KindReadOnly:
		if p.book != nil && p.book.refused.Load() {
			return adviceStateDir
		}
		if p.flags.readOnly {
			return "Leave out --read-only to allow writes."
		}
		return "Try again when the site has left read-only mode."
	case adminapi.KindBusy:
		return "Try again when it has ended; geodeck job list shows what runs."
	}
	return ""
}

func (p *program) signInAdvice() string {
	switch {
	case p.flags.tokenFile != "":
		return "Write a new token into the file given with --token-file."
	case p.Env(envToken) != "":
		return "Put a new token into " + envToken + "."
	}
	return "Put a token into " + envToken + ", or into a file for --token-file; the dashboard asks for user and password."
}
