package placement

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi/document"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

// presetLong is the help for rules that need no file.
const presetLong = `--preset gives a deployment ready-made rules in place of its affinity, and adds the
tolerations that they need: see placement presets. --from gives it the rules of another
service: those of the deployment of the same type, else of the first. A service with
several deployments needs --deployment.`

// presetOptions are the flags for rules that need no file.
type presetOptions struct{ preset, key, value, from, deployment string }

// register adds the flags to apply, which takes nothing else beside them.
func (o *presetOptions) register(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&o.preset, "preset", "", "ready-made rules, by their name: see geodeck placement presets")
	set.StringVar(&o.key, "key", "", "label of nodes that the preset is about, if not that of placement presets")
	set.StringVar(&o.value, "value", "", "value of the label, such as a zone or a pool")
	set.StringVar(&o.from, "from", "", "service to copy the rules of")
	set.StringVar(&o.deployment, "deployment", "", "id or type of the deployment, if a service has several")
	command.Complete(cmd, "preset", presetNames())
	command.Complete(cmd, "deployment", nil)
	cmd.MarkFlagsMutuallyExclusive("file", "plan", "preset", "from")
	command.Excludes(cmd, "key", "file", "plan", "from")
	command.Excludes(cmd, "value", "file", "plan", "from")
	command.Excludes(cmd, "deployment", "file", "plan")
	command.Excludes(cmd, "base", "preset", "from")
}

// given reports whether the rules come from a preset or a service.
func (o presetOptions) given() bool { return o.preset != "" || o.from != "" }

// rules gives a deployment of a policy its rules.
type rules func(policy placement.Policy, item int) (placement.Policy, error)

// presetRules are the rules of the preset or the service that the flags name.
func (p commands) presetRules(ctx context.Context, o presetOptions, nodes []placement.Node) (rules, error) {
	if o.from != "" {
		service, err := command.ServiceNamed(o.from)
		if err != nil {
			return nil, err
		}
		site, err := p.Session.Site(ctx)
		if err != nil {
			return nil, err
		}
		from, err := editing.ReadPolicy(ctx, site.Client, service)
		if err != nil {
			return nil, p.OrNotThere(ctx, site, service, err)
		}
		return func(policy placement.Policy, item int) (placement.Policy, error) {
			return policy.CopyRulesOf(item, from)
		}, nil
	}
	preset, err := presetNamed(o.preset, nodes)
	if err != nil {
		return nil, err
	}
	key, value := cmp.Or(o.key, preset.Key), cmp.Or(o.value, preset.Value)
	switch {
	case o.key != "" && preset.KeyLabel == "":
		return nil, exit.BadInputf("the preset %s takes no --key", preset.ID)
	case o.value != "" && preset.ValueLabel == "":
		return nil, exit.BadInputf("the preset %s takes no --value", preset.ID)
	case value == "" && preset.ValueLabel != "":
		return nil, exit.BadInputf("say --value, the %s", preset.ValueLabel)
	}
	return func(policy placement.Policy, item int) (placement.Policy, error) {
		return preset.Apply(policy, item, key, value)
	}, nil
}

func presetNamed(name string, nodes []placement.Node) (placement.Preset, error) {
	all := placement.Presets(nodes)
	i := slices.IndexFunc(all, func(preset placement.Preset) bool { return preset.ID == name })
	if i < 0 {
		known := lists.Each(all, func(preset placement.Preset) string { return preset.ID })
		return placement.Preset{}, exit.BadInput(cmp.Or(command.Meant(name, known), "List them: {command:placement presets}"),
			fmt.Errorf("there is no preset %q", plain.Clip(name, 60)))
	}
	return all[i], nil
}

// in gives the deployment that is named, or the only one, its rules in the policy of a site.
func (r rules) in(now *document.Document, deployment string) (*document.Document, error) {
	policy, err := placement.FromDocument(now)
	if err != nil || policy.Form() != placement.WholePolicy {
		return nil, errors.New("the site's answer is not a placement policy; its rules cannot be changed")
	}
	items := policy.Items()
	var found []int
	for i, item := range items {
		if deployment == "" || item.DeploymentID == deployment || strings.EqualFold(item.DeploymentType, deployment) {
			found = append(found, i)
		}
	}
	switch {
	case len(items) == 0:
		return nil, errors.New("it has no deployment")
	case len(found) == 0:
		return nil, whichDeployment(items, errors.New("it has no deployment "+plain.Line(deployment)))
	case len(found) > 1:
		return nil, whichDeployment(items, fmt.Errorf("it has %d deployments: choose one", len(found)))
	}
	policy, err = r(policy, found[0])
	if err != nil {
		return nil, err
	}
	return policy.Document(), nil
}

func (p commands) presetsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "presets [NAME]",
		Short: "List ready-made rules, or show what one does",
		Long: `List ready-made rules, or show what one does, without contacting the site. With --nodes
or --nodes-command, labels and values are those of the nodes.

-o json prints items of {id,title,text,keyLabel,key,valueLabel,value}, and of one the
object with its "rules", a file for placement apply -f.`,
		Example: `  geodeck placement presets --nodes nodes.json
  geodeck placement apply SampleWorldCities.MapServer --preset dedicated --key pool --value gis --dry-run`,
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: presetNames(),
		RunE:      command.RunsOn(p.presets),
	}
	p.nodes.Register(cmd)
	return cmd
}

// presetNames complete the name of a preset.
func presetNames() []string {
	return lists.Each(placement.Presets(nil), func(p placement.Preset) string { return cobra.CompletionWithDesc(p.ID, p.Text) })
}

// presetJSON is a preset with what it proposes.
type presetJSON struct {
	placement.Preset
	Rules jsontext.Value `json:"rules,omitzero"` // with that key and value
}

func (p commands) presets(ctx context.Context, name string) error {
	nodes, err := p.nodes.Given(ctx)
	if err != nil {
		return err
	}
	if name != "" {
		return p.showPreset(name, nodes)
	}
	return output.PrintAll(p.Out, placement.Presets(nodes.List), []string{"PRESET", "KEY", "VALUE", "WHAT IT DOES"},
		func(l *output.Renderer, preset placement.Preset) []output.Cell {
			return l.Row(preset.ID, preset.Key, preset.Value, preset.Text)
		})
}

// showPreset prints what a preset makes of a deployment without rules.
func (p commands) showPreset(name string, nodes nodesource.Nodes) error {
	preset, err := presetNamed(name, nodes.List)
	if err != nil {
		return err
	}
	shown, lines := presetJSON{Preset: preset}, []string{preset.Text}
	if preset.KeyLabel != "" {
		lines = append(lines, "--key    "+preset.KeyLabel+": "+preset.Key)
	}
	if preset.ValueLabel != "" {
		lines = append(lines, "--value  "+preset.ValueLabel+": "+cmp.Or(preset.Value, "to be given"))
	}
	if preset.ValueLabel == "" || preset.Value != "" {
		bare, err := placement.Parse([]byte(`{"podPlacementPolicy":{}}`))
		if err != nil {
			return err
		}
		made, err := preset.Apply(bare, 0, preset.Key, preset.Value)
		if err != nil {
			return err
		}
		shown.Rules = made.Bytes()
		lines = append(lines, placement.Sentence(made.Items()[0]))
	}
	if p.Out.JSON() {
		return p.Out.PrintValue(shown)
	}
	return p.Out.PrintLines(lines...)
}
