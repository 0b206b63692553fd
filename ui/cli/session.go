package cli

import (
	"context"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/signin"
	"geodeck/adminapi/sites"
)

// sessionOptions are what sessions are made of: what the process, its environment and the
// command line give.
type sessionOptions struct {
	flags     *flags // as they are when the site is first asked for
	env       func(string) string
	hide      func(name string) // keeps a variable from the programs that are run
	clock     adminapi.Clock
	rand      adminapi.Rand
	dial      func(ctx context.Context, network, address string) (net.Conn, error) // nil: the machine's
	disk      journal.Files
	keyring   signin.Store // nil: the system's
	debug     *debugLog
	userAgent string
	print     func(text string) // prints a note
}

// session is how one site is reached: the chosen one, or another one of config.yaml. It is made
// of options, and nobody changes it: another site, or the same one in another way, is another
// session. It reads config.yaml, opens the site and signs in when that is first needed, once:
// commands without a site are to start at once.
type session struct {
	from sessionOptions
	as   variant
	own  string // the name of a site other than the chosen one: flags and environment are not for it

	file    *once[*sites.File] // of the session that this one was made from, unless it is to be read anew
	choice  *once[choice]      // which site is meant
	decided once[settings]
	opened  once[openSite]
	warned  sync.Once // about what has to be known before something is sent
}

// variant is how a session differs from the one that it is made from.
type variant struct {
	note    func(text string) // takes the notes; nil prints them
	many    bool              // it is one of several sites, which --unlock names
	among   bool              // it is read among others: signIn gets its token, whatever that comes from
	reread  bool              // config.yaml is read as it is now
	locked  bool              // --unlock is not for it
	offline bool              // there is no site: nothing of config.yaml counts
}

// newSession returns the session of the chosen site.
func newSession(o sessionOptions) *session {
	return &session{from: o, file: new(once[*sites.File]), choice: new(once[choice])}
}

// again returns another session of the same site. It is that site also where another one is the
// current one by now.
func (s *session) again(v variant) *session {
	other := s.like(v)
	other.own = s.own
	return other
}

// noting returns this session with other notes.
func (s *session) noting(note func(text string)) *session {
	v := s.as
	v.note = note
	other := s.again(v)
	other.file = s.file
	return other
}

// of returns the session of a site of config.yaml. Flags and environment are for the chosen one
// alone: no other one gets its token.
func (s *session) of(name string, v variant) *session {
	if chosen, err := s.settings(); err == nil && chosen.named.Name == name {
		return s.again(v)
	}
	other := s.like(v)
	other.own = name
	return other
}

// named is the session as if --site had that name.
func (s *session) named(name string) *session {
	o := s.from
	given := *o.flags
	given.site, o.flags = name, &given
	return newSession(o)
}

func (s *session) like(v variant) *session {
	v.many = v.many || s.as.many
	other := &session{from: s.from, as: v, file: s.file, choice: s.choice}
	if v.reread {
		other.file = new(once[*sites.File])
	}
	return other
}

// once is a value that is read when it is first needed.
type once[T any] struct {
	mu    sync.Mutex
	known bool
	value T
	err   error
}

func (o *once[T]) get(read func() (T, error)) (T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.known {
		o.value, o.err = read()
		o.known = true
	}
	return o.value, o.err
}

// soFar returns the value if it has been read by now, else the zero value.
func (o *once[T]) soFar() (value T) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		value = o.value
	}
	return value
}

// say says something beside the output.
func (s *session) say(text string) {
	if s.as.note == nil {
		s.from.print(text)
	} else if text != "" {
		s.as.note(text)
	}
}

// commands writes the commands of a sentence so that they reach the site of this one.
func (s *session) commands(text string) string {
	if !strings.Contains(text, operation.CommandMark) {
		return text
	}
	of, _ := s.settings() // of a site that is not known the flags that were given are left
	return operation.NameCommands(text, s.siteFlags(of))
}

// commandsNow is commands with what is known by now: nothing is read any more.
func (s *session) commandsNow(text string) string {
	return operation.NameCommands(text, s.siteFlags(s.decided.soFar()))
}

// options are what the session is made of.
func (s *session) options() sessionOptions { return s.from }

// flags are those of the command line.
func (s *session) flags() flags { return *s.from.flags }

// clock is that of this machine.
func (s *session) clock() adminapi.Clock { return s.from.clock }

// env reads a variable of the environment.
func (s *session) env(name string) string { return s.from.env(name) }

// ownEnv reads a variable of the environment that is about the site: empty for another one than
// the chosen.
func (s *session) ownEnv(name string) string {
	if s.own != "" {
		return ""
	}
	return s.from.env(name)
}

// unlocks reports whether the site of that name may be changed from the start.
func (s *session) unlocks(name string) bool {
	return name != "" && !s.as.locked && slices.Contains(s.from.flags.unlock, name)
}

// lineByHand is the way to any site, as a flag or the environment says.
func (s *session) lineByHand() *polling.Line { return settings{poll: s.pollByHand()}.line() }

// stateFolder is where the journals of all sites are.
func (s *session) stateFolder() (string, error) {
	if s.from.flags.stateDir != "" {
		return s.from.flags.stateDir, nil
	}
	return journal.DefaultFolder(s.from.env)
}

// siteArgument completes the name of a site as the only argument.
func (s *session) siteArgument(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return s.siteNames(cmd, args, typed)
}

// siteNames completes the name of a site as the value of a flag.
func (s *session) siteNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	file, err := s.sitesFile()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, site := range file.Sites() {
		names = append(names, cobra.CompletionWithDesc(site.Name, site.URL))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
