package cli

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"geodeck/adminapi"
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

// connectionFlags are the flags that say which site is meant and how it is reached.
type connectionFlags struct {
	config, site, url         string
	tokenFile, authHeader     string
	ca, clientCert, clientKey string
	insecure, readOnly        bool
	slow                      string // what pollWord says, or empty
	unlock                    []string
}

func (f *connectionFlags) register(set *pflag.FlagSet) {
	set.StringVar(&f.site, "site", "", "name of a site of config.yaml (or "+envSite+"; default the one of geodeck site use)")
	set.StringVar(&f.url, "url", "", "administrative root of the site, https://HOST/CONTEXT/admin (or "+envURL+")")
	set.StringVar(&f.config, "config", "", "file of the sites (or "+sites.EnvConfig+"; default geodeck/config.yaml in XDG_CONFIG_HOME or ~/.config)")
	set.StringVar(&f.tokenFile, "token-file", "", "file that holds the token (or the token itself in "+envToken+")")
	set.StringVar(&f.authHeader, "auth-header", "", "header of the token: Authorization, or X-Esri-Authorization behind web-tier sign-in (or "+envAuthHeader+")")
	set.String("token", "", "refused: others can see a token on the command line")
	set.StringVar(&f.ca, "ca", "", "file of certificate authorities to trust besides the system's (PEM)")
	set.StringVar(&f.clientCert, "client-cert", "", "file of the client certificate (PEM)")
	set.StringVar(&f.clientKey, "client-key", "", "file of the client certificate's key (PEM)")
	set.BoolVar(&f.insecure, "insecure", false, "accept http beyond this machine: token and password travel unprotected")
	set.BoolVar(&f.readOnly, "read-only", false, "send nothing that changes the site")
	set.BoolFunc("slow", "poll the site at half the pace and ask for less, over a slow line (or "+envSlow+")", func(word string) error {
		on, err := strconv.ParseBool(word)
		f.slow = pollWord(on)
		return err
	})
	set.StringArrayVar(&f.unlock, "unlock", nil, "name of a site that is read-only until unlocked, to send changes to it")
	_ = set.MarkHidden("token")
}

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

// chosen returns the settings of the site that was chosen: by a flag, else by the
// environment, else with geodeck site use. Without any the address is empty.
func (c *connection) chosen() (settings, error) {
	if c.settled != nil {
		return *c.settled, nil
	}
	picked, err := c.pick()
	if err != nil {
		return settings{}, err
	}
	s := settings{site: picked.site, url: picked.url}
	file, err := c.sitesFile()
	switch {
	case s.url.value != "" && err != nil:
		s.unread, s.which = err, "It is not known whether config.yaml locks this site: "+err.Error()
	case s.url.value != "":
		s.marked, s.which = file.LockedAt(s.url.value)
	case s.site.value != "" && err != nil:
		return s, err
	case s.site.value != "":
		if s.named, err = file.Site(s.site.value); err != nil {
			return s, badSites(err)
		}
		s.site.value, s.marked = s.named.Name, s.named
	}
	c.fill(&s)
	if err := cmp.Or(c.checkUnlock(s), s.checkPoll()); err != nil {
		return s, err
	}
	c.settled = &s
	return s, nil
}

// choice is which site is meant: its name, or else its address.
type choice struct{ site, url setting }

// pick returns which site was chosen, once.
func (c *connection) pick() (choice, error) {
	if c.own != "" {
		return choice{site: setting{c.own, "its name"}}, nil
	}
	if c.picked == nil {
		picked, err := c.choose()
		if err != nil {
			return picked, err
		}
		c.picked = &picked
	}
	return *c.picked, nil
}

func (c *connection) choose() (choice, error) {
	for _, level := range []choice{
		{setting{c.flags.site, "--site"}, setting{c.flags.url, "--url"}},
		{setting{c.env(envSite), envSite}, setting{c.env(envURL), envURL}},
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
	file, err := c.sitesFile()
	if err != nil || file.Current() == "" {
		return choice{}, err
	}
	return choice{site: setting{file.Current(), fromUse}}, nil
}

// chose reports whether any site was chosen.
func (c *connection) chose() (bool, error) {
	s, err := c.chosen()
	return s.url.value != "", err
}

// sitesPath is where the file of the sites is.
func (c *connection) sitesPath() (string, error) {
	if path := c.flags.config; path != "" {
		return path, nil
	}
	return sites.DefaultPath(c.env)
}

// sitesFile reads the file of the sites, once. Where none is it has no sites.
func (c *connection) sitesFile() (*sites.File, error) {
	if c.file != nil {
		return c.file, nil
	}
	path, err := c.sitesPath()
	if err != nil {
		return &sites.File{}, nil // no home, and so no file in it
	}
	file, err := sites.Read(path)
	if err != nil {
		return nil, badSites(err)
	}
	for _, site := range file.Sites() {
		if site.SignIn.Kind == sites.Environment {
			c.hide(site.SignIn.Variable)
		}
	}
	c.file = file
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
func (c *connection) fill(s *settings) {
	var f connectionFlags
	env := func(string) string { return "" }
	if c.own == "" {
		f, env = c.flags, c.env
	}
	site := s.named
	line := func(key string) string {
		path := cmp.Or(c.filePath(), "config.yaml")
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
		s.url = setting{site.URL, line("url")}
	}
	s.user = say("user", site.User)
	s.clientID = say("clientId", site.ClientID)
	s.authHeader = say("authHeader", site.AuthHeader, setting{f.authHeader, "--auth-header"}, variable(envAuthHeader))
	s.ca = say("ca", site.CA, setting{f.ca, "--ca"})
	s.clientCert = say("clientCert", site.ClientCert, setting{f.clientCert, "--client-cert"})
	s.clientKey = say("clientKey", site.ClientKey, setting{f.clientKey, "--client-key"})
	s.proxy = say("proxy", site.Proxy)
	s.insecure = say("insecure", strconv.FormatBool(site.Insecure), setting{truth(f.insecure), "--insecure"})
	s.poll = say("poll", pollWord(site.Slow), c.pollByHand())
	s.alarms = say("alarms", alarmWord(site), variable(envAlarms))
	s.hook = say("hook", site.Hook, variable(envHook))
	if env(envNodes) == "" && env(envNodesCommand) == "" {
		s.nodes = say("nodes", site.Nodes)
		s.nodesCommand = say("nodes", site.NodesCommand)
	}
	switch s.token = site.SignIn; {
	case f.tokenFile != "":
		s.token, s.signIn.from = sites.SignIn{Kind: sites.FromFile, File: f.tokenFile}, "--token-file"
	case env(envToken) != "":
		s.token, s.signIn.from = sites.SignIn{Kind: sites.Environment, Variable: envToken}, envToken
	case site.Says("signIn"):
		s.signIn.from = line("signIn")
	}
	s.signIn.value = signInWords(s.token)
	site = s.marked // for what follows: all else of config.yaml is for a site that is named
	if site.Name != s.named.Name {
		s.site = setting{site.Name, line("url")}
	}
	s.production = say("production", strconv.FormatBool(site.Production))
	s.readOnly = say("readOnly", strconv.FormatBool(site.ReadOnly), setting{truth(c.flags.readOnly), "--read-only"})
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
func (c *connection) filePath() string {
	if c.file == nil {
		return ""
	}
	return c.file.Path()
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
func (c *connection) pollByHand() setting {
	word := c.env(envSlow)
	if on, err := strconv.ParseBool(word); err == nil {
		word = pollWord(on)
	}
	if c.flags.slow != "" {
		return setting{c.flags.slow, "--slow"}
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

// siteFlags are the flags with which a command reaches the site as this program does. None of them
// holds a secret, and none unlocks it.
func (c *connection) siteFlags(s settings) []string {
	var words []string
	if base, _, err := adminapi.ParseBase(s.url.value, true); s.named.Name != "" {
		words = []string{"--site", s.named.Name}
	} else if err == nil { // what is ignored of an address may be a secret
		words = []string{"--url", base.String()}
	}
	given := c.flags
	if c.own != "" { // they belong to the chosen site
		given = connectionFlags{config: c.flags.config}
	}
	for _, flag := range []struct{ name, value string }{
		{"--config", given.config}, {"--state-dir", c.stateDir}, {"--token-file", given.tokenFile}, {"--auth-header", given.authHeader},
		{"--ca", given.ca}, {"--client-cert", given.clientCert}, {"--client-key", given.clientKey},
	} {
		if flag.value == "" {
			continue
		}
		if path, err := filepath.Abs(flag.value); err == nil && flag.name != "--auth-header" {
			flag.value = path
		}
		words = append(words, flag.name, flag.value)
	}
	if given.insecure {
		words = append(words, "--insecure")
	}
	return words
}

// commands writes the commands of a sentence so that they reach the site of this one.
func (c *connection) commands(text string) string {
	if !strings.Contains(text, operation.CommandMark) {
		return text
	}
	s, _ := c.chosen() // of a site that is not known the flags that were given are left
	return operation.NameCommands(text, c.siteFlags(s))
}

// checkUnlock refuses a name that is not the site's: who gives another one means another site.
func (c *connection) checkUnlock(s settings) error {
	if len(c.flags.unlock) == 0 || c.own != "" || c.many {
		return nil
	}
	switch name := s.marked.Name; {
	case s.unread != nil:
		return s.unread
	case name == "":
		return badInput("Leave it out: config.yaml locks no site at this address.", errors.New("--unlock takes the name of a site of config.yaml; nothing was sent"))
	case slices.Contains(c.flags.unlock, name):
		return nil
	default:
		what := cmp.Or(s.which, "the site is called "+name+", not "+plain.Clip(plain.Line(c.flags.unlock[0]), 60))
		return badInput(s.unlockAdvice(), errors.New(what+"; nothing was sent"))
	}
}

// unlocks reports whether the site of that name may be changed from the start.
func (c *connection) unlocks(name string) bool {
	return name != "" && slices.Contains(c.flags.unlock, name)
}
