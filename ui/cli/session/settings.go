package session

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/sites"
	"geodeck/ui/cli/exit"
)

// Names of the environment for the nodes of the cluster.
const (
	EnvNodes        = "GEODECK_NODES"
	EnvNodesCommand = "GEODECK_NODES_COMMAND"
)

// Names of the environment. A flag goes before the environment, and that before config.yaml.
const (
	EnvSite  = "GEODECK_SITE"
	EnvURL   = "GEODECK_URL"
	EnvToken = "GEODECK_TOKEN"

	EnvAuthHeader = "GEODECK_AUTH_HEADER"
	envSlow       = "GEODECK_SLOW"
	envReason     = "GEODECK_REASON"
)

// fromUse says that a site was chosen for all commands.
var fromUse, _ = operation.CommandLine{Words: []string{"site", "use"}}.Text(nil)

// Setting is a value and who says it: a flag, a variable, a line of config.yaml. It is the
// default where nobody does.
type Setting struct{ Value, From string }

// On reports whether a setting that is true or false is true.
func (s Setting) On() bool { return s.Value == "true" }

// Settings are how one site is reached.
type Settings struct {
	Named  sites.Site // of config.yaml; zero where the address was given
	Marked sites.Site // of config.yaml, whose lock counts: named, or a locked one that may be at the address
	Which  string     // which one that is of an address, or why it is not known
	reason string     // why something is sent, for the record
	Unread error      // why it is not known whether config.yaml locks the address

	Site, URL                      Setting
	signIn, User, ClientID         Setting
	token                          sites.SignIn // what SignIn tells; zero where nobody says it
	AuthHeader                     Setting
	ca, clientCert, clientKey      Setting
	Proxy                          Setting
	Insecure, production, readOnly Setting
	nodes, nodesCommand            Setting
	Alarms, Hook, poll, maxAge     Setting
}

// Locked reports whether the site is read-only until its name is given.
func (s Settings) Locked() bool { return s.Unread != nil || s.Marked.Locked() }

// LockAdvice says how changes get through the lock.
func (s Settings) LockAdvice() string {
	if f, is := errors.AsType[*exit.Failure](s.Unread); is {
		return strings.TrimSpace(s.Which + "\n" + f.Advice)
	}
	return strings.TrimPrefix(s.Which+". "+s.unlockAdvice(), ". ")
}

// unlockAdvice names the flag that opens the lock.
func (s Settings) unlockAdvice() string {
	return "Add --unlock " + plain.ShellWord(s.Marked.Name) + "."
}

// ErrTwoSites says that it is not clear which site is meant.
var ErrTwoSites = errors.New("both a name and an address of a site are given; it is not clear which is meant")

// Settings returns those of the site. Where none was chosen, the address is empty.
func (s *Session) Settings() (Settings, error) { return s.decided.get(s.decide) }

func (s *Session) decide() (Settings, error) {
	reason, err := s.reason()
	if s.as.Offline || err != nil {
		return Settings{reason: reason}, err
	}
	meant, err := s.meant()
	if err != nil {
		return Settings{}, err
	}
	of := Settings{reason: reason, Site: meant.site, URL: meant.url}
	file, err := s.SitesFile()
	switch {
	case of.URL.Value != "" && err != nil:
		of.Unread, of.Which = err, "It is not known whether config.yaml locks this site: "+err.Error()
	case of.URL.Value != "":
		of.Marked, of.Which = file.LockedAt(of.URL.Value)
	case of.Site.Value != "" && err != nil:
		return of, err
	case of.Site.Value != "":
		if of.Named, err = file.Site(of.Site.Value); err != nil {
			return of, BadSites(err)
		}
		of.Site.Value, of.Marked = of.Named.Name, of.Named
	}
	s.fill(&of)
	return of, cmp.Or(s.checkUnlock(of), of.checkPoll())
}

// choice is which site is meant: its name, or else its address.
type choice struct{ site, url Setting }

func (s *Session) meant() (choice, error) {
	if s.own != "" {
		return choice{site: Setting{s.own, "its name"}}, nil
	}
	return s.choice.get(s.choose)
}

// choose returns the site that a flag names, else the environment, else geodeck site use.
func (s *Session) choose() (choice, error) {
	for _, level := range []choice{
		{Setting{s.from.Flags.Site, "--site"}, Setting{s.from.Flags.URL, "--url"}},
		{Setting{s.from.Env(EnvSite), EnvSite}, Setting{s.from.Env(EnvURL), EnvURL}},
	} {
		switch {
		case level.site.Value != "" && level.url.Value != "":
			return choice{}, exit.BadInput("Leave out "+level.site.From+" or "+level.url.From+".", ErrTwoSites)
		case level.site.Value != "":
			return choice{site: level.site}, nil
		case level.url.Value != "":
			return choice{url: level.url}, nil
		}
	}
	file, err := s.SitesFile()
	if err != nil || file.Current() == "" {
		return choice{}, err
	}
	return choice{site: Setting{file.Current(), fromUse}}, nil
}

// SitesPath is where the file of the sites is.
func (s *Session) SitesPath() (string, error) {
	if path := s.from.Flags.config; path != "" {
		return path, nil
	}
	return sites.DefaultPath(s.from.Env)
}

// SitesFile reads the file of the sites. Where none is it has no sites.
func (s *Session) SitesFile() (*sites.File, error) { return s.file.get(s.readSites) }

func (s *Session) readSites() (*sites.File, error) {
	path, err := s.SitesPath()
	if err != nil {
		return &sites.File{}, nil // no home, and so no file in it
	}
	file, err := sites.Read(path, s.from.Config)
	if err != nil {
		return nil, BadSites(err)
	}
	for _, site := range file.Sites() {
		if site.SignIn.Kind == sites.Environment {
			s.from.Hide(site.SignIn.Variable)
		}
	}
	return file, nil
}

// BadSites is what is wrong with the file of the sites, or with what is asked of it.
func BadSites(err error) error {
	advice := ""
	if e, is := errors.AsType[*sites.Error](err); is {
		advice = e.Advice
	}
	return exit.BadInput(advice, err)
}

// fill adds what flags, environment and file say beside which site it is. Flags and
// environment belong to the chosen site alone: no other one gets its token.
func (s *Session) fill(of *Settings) {
	var f Flags
	env := func(string) string { return "" }
	if s.own == "" {
		f, env = *s.from.Flags, s.from.Env
	}
	site := of.Named
	line := func(key string) string {
		path := cmp.Or(s.FilePath(), "config.yaml")
		return fmt.Sprintf("%s line %d", filepath.Base(path), site.Lines[key])
	}
	variable := func(name string) Setting { return Setting{env(name), name} }
	// say takes the first that says something, else what the file says.
	say := func(key, written string, before ...Setting) Setting {
		for _, said := range before {
			if said.Value != "" {
				return said
			}
		}
		if site.Says(key) {
			return Setting{written, line(key)}
		}
		return Setting{}
	}
	truth := func(given bool) string {
		if given {
			return "true"
		}
		return ""
	}
	if site.Name != "" {
		of.URL = Setting{site.URL, line("url")}
	}
	of.User = say("user", site.User)
	of.ClientID = say("clientId", site.ClientID)
	of.AuthHeader = say("authHeader", site.AuthHeader, Setting{f.AuthHeader, "--auth-header"}, variable(EnvAuthHeader))
	of.ca = say("ca", site.CA, Setting{f.CA, "--ca"})
	of.clientCert = say("clientCert", site.ClientCert, Setting{f.ClientCert, "--client-cert"})
	of.clientKey = say("clientKey", site.ClientKey, Setting{f.ClientKey, "--client-key"})
	of.Proxy = say("proxy", site.Proxy)
	of.Insecure = say("insecure", strconv.FormatBool(site.Insecure), Setting{truth(f.Insecure), "--insecure"})
	of.poll = say("poll", pollWord(site.Slow), s.pollByHand())
	of.maxAge = say("maxAge", site.MaxAge)
	of.Alarms = say("alarms", alarmWord(site), variable(EnvAlarms))
	of.Hook = say("hook", site.Hook, variable(EnvHook))
	if env(EnvNodes) == "" && env(EnvNodesCommand) == "" {
		of.nodes = say("nodes", site.Nodes)
		of.nodesCommand = say("nodes", site.NodesCommand)
	}
	switch of.token = site.SignIn; {
	case f.TokenFile != "":
		of.token, of.signIn.From = sites.SignIn{Kind: sites.FromFile, File: f.TokenFile}, "--token-file"
	case env(EnvToken) != "":
		of.token, of.signIn.From = sites.SignIn{Kind: sites.Environment, Variable: EnvToken}, EnvToken
	case site.Says("signIn"):
		of.signIn.From = line("signIn")
	}
	of.signIn.Value = signInWords(of.token)
	site = of.Marked // for what follows: all else of config.yaml is for a site that is named
	if site.Name != of.Named.Name {
		of.Site = Setting{site.Name, line("url")}
	}
	of.production = say("production", strconv.FormatBool(site.Production))
	of.readOnly = say("readOnly", strconv.FormatBool(site.ReadOnly), Setting{truth(s.from.Flags.ReadOnly), "--read-only"})
}

// signInWords says where the token comes from: the place, never a token.
func signInWords(how sites.SignIn) string {
	switch how.Kind {
	case sites.FromFile:
		return "the file " + plain.Line(how.File)
	case sites.Environment:
		return "the variable " + plain.Line(how.Variable)
	case sites.Command:
		return "a command" // which may hold what is secret
	}
	return string(how.Kind)
}

// FilePath is the path of the file of the sites, empty where it was not read.
func (s *Session) FilePath() string {
	if file := s.file.soFar(); file != nil {
		return file.Path()
	}
	return ""
}

// The words of the setting poll.
const (
	PollSlow   = "slow"
	PollNormal = "normal"
)

func pollWord(slow bool) string {
	if slow {
		return PollSlow
	}
	return PollNormal
}

// pollByHand is what a flag or the environment says of the line of this machine: it is that to
// every site.
func (s *Session) pollByHand() Setting {
	word := s.from.Env(envSlow)
	if on, err := strconv.ParseBool(word); err == nil {
		word = pollWord(on)
	}
	if s.from.Flags.slow != "" {
		return Setting{s.from.Flags.slow, "--slow"}
	}
	return Setting{word, envSlow}
}

// checkPoll refuses a word of the environment that says neither.
func (s Settings) checkPoll() error {
	return exit.OneOf(s.poll.From, cmp.Or(s.poll.Value, PollNormal), []string{PollSlow, PollNormal})
}

// line is the way to the site.
func (s Settings) line() *polling.Line { return polling.NewLine(s.poll.Value == PollSlow) }

// NodeSource is where config.yaml says that the nodes are read from, or otherwise.
func (s Settings) NodeSource(otherwise nodesource.Source) (nodesource.Source, error) {
	switch {
	case s.nodes.Value != "":
		return nodesource.Source{File: s.nodes.Value}, nil
	case s.nodesCommand.Value == "":
		return otherwise, nil
	}
	source, err := nodesource.CommandSource(s.nodesCommand.Value)
	if err != nil {
		err = exit.BadInputf("%s: nodes: %w", s.nodesCommand.From, err)
	}
	return source, err
}

// alarmWord is how --alarms would say what the file says.
func alarmWord(s sites.Site) string {
	var kinds []string
	if s.Bell {
		kinds = append(kinds, AlarmBell)
	}
	if s.Notify {
		kinds = append(kinds, AlarmNotify)
	}
	return cmp.Or(strings.Join(kinds, ","), AlarmNone)
}

// checkUnlock refuses a name that is not the site's: who gives another one means another site.
func (s *Session) checkUnlock(of Settings) error {
	if len(s.from.Flags.Unlock) == 0 || s.own != "" || s.as.Many || s.as.Locked {
		return nil
	}
	switch name := of.Marked.Name; {
	case of.Unread != nil:
		return of.Unread
	case name == "":
		return exit.BadInput("Leave it out: config.yaml locks no site at this address.",
			errors.New("--unlock takes the name of a site of config.yaml; nothing was sent"))
	case slices.Contains(s.from.Flags.Unlock, name):
		return nil
	default:
		what := cmp.Or(of.Which, "the site is called "+name+", not "+plain.Clip(plain.Line(s.from.Flags.Unlock[0]), 60))
		return exit.BadInput(of.unlockAdvice(), errors.New(what+"; nothing was sent"))
	}
}

// Names of the environment for alarms.
const (
	EnvAlarms = "GEODECK_ALARMS"
	EnvHook   = "GEODECK_HOOK"
)

// The kinds of alarms of a terminal.
const (
	AlarmBell   = "bell"
	AlarmNotify = "notify"
	AlarmNone   = "none"
)
