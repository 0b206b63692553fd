package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// partCommands are the commands that the two parts of a service have in common: its
// definition (geodeck service) and its placement policy (geodeck placement).
type partCommands struct {
	shared
	part  editing.Part
	nodes *nodes // for rules: the nodes of the cluster
}

// help writes the names of the part, of what a file of it holds, and of its commands into
// a text.
func (p partCommands) help(text string) string {
	names := []string{"PARTS", "definitions", "PART", "definition", "INPUT", "definition", "GROUP", "service"}
	if p.part == editing.Placement {
		names = []string{"PARTS", "placement policies", "PART", "placement policy", "INPUT", "rules", "GROUP", "placement"}
	}
	return strings.NewReplacer(names...).Replace(text)
}

// targetNamed parses the name of a service.
func (p partCommands) targetNamed(name string) (editing.Target, error) {
	service, err := serviceNamed(name)
	return editing.Target{Service: service, Part: p.part}, err
}

func (p partCommands) getCommand() *cobra.Command {
	var pretty bool
	cmd := &cobra.Command{
		Use:   "get [FOLDER/]NAME.TYPE",
		Short: p.help("Print the PART of a service"),
		Long: p.help(`Print the PART of a service.

A pipe or a file gets it byte for byte as the site sent it: a good base for
GROUP apply. --pretty sets it out in lines, to be edited. On a terminal the JSON is
indented, and control characters are printed as escapes.`),
		Example: p.help("  geodeck GROUP get SampleWorldCities.MapServer > base.json\n  geodeck GROUP get SampleWorldCities.MapServer --pretty > edited.json"),
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.get(cmd.Context(), args[0], pretty) },
	}
	cmd.Flags().BoolVar(&pretty, "pretty", false, "set the JSON out in lines")
	return cmd
}

func (p partCommands) get(ctx context.Context, name string, pretty bool) error {
	target, err := p.targetNamed(name)
	if err != nil {
		return err
	}
	site, err := p.session.site(ctx)
	if err != nil {
		return err
	}
	read := site.Client.Services.Definition
	if p.part == editing.Placement {
		read = site.Client.Services.Placement
	}
	raw, err := read(ctx, target.Service)
	if err != nil {
		return p.orNotThere(ctx, site, target.Service, err)
	}
	if pretty {
		raw = operation.InLines(string(raw))
	}
	return p.out.PrintContent(raw)
}

func (p partCommands) historyCommand() *cobra.Command {
	short := p.help("List the PARTS saved before edits, or print one")
	return &cobra.Command{
		Use:   "history [FOLDER/]NAME.TYPE [ID]",
		Short: short,
		Long:  short + ".\n\nEvery edit from this machine saves the old version here. The site is not contacted.",
		Example: p.help(`  geodeck GROUP history SampleWorldCities.MapServer
  geodeck GROUP history SampleWorldCities.MapServer 20261120T140503.000Z-9f2c1a7b4e60 > before.json`),
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := p.targetNamed(args[0])
			if err != nil {
				return err
			}
			return printBackups(cmd.Context(), p.shared, target, first(args[1:]))
		},
	}
}

// What the help of the commands that send a part has in common.
const (
	sendDefinitionLong = `The steps: check the rules of the fields, confirm keys that would be lost, fetch the
definition again (a change since then stops the edit), save the old one on this machine,
send the new one once, wait for its job, and compare what the site has with what was
sent. A service that does not answer then is a warning; --wait waits until it does.
-o json prints the plan, with "sent", even if it is refused.

` + planLong + `

Exit codes: 0 done, or nothing to do; 1 accepted but not kept, or the job failed; 2
bad input, with its line; 4 refused, keys that nobody agreed to lose, drift, a conflict,
or a plan that does not fit; 5 not sent, safe to try again; 6 sent, outcome unknown; 7
the time was up before the job ended, or with --wait before the service answered.`

	sendPlacementLong = `The steps: check the rules, fetch the policy again (a change since then stops the edit),
save the old one on this machine, send the new one once, and compare what the site has
with what was sent. Rules that no node can meet are refused, because the pods would stay
Pending; --allow-none sends them anyway. With --nodes or --nodes-command, rules that none
of these nodes meets are refused too.

After the edit the pods are replaced one after the other. --wait waits until all are
ready, for as long as --timeout allows. If the site does not report its pods, a warning
says so, and the command still succeeds. -o json prints the plan, with "sent", even if it
is refused.

` + planLong + `

Exit codes: 0 done, or nothing to do; 1 accepted but not kept, or the job failed; 2
bad input, with its line, rules that would be refused, with their path, or nodes that
cannot be read; 4 refused, no node, drift, a conflict, or a plan that does not fit; 5 not
sent, safe to try again; 6 sent, outcome unknown; 7 the time was up before the job
ended, or with --wait before all pods were ready.`
)

// sendOptions are the flags of the commands that send a part.
type sendOptions struct {
	dryRun          bool
	allowLost       []string // keys of a definition
	allowNone, wait bool     // for rules
	file, base      string   // of apply
	plan, savePlan  string   // files of plans: to apply, and to write in place of sending
	rules           presetOptions
	partial         bool // of several services: send to those that can take it
}

// sending reports whether anything is to be sent.
func (o sendOptions) sending() bool { return !o.dryRun && o.savePlan == "" }

// dryRunUsage is the help for --dry-run.
const dryRunUsage = "print what would be done and the request, and send nothing"

// sends adds to a command the flags that apply, edit and restore have in common.
func (p partCommands) sends(cmd *cobra.Command, o *sendOptions) *cobra.Command {
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, dryRunUsage)
	cmd.Flags().StringVar(&o.savePlan, "save-plan", "", "new private file for the reviewed edit; nothing is sent")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "save-plan")
	if p.part == editing.Placement {
		cmd.Flags().BoolVar(&o.allowNone, "allow-none", false, "send rules that no node meets: the pods stay Pending")
		cmd.Flags().BoolVar(&o.wait, "wait", false, "wait until the pods whose rules have changed are ready again")
		p.nodes.register(cmd)
	} else {
		cmd.Flags().BoolVar(&o.wait, "wait", false, "wait until the service answers")
		cmd.Flags().StringArrayVar(&o.allowLost, "allow-lost", nil, "path of a key that may be lost, such as extensions[WFSServer]; repeat for more")
	}
	return p.addOverride(cmd, "the service")
}

// sendsToSeveral adds the flag for several services.
func sendsToSeveral(cmd *cobra.Command, o *sendOptions) {
	cmd.Flags().BoolVar(&o.partial, "partial", false, "of several services: send to those that can take it")
}

// editEach plans an edit of each of several services, and sends it. Where it cannot be made in
// a service, that is bad input. removed are keys whose removal was asked for.
func (p partCommands) editEach(ctx context.Context, services []adminapi.ServiceRef, o sendOptions, nodes nodesource.Nodes, removed []document.Path,
	edit func(now *document.Document) (*document.Document, error),
) error {
	allowed, err := pathsOf("allow-lost", o.allowLost)
	if err != nil {
		return err
	}
	site, err := p.session.siteFor(ctx, !o.sending())
	if err != nil {
		return err
	}
	planned := batching.PlanEach(ctx, site, services, p.part, nodes.List, func(service adminapi.ServiceRef, now *document.Document) (*document.Document, error) {
		edited, err := edit(now)
		if _, explained := errors.AsType[*failure](err); err != nil && !explained {
			err = badInput("What the site has: "+commandOn(editing.Target{Service: service, Part: p.part}, "get"), err)
		}
		return edited, err
	})
	for i := range planned {
		e := &planned[i]
		e.AllowRemoved, e.AllowNone = slices.Clone(allowed), o.allowNone
		for _, path := range e.Plan.RemovedKeys {
			if slices.Contains(removed, path) {
				e.AllowRemoved = append(e.AllowRemoved, path)
			}
		}
	}
	return p.sendEach(ctx, site, planned, o, p.part == editing.Definition)
}

// servicesNamed reads the names of one or several services, each once.
func servicesNamed(names []string) (services []adminapi.ServiceRef, err error) {
	for _, name := range names {
		service, err := serviceNamed(name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(services, func(s adminapi.ServiceRef) bool { return strings.EqualFold(s.Path(), service.Path()) }) {
			return nil, badInputf("%s is named twice; nothing was sent", service.Path())
		}
		services = append(services, service)
	}
	return services, nil
}

// newEdit makes an edit of a service, without what is edited, from its name and the flags.
func (p partCommands) newEdit(name string, o sendOptions) (edit editing.Edit, err error) {
	if edit.Target, err = p.targetNamed(name); err != nil {
		return edit, err
	}
	edit.AllowNone = o.allowNone
	edit.AllowRemoved, err = pathsOf("allow-lost", o.allowLost)
	return edit, err
}

const (
	applyDefinitionLong = `Replace the definition of a service with that in a file, without losing anything.

--base names the file that you edited, as service get printed it: changes made at the
site since then are kept, and what both sides changed differently is a conflict. Without
--base, FILE replaces whatever the site has.

` + sendDefinitionLong

	applyPlacementLong = `Replace the rules that place the pods of a service with those in a file.

` + policyLong + `
Deployments that FILE does not name stay as they are. One deployment or the rules alone
are enough if the service has only one. Only the rules are taken from FILE; everything
else stays as the site has it.

` + presetLong + `

` + batchLong + `

--base names the policy that you edited, as placement get printed it: changes made at the
site since then are kept, and what both sides changed differently is a conflict. Without
--base, FILE replaces whatever the site has.

` + sendPlacementLong
)

func (p partCommands) applyCommand() *cobra.Command {
	var o sendOptions
	cmd := &cobra.Command{
		Use:   "apply [FOLDER/]NAME.TYPE -f FILE | --plan FILE",
		Short: "Replace the definition of a service with that in a file, without losing anything",
		Long:  applyDefinitionLong,
		Example: `  geodeck service get SampleWorldCities.MapServer > base.json
  geodeck service apply SampleWorldCities.MapServer -f edited.json --base base.json --dry-run
  geodeck service apply SampleWorldCities.MapServer -f edited.json --allow-lost 'extensions[WFSServer]'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.plan != "" { // it names its services
				return cobra.NoArgs(cmd, args)
			}
			if p.part == editing.Placement {
				return cobra.MinimumNArgs(1)(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.plan != "" {
				return p.applyPlan(cmd.Context(), o)
			}
			if len(args) > 1 || o.rules.given() {
				return p.applyEach(cmd.Context(), args, o)
			}
			return p.apply(cmd.Context(), args[0], o)
		},
	}
	if p.part == editing.Placement {
		cmd.Use = "apply [FOLDER/]NAME.TYPE... -f FILE | --preset NAME | --from SERVICE | --plan FILE"
		cmd.Short, cmd.Long = "Replace the rules that place the pods of a service with those in a file", applyPlacementLong
		cmd.Example = `  geodeck placement get SampleWorldCities.MapServer > policy.json
  geodeck placement apply SampleWorldCities.MapServer -f policy.json --nodes nodes.json --dry-run
  geodeck placement apply SampleWorldCities.MapServer -f policy.json --nodes nodes.json --wait --timeout 10m`
	}
	set := cmd.Flags()
	set.StringVarP(&o.file, "file", "f", "", p.help("file with the new INPUT; - is the standard input"))
	set.StringVar(&o.base, "base", "", p.help("file with the PART that the edit started from"))
	sendsToSeveral(cmd, &o)
	set.StringVar(&o.plan, "plan", "", "file of --save-plan: send exactly what it holds")
	p.sends(cmd, &o)
	excludes(cmd, "plan", "file", "base", "save-plan")
	if p.part == editing.Placement {
		o.rules.register(cmd)
	}
	return cmd
}

func (p partCommands) apply(ctx context.Context, name string, o sendOptions) error {
	edit, rules, err := p.editOf(ctx, name, o)
	if err != nil {
		return err
	}
	site, err := p.session.siteFor(ctx, !o.sending())
	if err != nil {
		return err
	}
	now, err := readToEdit(ctx, site, edit.Target)
	if err != nil {
		return p.orNotThere(ctx, site, edit.Target.Service, err)
	}
	if p.part == editing.Placement {
		if edit.Edited, err = editing.PolicyOnto(cmp.Or(edit.Base, now.Document), rules); err != nil {
			return badInput("What the site has: "+commandOn(edit.Target, "get"), fmt.Errorf("%w; nothing was sent", err))
		}
	}
	if edit, err = rebase(edit, now.Document); err != nil {
		return err
	}
	return p.send(ctx, change{shared: p.shared, site: site, edit: planned(edit), options: o})
}

// editOf reads arguments and files, before anything is fetched. Rules are put into the
// policy of the site once that is known.
func (p partCommands) editOf(ctx context.Context, name string, o sendOptions) (edit editing.Edit, rules []byte, err error) {
	if edit, err = p.newEdit(name, o); err != nil {
		return edit, nil, err
	}
	if p.part == editing.Definition {
		if o.file == fromInput && o.base == fromInput {
			return edit, nil, badInput("", errTwoInputs)
		}
		if edit.Edited, err = documentFrom(ctx, p.in, "file", o.file, p.part); err == nil && o.base != "" {
			edit.Base, err = documentFrom(ctx, p.in, "base", o.base, p.part)
		}
		return edit, nil, err
	}
	if o.file == "" {
		return edit, nil, noFile("file", p.part)
	}
	source, err := p.nodes.sourceWith(o.file, o.base)
	if err != nil {
		return edit, nil, err
	}
	if _, rules, err = policyFrom(ctx, p.in, o.file); err != nil {
		return edit, nil, err
	}
	if o.base != "" {
		if edit.Base, err = p.wholePolicy(ctx, o.base); err != nil {
			return edit, nil, err
		}
	}
	nodes, err := p.nodes.read(ctx, source)
	edit.Nodes = nodes.List
	return edit, rules, err
}

// applyEach replaces the rules of several services.
func (p partCommands) applyEach(ctx context.Context, names []string, o sendOptions) error {
	services, err := servicesNamed(names)
	switch {
	case err != nil:
		return err
	case o.base != "":
		return badInput("Leave out --base, or apply it to one service at a time.", errors.New("--base is of one service; nothing was sent"))
	case o.file == "" && !o.rules.given():
		return noFile("file", p.part)
	}
	source, err := p.nodes.sourceWith(o.file)
	if err != nil {
		return err
	}
	var text []byte
	if o.file != "" {
		if _, text, err = policyFrom(ctx, p.in, o.file); err != nil {
			return err
		}
	}
	nodes, err := p.nodes.read(ctx, source)
	if err != nil {
		return err
	}
	edit := func(now *document.Document) (*document.Document, error) { return editing.PolicyOnto(now, text) }
	if o.rules.given() {
		made, err := p.presetRules(ctx, o.rules, nodes.List)
		if err != nil {
			return err
		}
		edit = func(now *document.Document) (*document.Document, error) { return made.in(now, o.rules.deployment) }
	}
	return p.editEach(ctx, services, o, nodes, nil, edit)
}

// wholePolicy reads the placement policy that an edit started from.
func (p partCommands) wholePolicy(ctx context.Context, path string) (*document.Document, error) {
	base, err := documentFrom(ctx, p.in, "base", path, editing.Placement)
	if err != nil {
		return nil, err
	}
	policy, err := placement.FromDocument(base)
	if err == nil && policy.Form() != placement.WholePolicy {
		err = errors.New("this is not a whole placement policy")
	}
	if err != nil {
		return nil, badInput("Use what this prints: {command:placement get NAME.TYPE}", fmt.Errorf("--base: %s: %w; nothing was sent", plain.Line(path), err))
	}
	return base, nil
}

func (p partCommands) restoreCommand() *cobra.Command {
	var o sendOptions
	long := "On a terminal, you confirm removed keys and the sending.\n\n" + sendDefinitionLong
	if p.part == editing.Placement {
		long = "On a terminal, you confirm the sending, and rules that no node meets with the\nname of the service.\n\n" + sendPlacementLong
	}
	cmd := &cobra.Command{
		Use:     "restore [FOLDER/]NAME.TYPE ID",
		Short:   p.help("Restore a PART saved before an edit"),
		Long:    p.help("Restore a whole PART saved before an edit.\n\n") + long,
		Example: p.help("  geodeck GROUP restore SampleWorldCities.MapServer 20261120T140503.000Z-9f2c1a7b4e60 --dry-run"),
		Args:    cobra.ExactArgs(2),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.restore(cmd.Context(), args[0], args[1], o) },
	}
	return p.sends(cmd, &o)
}

func (p partCommands) restore(ctx context.Context, name, id string, o sendOptions) error {
	edit, err := p.newEdit(name, o)
	if err != nil {
		return err
	}
	if p.part == editing.Placement {
		nodes, err := p.nodes.given(ctx)
		if err != nil {
			return err
		}
		edit.Nodes = nodes.List
	}
	site, err := p.session.siteToWrite(ctx)
	if err != nil {
		return err
	}
	edit.Why = "restoring " + id
	if edit.Edited, err = site.Memory.ReadBackup(edit.Target, id); err != nil {
		return noBackup(edit.Target, err)
	}
	now, err := readToEdit(ctx, site, edit.Target)
	if err != nil {
		return p.orNotThere(ctx, site, edit.Target.Service, err)
	}
	edit.Base = now.Document
	return p.send(ctx, change{p.shared, site, planned(edit), o, newPrompter(p.shared).confirmation()})
}

// send sends a change. For rules it says what that means for the pods, and waits for them
// with --wait.
func (p partCommands) send(ctx context.Context, c change) error {
	moves := c.edit.Plan.Moves
	p.noteNodes(c.edit)
	p.noteShared(ctx, c.site, moves)
	if err := c.run(ctx); err != nil || !c.options.sending() || !c.options.wait {
		return err
	}
	if p.part == editing.Definition {
		p.wait.pods.done = "the edit is done, and the service: "
		_, err := p.awaitAnswer(ctx, c.site, c.edit.Service, editing.DeploymentsOf(p.part, c.edit.Edited))
		return err
	}
	return p.awaitApplied(ctx, c.site, c.edit.Target, moves)
}

// noteNodes says that rules change whose nodes are not known.
func (p partCommands) noteNodes(edits ...batching.PlannedEdit) {
	if slices.ContainsFunc(edits, func(e batching.PlannedEdit) bool { return len(e.Plan.Moves) > 0 && len(e.Nodes) == 0 }) {
		p.out.Note("no nodes were given (--nodes, --nodes-command): placement was not checked")
	}
}

// noteShared names deployments that other services share: their pods are the same. The
// user may lack the privilege to see that.
func (p partCommands) noteShared(ctx context.Context, site operation.Site, moves []editing.Move) {
	for _, m := range moves {
		if m.After.DeploymentID == "" {
			continue
		}
		d, err := site.Client.Deployments.Get(ctx, m.After.DeploymentID)
		if err != nil {
			p.out.Note("whether other services run in the same pods is not known: " + err.Error())
			return
		}
		if d.Shared() {
			p.out.Note("warning: the deployment " + deploymentName(m.After) + " is shared: other services run in the same pods, and move with them")
		}
	}
}
