package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"
)

// Signing is a command that signs in at a site, out, or uses what is kept.
type Signing struct {
	Do, Address    string // login, logout, token or another one; where the site is, HOST:PORT
	User           string
	Password       string            // that was typed; empty for a token in its place
	Right          bool              // what was typed, or is kept, is so
	Kind           string            // where the token of the site comes from
	Keyring        string            // what is wrong with it; empty for nothing
	Before, After  map[string]string // what it holds, by the names of its entries
	Issued         []string          // the answers of sites to this program that have a token
	Asked          int               // passwords that it has sent
	Given          string            // a token that was typed
	File, FileWas  string            // of a token, after and before
	Mode           uint32
	Out, Err       string
	Code           int
	Form           string
	Calm, Hurt     bool // nothing was in the way of its requests; it was killed, or its disk has failed
	Killed, Exists bool // the file is there, and may not be replaced
}

// Signs judges such a command.
func (d *Day) Signs(s Signing) { judge(d, atSignIn, s) }

var atSignIn = []rule[Signing]{
	{"the keyring has what was typed, and nothing else of it changes", keyringHas},
	{"a token is printed or kept as the site gave it", tokenGiven},
	{"how a sign-in ends is told as it is", signInTold},
}

// Presented is what a request has shown a site.
type Presented struct {
	Site  string
	Token string
	Issue map[string]string // the sites that tokens are of
	Pass  string
	Takes map[string]bool // the passwords that somebody has typed for the site
}

// Presents judges a request at a site.
func (d *Day) Presents(p Presented) { judge(d, atPresenting, p) }

var atPresenting = []rule[Presented]{{"a sign-in reaches only its own site", func(p Presented) (judged int, wrong []string) {
	if of, known := p.Issue[p.Token]; p.Token != "" && (!known || of != p.Site) {
		wrong = append(wrong, fmt.Sprintf("%s gets a token of %q", p.Site, of))
	}
	if p.Pass != "" && !p.Takes[p.Pass] {
		wrong = append(wrong, p.Site+" gets a password that nobody has typed for it")
	}
	return 1, wrong
}}}

// entryOf is what a keyring holds of a site.
type entryOf struct {
	User, Password, Token string
	Expires               int64
}

// entry is the one of an address, and the rest of what the keyring holds.
func entry(all map[string]string, address string) (text string, one entryOf, rest map[string]string) {
	rest = maps.Clone(all)
	for name, held := range all {
		if strings.Contains(name, address) {
			text = held
			_ = json.Unmarshal([]byte(held), &one)
			delete(rest, name)
		}
	}
	return text, one, rest
}

func (s Signing) says(format string, args ...any) string {
	return fmt.Sprintf("geodeck %s at %s (exit %d): ", s.Do, s.Address, s.Code) + fmt.Sprintf(format, args...)
}

// keyringHas wants an entry to be there after a login, as typed, and gone after a logout, and all of other sites as it was.
func keyringHas(s Signing) (judged int, wrong []string) {
	before, was, others := entry(s.Before, s.Address)
	after, is, rest := entry(s.After, s.Address)
	if !maps.Equal(others, rest) {
		wrong = append(wrong, s.says("the sign-in of another site has changed"))
	}
	_, expires := s.issued(is.Token)
	switch {
	case s.Killed:
	case s.Do == "login" && s.Code == 0:
		if s.Password != "" && (is.User != s.User || is.Password != s.Password || expires == 0 || is.Expires != expires) ||
			s.Password == "" && (is.Password != "" || is.Token != s.Given) {
			wrong = append(wrong, s.says("the keyring holds another sign-in than what was typed, or another token than the site gave"))
		}
	case s.Do == "logout" && s.Code == 0:
		if after != "" {
			wrong = append(wrong, s.says("the keyring still holds the sign-in"))
		}
	case s.Do == "login", s.Do == "logout", s.Do == "token":
		// A token in the place of which one was kept may have been renewed before it was refused.
		if before != after && !(s.Given != "" && was.Password == is.Password && after != "") {
			wrong = append(wrong, s.says("it did not succeed, or keeps nothing, and the keyring has changed"))
		}
	default:
		if (before == "") != (after == "") || was.User != is.User || was.Password != is.Password || was.Token != is.Token && expires != is.Expires {
			wrong = append(wrong, s.says("a command that only uses the sign-in has changed more than its token"))
		}
	}
	return 1, wrong
}

// issued reports whether a token was given to this program, and until when.
func (s Signing) issued(token string) (is bool, expires int64) {
	for _, answer := range s.Issued {
		var given struct {
			Token   string
			Expires int64
		}
		if json.Unmarshal([]byte(answer), &given) == nil && given.Token == token && token != "" {
			return true, given.Expires
		}
	}
	return false, 0
}

// tokenGiven wants a token that is printed, or in a file, to be of the site, and private; after a failure all is as it was.
func tokenGiven(s Signing) (judged int, wrong []string) {
	if s.Do != "token" {
		return 0, nil
	}
	if s.Code != 0 {
		if s.File != s.FileWas || strings.Contains(s.Form, "json") && strings.Contains(s.Out, `"token"`) {
			wrong = append(wrong, s.says("it fails, and has written a token"))
		}
		if s.Exists && s.Asked > 0 {
			wrong = append(wrong, s.says("the file may not be replaced, and the site is asked"))
		}
		return 1, wrong
	}
	token := strings.TrimSuffix(s.Out, "\n")
	var printed struct{ Token, File, User string }
	if s.Form == "json" && json.Unmarshal([]byte(s.Out), &printed) == nil {
		token = printed.Token
		if printed.User != s.User {
			wrong = append(wrong, s.says("it is of %q, and %s has signed in", printed.User, s.User))
		}
	}
	if s.Mode > 0 {
		token = strings.TrimSuffix(s.File, "\n")
	}
	if is, _ := s.issued(token); !is || s.Mode != 0 && (s.Mode != 0o600 || s.File != token+"\n" || s.File == s.FileWas) {
		wrong = append(wrong, s.says("the token is not the one that the site gave, or others can read it (%o)", s.Mode))
	}
	return 1, wrong
}

// endsAt is until when a token is said to last.
var endsAt = regexp.MustCompile(`The token ends at (\S+ \S+ [+-]\d{4})`)

// signInTold compares the exit code and the words with what was typed, and what is kept.
func signInTold(s Signing) (judged int, wrong []string) {
	before, _, _ := entry(s.Before, s.Address)
	keeps := s.Do == "login" || s.Do == "logout"
	uses := !keeps && s.Do != "token"
	none := s.Keyring != "" && (keeps || uses && s.Kind == "keyring")
	switch fine := s.Calm && !s.Hurt && !none; {
	case keeps && s.Kind != "keyring":
		if s.Code != 2 || s.Asked > 0 {
			wrong = append(wrong, s.says("the site keeps no sign-in in a keyring, and %d passwords were sent: %.200s", s.Asked, s.Err))
		}
	case keeps && s.Keyring == "absent" && (s.Code == 0 || s.Asked > 0):
		wrong = append(wrong, s.says("there is no keyring, and %d passwords were sent", s.Asked))
	case none && keeps && s.Code == 0 && !s.Killed:
		wrong = append(wrong, s.says("the keyring is %s", s.Keyring))
	case s.Code == 0 && !s.Right && s.Do != "logout":
		wrong = append(wrong, s.says("nothing that the site takes was there: %.200s", s.Out))
	case fine && s.Do != "logout" && s.Right && s.Code != 0 && !s.Exists:
		wrong = append(wrong, s.says("nothing was in its way: %.300s", s.Err))
	case fine && !s.Right && s.Do != "logout" && s.Code != 3 && !(s.Exists && s.Code == 2):
		wrong = append(wrong, s.says("the site takes nothing of it: %.300s", s.Err))
	case fine && s.Do == "logout" && (s.Code != 0 || strings.HasPrefix(s.Out, "Removed") != (before != "")):
		wrong = append(wrong, s.says("the keyring held %d bytes: %.300s", len(before), s.Out+s.Err))
	}
	kept := map[string]string{"keyring": "the system's keyring", "environment": "the environment (", "file": "the file ", "ask": "not kept"}[s.Kind]
	who := map[string]string{"login": "Signed in as " + s.User + ".\n", "whoami": s.User}[s.Do]
	if !strings.Contains(s.Out, who) && !s.Calm && s.Password == "" { // the site could not say who that is
		who = map[string]string{"login": "Signed in.\n"}[s.Do]
	}
	if s.Code == 0 && (s.Do == "login" || s.Do == "whoami") && !(strings.Contains(s.Out, who) && strings.Contains(s.Out, kept)) {
		wrong = append(wrong, s.says("%s is signed in, by %s: %.300s", s.User, kept, s.Out))
	}
	if said := endsAt.FindStringSubmatch(s.Out + s.Err); said != nil && (s.Do == "login" || s.Do == "token") && s.Password != "" {
		at, err := time.Parse("2006-01-02 15:04 -0700", said[1])
		near := false
		for _, answer := range s.Issued {
			var given struct{ Expires int64 }
			near = near || json.Unmarshal([]byte(answer), &given) == nil && time.UnixMilli(given.Expires).Truncate(time.Minute).Equal(at)
		}
		if err != nil || !near {
			wrong = append(wrong, s.says("no token of the site ends at %s", said[1]))
		}
	}
	return 1, wrong
}
