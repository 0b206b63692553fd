package site

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/sites"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/session"
)

// newSite is what flags say of a site that is added. Those of the connection mean it, too.
type newSite struct {
	site                   sites.Site
	signIn, nodes, command string
	alarms, poll           string
	use                    bool
}

func (s commands) addCommand() *cobra.Command {
	var n newSite
	cmd := &cobra.Command{
		Use:   "add NAME --url ADDRESS",
		Short: "Add a site to config.yaml",
		Long: `Add a site to config.yaml; comments and the order of the file stay. The first site becomes
the current one. The site is not contacted. Without --sign-in the dashboard asks for user
and password, and commands need GEODECK_TOKEN; with keyring, geodeck login keeps them.

--read-only, --insecure, --auth-header, --ca, --client-cert and --client-key are kept for
the site. No secret is.`,
		Example: `  geodeck site add staging --url https://gis-test.example.org/context/admin
  geodeck site add production --url https://gis.example.org/context/admin --production
  geodeck site add test --url gis.example.org --sign-in command="vault read -field=token gis/test"`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return s.add(cmd, args[0], n) },
	}
	n.register(cmd)
	cmd.Flags().BoolVar(&n.use, "use", false, "make it the current site")
	return cmd
}

// register adds the flags of a site's keys.
func (n *newSite) register(cmd *cobra.Command) {
	set := cmd.Flags()
	set.BoolVar(&n.site.Production, "production", false, "the site is in production: it starts read-only")
	set.StringVar(&n.site.User, "user", "", "who signs in")
	set.StringVar(&n.signIn, "sign-in", "", "where the token comes from: keyring, ask, file=PATH, environment=NAME or command=TEXT")
	set.StringVar(&n.site.ClientID, "client-id", "", "OAuth application for the sign-in of keyring and ask")
	set.StringVar(&n.site.Proxy, "proxy", "", "proxy to the site, http://HOST:PORT, https:// or socks5://; none for no proxy")
	set.StringVar(&n.nodes, "nodes", "", "file with the output of kubectl get nodes -o json")
	set.StringVar(&n.command, "nodes-command", "", "command that prints the nodes, such as \"kubectl get nodes -o json\"")
	set.StringVar(&n.alarms, "alarms", "", "how the end of long work is told: bell, notify, both or none")
	set.StringVar(&n.site.Hook, "hook", "", "program to run when an upgrade ends, fails or stalls")
	set.StringVar(&n.poll, "poll", "", "how often the site is asked: slow or normal")
	cmd.MarkFlagsMutuallyExclusive("nodes", "nodes-command")
	for _, flag := range []string{"user", "client-id", "nodes-command"} {
		command.Complete(cmd, flag, nil)
	}
	command.Complete(cmd, "sign-in", []string{"keyring", "ask", "file=", "environment=", "command="})
	command.Complete(cmd, "proxy", []string{sites.NoProxy})
	command.Complete(cmd, "alarms",
		[]string{session.AlarmBell, session.AlarmNotify, session.AlarmBell + "," + session.AlarmNotify, session.AlarmNone})
	command.Complete(cmd, "poll", []string{session.PollSlow, session.PollNormal})
}

func (s commands) add(cmd *cobra.Command, name string, n newSite) error {
	flags := s.Session.Flags()
	switch {
	case flags.URL == "":
		return exit.BadInputf("say the address of the site with --url")
	case flags.Site != "" || len(flags.Unlock) > 0:
		return exit.BadInputf("leave out --site and --unlock: they are about sites that are there")
	case flags.TokenFile != "":
		return exit.BadInput("For a site: --sign-in file=PATH", errors.New("--token-file is about this command alone"))
	}
	site, err := n.from(cmd, name, flags)
	if err != nil {
		return err
	}
	notice := baseOf(&site)
	path, err := s.Session.SitesPath()
	if err != nil {
		return session.BadSites(err)
	}
	before, err := sites.Read(path, s.Session.Options().Config)
	if add := sites.Add; err == nil {
		if n.use {
			add = sites.AddCurrent
		}
		err = add(path, site, s.Session.Options().Config)
	}
	if err != nil {
		return session.BadSites(err)
	}
	file, err := s.Session.SitesFile()
	if err != nil {
		return err
	}
	s.Out.Note(notice)
	sentence := "added " + name + ", " + plain.Line(site.URL) + ", to " + plain.Line(file.Path())
	if file.Current() == name {
		sentence += "; it is the current site"
	}
	if _, locked := before.LockedAt(site.URL); locked != "" {
		s.Out.Note(locked + "; " + name + " starts read-only")
	}
	s.noteLocked(before, file, name)
	return s.done(name, sentence, s.next(site))
}

// noteLocked says which other names of the file are locked since that one is.
func (s commands) noteLocked(before, now *sites.File, name string) {
	for _, other := range now.Sites() {
		was, err := before.Site(other.Name)
		if err == nil && other.Name != name && other.Locked() && !was.Locked() {
			s.Out.Note(other.Name + " is at the address of " + name + ": from now on it starts " +
				startsAs(siteBody(other, "")) + ", too")
		}
	}
}

// baseOf makes the address the root of its site, and returns a notice on it; what is wrong with it is
// told with the other values.
func baseOf(site *sites.Site) string {
	base, notice, err := adminapi.ParseBase(site.URL, true)
	if err != nil {
		return ""
	}
	site.URL = base.String()
	return notice
}

// next warns of files that are not there, and is the command that comes next.
func (s commands) next(site sites.Site) string {
	missing := func(file string) bool {
		_, err := os.Stat(file)
		return file != "" && errors.Is(err, fs.ErrNotExist)
	}
	for _, file := range []string{site.CA, site.ClientCert, site.ClientKey, site.SignIn.File, site.Nodes} {
		if missing(file) {
			s.Out.Note("warning: there is no file " + plain.Line(file))
		}
	}
	next := "{command:whoami --site " + site.Name + "}"
	switch kind := site.SignIn.Kind; {
	case kind == sites.Keyring && s.Session.NoKeyring() != nil:
		s.Out.Note("warning: " + s.Session.NoKeyring().Error())
		return s.Session.Commands(s.Session.InFile(site.Name))
	case kind == sites.Keyring:
		next = "{command:login --site " + site.Name + "}"
	case kind == "", kind == sites.Ask:
		next = "{command:--site " + site.Name + "} (the dashboard asks for the sign-in)"
	case missing(site.SignIn.File):
		next = "{command:token --site " + site.Name + " --out " + plain.ShellWord(site.SignIn.File) + "}"
	}
	return s.Session.Commands(next)
}

// from returns the site that the flags describe. The file checks its values.
func (n newSite) from(cmd *cobra.Command, name string, flags session.Flags) (site sites.Site, err error) {
	site = n.site
	site.URL = flags.URL
	site.Name, site.ReadOnly, site.Insecure, site.AuthHeader = name, flags.ReadOnly, flags.Insecure, flags.AuthHeader
	if header, err := adminapi.ParseAuthHeader(flags.AuthHeader); flags.AuthHeader != "" && err == nil {
		site.AuthHeader = header
	}
	site.Lines = map[string]int{} // what is said, also where it is the default
	for key, flag := range map[string]string{"production": "production", "readOnly": "read-only", "insecure": "insecure", "alarms": "alarms", "poll": "poll"} {
		if given := cmd.Flags().Lookup(flag); given.Changed && given.Value.String() != "" {
			site.Lines[key] = 1
		}
	}
	if site.SignIn, err = parseSignIn(n.signIn); err != nil {
		return site, err
	}
	for _, path := range []struct {
		given string
		into  *string
	}{{flags.CA, &site.CA}, {flags.ClientCert, &site.ClientCert}, {flags.ClientKey, &site.ClientKey},
		{n.nodes, &site.Nodes}, {site.SignIn.File, &site.SignIn.File}} {
		if path.given == "" {
			continue
		}
		if *path.into, err = filepath.Abs(path.given); err != nil {
			return site, exit.BadInput("", err)
		}
	}
	if site.NodesCommand = n.command; n.command != "" {
		if _, err := nodesource.CommandSource(n.command); err != nil {
			return site, exit.BadInputf("--nodes-command: %w", err)
		}
	}
	if n.poll != "" {
		if err := exit.OneOf("--poll", n.poll, []string{session.PollSlow, session.PollNormal}); err != nil {
			return site, err
		}
	}
	site.Slow = n.poll == session.PollSlow
	if n.alarms != "" {
		calls, err := command.AlarmKinds(n.alarms)
		if err != nil {
			return site, err
		}
		site.Bell, site.Notify = calls.Bell, calls.Notify
	}
	return site, nil
}

// parseSignIn reads what --sign-in takes. Its error does not repeat it: it may be a secret.
func parseSignIn(text string) (sites.SignIn, error) {
	kind, value, valued := strings.Cut(text, "=")
	how := sites.SignIn{Kind: sites.Kind(kind)}
	valid := value != ""
	switch how.Kind {
	case "", sites.Keyring, sites.Ask:
		valid = !valued
	case sites.FromFile:
		how.File = value
	case sites.Environment:
		how.Variable = value
	case sites.Command:
		how.Command = value
	default:
		valid = false
	}
	if !valid {
		return how, exit.BadInputf("--sign-in takes keyring, ask, file=PATH, environment=NAME or command=TEXT")
	}
	return how, nil
}
