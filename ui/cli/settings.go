package cli

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/sites"
)

// Names of the environment. A flag goes before the environment, and that before config.yaml.
const (
	envSite  = "GEODECK_SITE"
	envURL   = "GEODECK_URL"
	envToken = "GEODECK_TOKEN"

	envAuthHeader = "GEODECK_AUTH_HEADER"
	envSlow       = "GEODECK_SLOW"
)

// fromUse says that a site was chosen for all commands.
var fromUse, _ = operation.CommandLine{Words: []string{"site", "use"}}.Text(nil)

// setting is a value and who says it: a flag, a variable, a line of config.yaml. It is the
// default where nobody does.
type setting struct{ value, from string }

// on reports whether a setting that is true or false is true.
func (s setting) on() bool { return s.value == "true" }

// settings are how one site is reached.
type settings struct {
	named  sites.Site // of config.yaml; zero where the address was given
	marked sites.Site // of config.yaml, whose lock counts: named, or a locked one that may be at the address
	which  string     // which one that is of an address, or why it is not known
	unread error      // why it is not known whether config.yaml locks the address

	site, url                      setting
	signIn, user, clientID         setting
	token                          sites.SignIn // what signIn tells; zero where nobody says it
	authHeader                     setting
	ca, clientCert, clientKey      setting
	proxy                          setting
	insecure, production, readOnly setting
	nodes, nodesCommand            setting
	alarms, hook, poll             setting
}

// locked reports whether the site is read-only until its name is given.
func (s settings) locked() bool { return s.unread != nil || s.marked.Locked() }

// lockAdvice says how changes get through the lock.
func (s settings) lockAdvice() string {
	if f, is := errors.AsType[*failure](s.unread); is {
		return strings.TrimSpace(s.which + "\n" + f.advice)
	}
	return strings.TrimPrefix(s.which+". "+s.unlockAdvice(), ". ")
}

// unlockAdvice names the flag that opens the lock.
func (s settings) unlockAdvice() string {
	return "Add --unlock " + plain.ShellWord(s.marked.Name) + "."
}

// errTwoSites says that it is not clear which site is meant.
var errTwoSites = errors.New("both a name and an address of a site are given; it is not clear which is meant")

// settings returns those of the site. Where none was chosen, the address is empty.
func (s *session) settings() (settings, error) { return s.decided.get(s.decide) }

func (s *session) decide() (settings, error) {
	if s.as.offline {
		return settings{}, nil
	}
	meant, err := s.meant()
	if err != nil {
		return settings{}, err
	}
	of := settings{site: meant.site, url: meant.url}
	file, err := s.sitesFile()
	switch {
	case of.url.value != "" && err != nil:
		of.unread, of.which = err, "It is not known whether config.yaml locks this site: "+err.Error()
	case of.url.value != "":
		of.marked, of.which = file.LockedAt(of.url.value)
	case of.site.value != "" && err != nil:
		return of, err
	case of.site.value != "":
		if of.named, err = file.Site(of.site.value); err != nil {
			return of, badSites(err)
		}
		of.site.value, of.marked = of.named.Name, of.named
	}
	s.fill(&of)
	return of, cmp.Or(s.checkUnlock(of), of.checkPoll())
}

// choice is which site is meant: its name, or else its address.
type choice struct{ site, url setting }

func (s *session) meant() (choice, error) {
	if s.own != "" {
		return choice{site: setting{s.own, "its name"}}, nil
	}
	return s.choice.get(s.choose)
}

// choose returns the site that a flag names, else the environment, else geodeck site use.
func (s *session) choose() (choice, error) {
	for _, level := range []choice{
		{setting{s.from.flags.site, "--site"}, setting{s.from.flags.url, "--url"}},
		{setting{s.from.env(envSite), envSite}, setting{s.from.env(envURL), envURL}},
	} {
		switch {
		case level.site.value != "" && level.url.value != "":
			return choice{}, badInput("Leave out "+level.site.from+" or "+level.url.from+".", errTwoSites)
		case level.site.value != "":
			return choice{site: level.site}, nil
		case level.url.value != "":
			return choice{url: level.url}, nil
		}
	}
	file, err := s.sitesFile()
	if err != nil || file.Current() == "" {
		return choice{}, err
	}
	return choice{site: setting{file.Current(), fromUse}}, nil
}

// sitesPath is where the file of the sites is.
func (s *session) sitesPath() (string, error) {
	if path := s.from.flags.config; path != "" {
		return path, nil
	}
	return sites.DefaultPath(s.from.env)
}

// sitesFile reads the file of the sites. Where none is it has no sites.
func (s *session) sitesFile() (*sites.File, error) { return s.file.get(s.readSites) }

func (s *session) readSites() (*sites.File, error) {
	path, err := s.sitesPath()
	if err != nil {
		return &sites.File{}, nil // no home, and so no file in it
	}
	file, err := sites.Read(path)
	if err != nil {
		return nil, badSites(err)
	}
	for _, site := range file.Sites() {
		if site.SignIn.Kind == sites.Environment {
			s.from.hide(site.SignIn.Variable)
		}
	}
	return file, nil
}

// badSites is what is wrong with the file of the sites, or with what is asked of it.
func badSites(err error) error {
	advice := ""
	if e, is := errors.AsType[*sites.Error](err); is {
		advice = e.Advice
	}
	return badInput(advice, err)
}

// fill adds what flags, environment and file say beside which site it is. Flags and
// environment belong to the chosen site alone: no other one gets its token.
func (s *session) fill(of *settings) {
	var f flags
	env := func(string) string { return "" }
	if s.own == "" {
		f, env = *s.from.flags, s.from.env
	}
	site := of.named
	line := func(key string) string {
		path := cmp.Or(s.filePath(), "config.yaml")
		return fmt.Sprintf("%s line %d", filepath.Base(path), site.Lines[key])
	}
	variable := func(name string) setting { return setting{env(name), name} }
	// say takes the first that says something, else what the file says.
	say := func(key, written string, before ...setting) setting {
		for _, said := range before {
			if said.value != "" {
				return said
			}
		}
		if site.Says(key) {
			return setting{written, line(key)}
		}
		return setting{}
	}
	truth := func(given bool) string {
		if given {
			return "true"
		}
		return ""
	}
	if site.Name != "" {
		of.url = setting{site.URL, line("url")}
	}
	of.user = say("user", site.User)
	of.clientID = say("clientId", site.ClientID)
	of.authHeader = say("authHeader", site.AuthHeader, setting{f.authHeader, "--auth-header"}, variable(envAuthHeader))
	of.ca = say("ca", site.CA, setting{f.ca, "--ca"})
	of.clientCert = say("clientCert", site.ClientCert, setting{f.clientCert, "--client-cert"})
	of.clientKey = say("clientKey", site.ClientKey, setting{f.clientKey, "--client-key"})
	of.proxy = say("proxy", site.Proxy)
	of.insecure = say("insecure", strconv.FormatBool(site.Insecure), setting{truth(f.insecure), "--insecure"})
	of.poll = say("poll", pollWord(site.Slow), s.pollByHand())
	of.alarms = say("alarms", alarmWord(site), variable(envAlarms))
	of.hook = say("hook", site.Hook, variable(envHook))
	if env(envNodes) == "" && env(envNodesCommand) == "" {
		of.nodes = say("nodes", site.Nodes)
		of.nodesCommand = say("nodes", site.NodesCommand)
	}
	switch of.token = site.SignIn; {
	case f.tokenFile != "":
		of.token, of.signIn.from = sites.SignIn{Kind: sites.FromFile, File: f.tokenFile}, "--token-file"
	case env(envToken) != "":
		of.token, of.signIn.from = sites.SignIn{Kind: sites.Environment, Variable: envToken}, envToken
	case site.Says("signIn"):
		of.signIn.from = line("signIn")
	}
	of.signIn.value = signInWords(of.token)
	site = of.marked // for what follows: all else of config.yaml is for a site that is named
	if site.Name != of.named.Name {
		of.site = setting{site.Name, line("url")}
	}
	of.production = say("production", strconv.FormatBool(site.Production))
	of.readOnly = say("readOnly", strconv.FormatBool(site.ReadOnly), setting{truth(s.from.flags.readOnly), "--read-only"})
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

// filePath is the path of the file of the sites, empty where it was not read.
func (s *session) filePath() string {
	if file := s.file.soFar(); file != nil {
		return file.Path()
	}
	return ""
}

// The words of the setting poll.
const (
	pollSlow   = "slow"
	pollNormal = "normal"
)

func pollWord(slow bool) string {
	if slow {
		return pollSlow
	}
	return pollNormal
}

// pollByHand is what a flag or the environment says of the line of this machine: it is that to
// every site.
func (s *session) pollByHand() setting {
	word := s.from.env(envSlow)
	if on, err := strconv.ParseBool(word); err == nil {
		word = pollWord(on)
	}
	if s.from.flags.slow != "" {
		return setting{s.from.flags.slow, "--slow"}
	}
	return setting{word, envSlow}
}

// checkPoll refuses a word of the environment that says neither.
func (s settings) checkPoll() error {
	return oneOf(s.poll.from, cmp.Or(s.poll.value, pollNormal), []string{pollSlow, pollNormal})
}

// line is the way to the site.
func (s settings) line() *polling.Line { return polling.NewLine(s.poll.value == pollSlow) }

// alarmWord is how --alarms would say what the file says.
func alarmWord(s sites.Site) string {
	var kinds []string
	if s.Bell {
		kinds = append(kinds, alarmBell)
	}
	if s.Notify {
		kinds = append(kinds, alarmNotify)
	}
	return cmp.Or(strings.Join(kinds, ","), alarmNone)
}

// checkUnlock refuses a name that is not the site's: who gives another one means another site.
func (s *session) checkUnlock(of settings) error {
	if len(s.from.flags.unlock) == 0 || s.own != "" || s.as.many || s.as.locked {
		return nil
	}
	switch name := of.marked.Name; {
	case of.unread != nil:
		return of.unread
	case name == "":
		return badInput("Leave it out: config.yaml locks no site at this address.", errors.New("--unlock takes the name of a site of config.yaml; nothing was sent"))
	case slices.Contains(s.from.flags.unlock, name):
		return nil
	default:
		what := cmp.Or(of.which, "the site is called "+name+", not "+plain.Clip(plain.Line(s.from.flags.unlock[0]), 60))
		return badInput(of.unlockAdvice(), errors.New(what+"; nothing was sent"))
	}
}
