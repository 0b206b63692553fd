// Package session is how a site is reached: which one is meant, its settings by flags, environment
// and config.yaml, its client, its sign-in and its journal.
//
// Start at [Session]; settings.go decides what counts, open.go makes the client.
package session

import (
	"context"
	"net"
	"slices"
	"strings"
	"sync"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/signin"
	"geodeck/adminapi/sites"
	"geodeck/ui/cli/output"
)

// Options are what sessions are made of: what the process, its environment and the
// command line give.
type Options struct {
	Args      []string // the command line
	Flags     *Flags   // as they are when the site is first asked for
	Env       func(string) string
	Hide      func(name string) // keeps a variable from the programs that are run
	Clock     adminapi.Clock
	Rand      adminapi.Rand
	Dial      func(ctx context.Context, network, address string) (net.Conn, error) // nil: the machine's
	Disk      journal.Files
	Config    journal.Files // that has config.yaml; nil: the machine's
	Keyring   signin.Store  // nil: the system's
	Debug     *DebugLog
	UserAgent string
	Print     func(text string) // prints a note
}

// Session is how one site is reached: the chosen one, or another one of config.yaml. It is made
// of options, and nobody changes it: another site, or the same one in another way, is another
// session. It reads config.yaml, opens the site and signs in when that is first needed, once:
// commands without a site are to start at once.
type Session struct {
	from Options
	as   Variant
	own  string // the name of a site other than the chosen one: flags and environment are not for it

	file    *once[*sites.File] // of the session that this one was made from, unless it is to be read anew
	choice  *once[choice]      // which site is meant
	decided once[Settings]
	opened  once[opened]
	warned  sync.Once // about what has to be known before something is sent
}

// Variant is how a session differs from the one that it is made from.
type Variant struct {
	Note     func(text string) // takes the notes; nil prints them
	Many     bool              // it is one of several sites, which --unlock names
	among    bool              // it is read among others: SignIn gets its token, whatever that comes from
	Reread   bool              // config.yaml is read as it is now
	Locked   bool              // --unlock is not for it
	Unsigned bool              // somebody is about to sign in: no token is looked for
	quiet    bool              // nobody is asked, no program run, no token renewed, nothing changed
	Offline  bool              // there is no site: nothing of config.yaml counts
}

// New returns the session of the chosen site.
func New(o Options) *Session {
	return &Session{from: o, file: new(once[*sites.File]), choice: new(once[choice])}
}

// Again returns another session of the same site. It is that site also where another one is the
// current one by now.
func (s *Session) Again(v Variant) *Session {
	other := s.like(v)
	other.own = s.own
	return other
}

// Noting returns this session with other notes.
func (s *Session) Noting(note func(text string)) *Session {
	v := s.as
	v.Note = note
	other := s.Again(v)
	other.file = s.file
	return other
}

// Of returns the session of a site of config.yaml. Flags and environment are for the chosen one
// alone: no other one gets its token.
func (s *Session) Of(name string, v Variant) *Session {
	if chosen, err := s.Settings(); err == nil && chosen.Named.Name == name {
		return s.Again(v)
	}
	other := s.like(v)
	other.own = name
	return other
}

// Named is the session as if --site had that name.
func (s *Session) Named(name string) *Session {
	o := s.from
	given := *o.Flags
	given.Site, o.Flags = name, &given
	return New(o)
}

func (s *Session) like(v Variant) *Session {
	v.Many = v.Many || s.as.Many
	other := &Session{from: s.from, as: v, file: s.file, choice: s.choice}
	if v.Reread {
		other.file = new(once[*sites.File])
	}
	return other
}

// once is a value that is read when it is first needed. After an error the next who needs it tries
// again: a site among others is opened until its file of certificates is there.
type once[T any] struct {
	mu    sync.Mutex
	known bool
	value T
}

func (o *once[T]) get(read func() (T, error)) (T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known {
		return o.value, nil
	}
	value, err := read()
	if err == nil {
		o.value, o.known = value, true
	}
	return value, err
}

// soFar returns the value if it has been read by now, else the zero value.
func (o *once[T]) soFar() T {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.value
}

// Say says something beside the output.
func (s *Session) Say(text string) {
	if s.as.Note == nil {
		s.from.Print(text)
	} else if text != "" {
		s.as.Note(text)
	}
}

// Commands writes the commands of a sentence so that they reach the site of this one.
func (s *Session) Commands(text string) string {
	if !strings.Contains(text, operation.CommandMark) {
		return text
	}
	of, _ := s.Settings() // of a site that is not known the flags that were given are left
	return operation.NameCommands(text, s.SiteFlags(of))
}

// CommandsNow is Commands with what is known by now: nothing is read any more.
func (s *Session) CommandsNow(text string) string {
	return operation.NameCommands(text, s.SiteFlags(s.decided.soFar()))
}

// Options are what the session is made of.
func (s *Session) Options() Options { return s.from }

// Flags are those of the command line.
func (s *Session) Flags() Flags { return *s.from.Flags }

// Clock is that of this machine.
func (s *Session) Clock() adminapi.Clock { return s.from.Clock }

// Env reads a variable of the environment.
func (s *Session) Env(name string) string { return s.from.Env(name) }

// IsChosen reports whether it is the session of the chosen site: flags and environment are for it.
func (s *Session) IsChosen() bool { return s.own == "" }

// OwnEnv reads a variable of the environment that is about the site.
func (s *Session) OwnEnv(name string) string {
	if s.IsChosen() {
		return s.from.Env(name)
	}
	return ""
}

// Unlocks reports whether the site of that name may be changed from the start.
func (s *Session) Unlocks(name string) bool {
	return name != "" && !s.as.Locked && slices.Contains(s.from.Flags.Unlock, name)
}

// LineByHand is the way to any site, as a flag or the environment says.
func (s *Session) LineByHand() *polling.Line { return Settings{poll: s.pollByHand()}.line() }

// About is the site in the head of what is printed for scripts, nil where none was asked.
func (s *Session) About() *output.About {
	client := s.Client()
	if client == nil {
		return nil
	}
	return &output.About{Site: s.decided.soFar().Named.Name, Address: journal.SiteOf(client.Base())}
}

// StateFolder is where the journals of all sites are.
func (s *Session) StateFolder() (string, error) {
	if s.from.Flags.stateDir != "" {
		return s.from.Flags.stateDir, nil
	}
	return journal.DefaultFolder(s.from.Env)
}
