package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/sites"
	"geodeck/ui/cli/output"
)

// siteCommands are the commands of "geodeck site". None contacts a site.
type siteCommands struct{ shared }

// siteCommand makes "geodeck site".
func siteCommand(of shared) *cobra.Command {
	s := siteCommands{of}
	return group("site", "Name your sites in config.yaml, and choose one",
		verb("list", "List the sites of config.yaml", cobra.NoArgs, runs(s.list)),
		s.addCommand(), s.useCommand(), s.showCommand(), s.removeCommand(), s.schemaCommand())
}

// siteJSON is a site of config.yaml for scripts.
type siteJSON struct {
	Name       string `json:"name"`
	URL        string `json:"url"`
	Current    bool   `json:"current"`
	Production bool   `json:"production"`
	ReadOnly   bool   `json:"readOnly"`
	Locked     bool   `json:"locked"` // starts read-only
	SignIn     string `json:"signIn"` // keyring, ask, file, environment or command
}

func siteBody(site sites.Site, current string) siteJSON {
	return siteJSON{
		Name: site.Name, URL: site.URL, Current: site.Name == current, Production: site.Production, ReadOnly: site.ReadOnly,
		Locked: site.Locked(), SignIn: string(cmp.Or(site.SignIn.Kind, defaultSignIn)),
	}
}

func (s siteCommands) list(context.Context) error {
	file, err := s.session.sitesFile()
	if err != nil {
		return err
	}
	all, current := file.Sites(), file.Current()
	if _, err := file.Site(current); current != "" && err != nil {
		s.out.Note(fmt.Sprintf("warning: the current site %s is not in the file; choose another: {command:site use NAME}", plain.Clip(plain.Line(current), sites.MaxName)))
	}
	if len(all) == 0 && !s.out.JSON() {
		return s.out.PrintLines("There are no sites in "+cmp.Or(file.Path(), "config.yaml")+".", s.session.commands(adviceAdd))
	}
	bodies := each(all, func(site sites.Site) siteJSON { return siteBody(site, current) })
	return output.PrintAll(s.out, bodies, []string{"NAME", "CHOSEN", "STARTS", "SIGN-IN", "URL"},
		func(l *output.Renderer, site siteJSON) []output.Cell {
			chosen := "-"
			if site.Current {
				chosen = "current"
			}
			return l.Row(site.Name, chosen, startsAs(site), site.SignIn, site.URL)
		})
}

// startsAs says whether a site may be changed from the start.
func startsAs(site siteJSON) string {
	switch {
	case site.Production:
		return "read-only (production)"
	case site.ReadOnly:
		return "read-only"
	}
	return "writable"
}

func (s siteCommands) useCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "use NAME",
		Short:             "Choose the site of the commands that name none",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: s.session.siteArgument,
		RunE:              runsOn(s.use),
	}
}

func (s siteCommands) use(_ context.Context, name string) error {
	path, err := s.session.sitesPath()
	if err == nil {
		err = sites.Use(path, name)
	}
	if err != nil {
		return badSites(err)
	}
	for _, variable := range []string{envSite, envURL} {
		if s.session.env(variable) != "" {
			s.out.Note("warning: " + variable + " is set, and goes before it")
		}
	}
	return s.done(name, name+" is the current site", "")
}

// done says what became of a site of the file, and what comes next.
func (s siteCommands) done(name, sentence, next string) error {
	if !s.out.JSON() {
		if err := s.out.PrintLine("done: " + sentence); err != nil || next == "" {
			return err
		}
		return s.out.PrintLine("Next: " + next)
	}
	file, err := s.session.sitesFile()
	if err != nil {
		return err
	}
	site, err := file.Site(name)
	if err != nil {
		return badSites(err)
	}
	return s.out.PrintValue(siteBody(site, file.Current()))
}

func (s siteCommands) removeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a site from config.yaml",
		Long: `Remove a site from config.yaml, with the comments within its lines. What this machine has
recorded of the site stays, and so does what the keyring holds: the command says where.`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: s.session.siteArgument,
		RunE:              runsOn(s.remove),
	}
}

// removedJSON is a site that was removed.
type removedJSON struct {
	Removed siteJSON `json:"removed"`
	Records bool     `json:"records"` // of the site stay on this machine
	Keyring bool     `json:"keyring"` // may still hold its password or token
}

func (s siteCommands) remove(_ context.Context, name string) error {
	file, err := s.session.sitesFile()
	if err != nil {
		return err
	}
	site, err := file.Site(name)
	if err == nil {
		err = sites.Remove(file.Path(), name)
	}
	if err != nil {
		return badSites(err)
	}
	removed := removedJSON{Removed: siteBody(site, file.Current()), Keyring: site.SignIn.Kind == sites.Keyring}
	folder, _ := s.session.stateFolder()
	if record, err := s.session.recordAt(site.URL); err == nil {
		removed.Records = record.Close() == nil
	}
	if s.out.JSON() {
		return s.out.PrintValue(removed)
	}
	if err := s.out.PrintLine("done: removed " + name); err != nil {
		return err
	}
	if removed.Removed.Current {
		s.out.Note("no site is the current one now; choose one: {command:site use NAME}")
	}
	if removed.Records {
		s.out.Note("what was sent to it stays recorded in " + plain.Line(folder))
	}
	if removed.Keyring {
		s.out.Note("the keyring may still hold its sign-in; remove that: " + operation.CommandText("logout --url", site.URL))
	}
	return nil
}

func (s siteCommands) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of config.yaml, for editors",
		Example: `  geodeck site schema > ~/.config/geodeck/config.schema.json
  # and the first line of config.yaml: # yaml-language-server: $schema=config.schema.json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := s.out.Out.Write(sites.Schema())
			return err
		},
	}
}

func (s siteCommands) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show [NAME]",
		Short: "Print each setting of a site, and where it comes from",
		Long: `Print each setting of a site, and where it comes from: a flag, a variable of the
environment, a line of config.yaml, or the default. Without NAME it is the chosen site.
With NAME the settings are those of --site NAME.

The site is not contacted. Of a token it prints only whether it is set.`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: s.session.siteArgument,
		RunE:              runsOn(s.show),
	}
}

// shownJSON are the settings of a site, for scripts.
type shownJSON struct {
	Name     string        `json:"name"` // empty for one given by its address
	Config   string        `json:"config"`
	Locked   bool          `json:"locked"`
	Settings []settingJSON `json:"settings"`
}

func (s siteCommands) show(_ context.Context, name string) error {
	given, of := s.session.flags(), s.session
	if name != "" {
		if (given.site != "" && given.site != name) || given.url != "" {
			return badInput("Leave out --site and --url.", errTwoSites)
		}
		of = of.named(name)
	}
	return s.exit.on(of).explained(s.showSettings(of, name))
}

func (s siteCommands) showSettings(of *session, name string) error {
	chosen, err := of.settings()
	if err != nil {
		return err
	}
	if chosen.url.value == "" {
		return badInput("List the sites: {command:site list}", errNoSite)
	}
	if name != "" {
		chosen.site.from = "the argument"
	}
	s.out.Note(chosen.which)
	shown := shownJSON{Name: chosen.named.Name, Config: of.filePath(), Locked: chosen.locked(), Settings: of.explained(chosen)}
	if s.out.JSON() {
		return s.out.PrintValue(shown)
	}
	return output.PrintEach(s.out, shown.Settings, []string{"SETTING", "VALUE", "FROM"},
		func(l *output.Renderer, one settingJSON) []output.Cell {
			return l.Row(one.Key, cmp.Or(one.Value, "-"), one.From)
		})
}

// newSite is what flags say of a site that is added. Those of the connection mean it, too.
type newSite struct {
	site                   sites.Site
	signIn, nodes, command string
	alarms, poll           string
	use                    bool
}

func (s siteCommands) addCommand() *cobra.Command {
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
	set.BoolVar(&n.use, "use", false, "make it the current site")
	cmd.MarkFlagsMutuallyExclusive("nodes", "nodes-command")
	for _, flag := range []string{"user", "client-id", "nodes-command"} {
		complete(cmd, flag, nil)
	}
	complete(cmd, "sign-in", []string{"keyring", "ask", "file=", "environment=", "command="})
	complete(cmd, "proxy", []string{sites.NoProxy})
	complete(cmd, "alarms", []string{alarmBell, alarmNotify, alarmBell + "," + alarmNotify, alarmNone})
	complete(cmd, "poll", []string{pollSlow, pollNormal})
	return cmd
}

func (s siteCommands) add(cmd *cobra.Command, name string, n newSite) error {
	flags := s.session.flags()
	switch {
	case flags.url == "":
		return badInputf("say the address of the site with --url")
	case flags.site != "" || len(flags.unlock) > 0:
		return badInputf("leave out --site and --unlock: they are about sites that are there")
	case flags.tokenFile != "":
		return badInput("For a site: --sign-in file=PATH", errors.New("--token-file is about this command alone"))
	}
	site, err := n.from(cmd, name, flags)
	if err != nil {
		return err
	}
	base, notice, err := adminapi.ParseBase(flags.url, flags.insecure)
	if site.URL = flags.url; err == nil { // what is wrong with it is told with the other values
		site.URL = base.String()
		s.out.Note(notice)
	}
	path, err := s.session.sitesPath()
	locked := ""
	if err == nil {
		if before, err := sites.Read(path); err == nil {
			_, locked = before.LockedAt(site.URL)
		}
		err = sites.Add(path, site)
	}
	if err == nil && n.use {
		err = sites.Use(path, name)
	}
	if err != nil {
		return badSites(err)
	}
	file, err := s.session.sitesFile()
	if err != nil {
		return err
	}
	sentence := "added " + name + " to " + plain.Line(file.Path())
	if file.Current() == name {
		sentence += "; it is the current site"
	}
	if locked != "" {
		s.out.Note(locked + "; " + name + " starts read-only")
	}
	for _, file := range []string{site.CA, site.ClientCert, site.ClientKey, site.SignIn.File, site.Nodes} {
		if _, err := os.Stat(file); file != "" && errors.Is(err, fs.ErrNotExist) {
			s.out.Note("warning: there is no file " + plain.Line(file))
		}
	}
	next := "{command:whoami --site " + name + "}"
	switch site.SignIn.Kind {
	case sites.Keyring:
		next = "{command:login --site " + name + "}"
	case "", sites.Ask:
		next = "{command:--site " + name + "} (the dashboard asks for the sign-in)"
	}
	return s.done(name, sentence, s.session.commands(next))
}

// from returns the site that the flags describe. The file checks its values.
func (n newSite) from(cmd *cobra.Command, name string, flags flags) (site sites.Site, err error) {
	site = n.site
	site.Name, site.ReadOnly, site.Insecure, site.AuthHeader = name, flags.readOnly, flags.insecure, flags.authHeader
	if header, err := adminapi.ParseAuthHeader(flags.authHeader); flags.authHeader != "" && err == nil {
		site.AuthHeader = header
	}
	site.Lines = map[string]int{} // what is said, also where it is the default
	for key, flag := range map[string]string{"production": "production", "readOnly": "read-only", "insecure": "insecure", "alarms": "alarms", "poll": "poll"} {
		if cmd.Flags().Changed(flag) {
			site.Lines[key] = 1
		}
	}
	if site.SignIn, err = parseSignIn(n.signIn); err != nil {
		return site, err
	}
	for _, path := range []struct {
		given string
		into  *string
	}{{flags.ca, &site.CA}, {flags.clientCert, &site.ClientCert}, {flags.clientKey, &site.ClientKey}, {n.nodes, &site.Nodes}, {site.SignIn.File, &site.SignIn.File}} {
		if path.given == "" {
			continue
		}
		if *path.into, err = filepath.Abs(path.given); err != nil {
			return site, badInput("", err)
		}
	}
	if site.NodesCommand = n.command; n.command != "" {
		if _, err := nodesource.CommandSource(n.command); err != nil {
			return site, badInputf("--nodes-command: %w", err)
		}
	}
	if n.poll != "" {
		if err := oneOf("--poll", n.poll, []string{pollSlow, pollNormal}); err != nil {
			return site, err
		}
	}
	site.Slow = n.poll == pollSlow
	if n.alarms != "" {
		calls, err := alarmKinds(n.alarms)
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
		return how, badInputf("--sign-in takes keyring, ask, file=PATH, environment=NAME or command=TEXT")
	}
	return how, nil
}
