package placement

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/complete"
)

// slot is the deployment that fetched rules are for. Until they arrive the cursor may
// move, and the policy may be fetched again.
type slot struct {
	item int
	id   string
}

// slot is the deployment under the cursor.
func (t *Tab) slot() slot {
	item := t.builder.Item()
	return slot{item, t.builder.Policy().Items()[item].DeploymentID}
}

// fill puts rules into the builder that were made outside of it, unless a row is being
// typed into.
func (t *Tab) fill(into slot, told string, edit func(policy placement.Policy, item int) (placement.Policy, error)) tea.Cmd {
	if t.Left() || !t.InFront() || t.Unfit() != nil {
		return nil
	}
	policy := t.builder.Policy()
	items := policy.Items()
	switch {
	case t.CapturesText():
		return views.Tell(views.Warning, "Rules unchanged: finish what you type first, then choose again.")
	case into.item >= len(items) || items[into.item].DeploymentID != into.id:
		return views.Tell(views.Warning, "Rules unchanged: that deployment is no longer there. Choose again.")
	}
	edited, err := edit(policy, into.item)
	if err != nil {
		return views.TellFailed("Rules unchanged", err)
	}
	t.builder.Replace(edited)
	return tea.Batch(t.Changed(), views.Tell(views.Info, told+views.Keys(". {key:rules.undo} undoes. Nothing is sent yet.")))
}

// presetForm is what the forms of a preset hold.
type presetForm struct {
	tab        *Tab
	into       slot
	offered    []placement.Preset
	chosen     int
	key, value string
}

// askPreset offers the presets for the deployment under the cursor.
func (t *Tab) askPreset() tea.Cmd {
	f := &presetForm{tab: t, into: t.slot(), offered: placement.Presets(t.Nodes.List())}
	var choices []string
	for _, preset := range f.offered {
		choices = append(choices, preset.Title+": "+preset.Text)
	}
	choices = append(choices, "As another service: Copies its affinity and tolerations.")
	return widget.Choose(t.Env.Theme, widget.FormOptions{
		ID: "services.preset", Title: "Preset", Note: views.Keys("Replaces these rules; {key:rules.undo} undoes. Nothing is sent."), Action: "choose",
	}, "Where its pods run", choices, 0, f.next)
}

// next asks for the labels that the preset is about, prefilled with those of the nodes.
func (f *presetForm) next(chosen int) tea.Cmd {
	if f.chosen = chosen; chosen == len(f.offered) {
		return f.tab.askCopy()
	}
	preset := f.offered[chosen]
	if preset.KeyLabel == "" {
		return f.use()
	}
	f.key, f.value = preset.Key, preset.Value
	nodes := f.tab.Nodes.List()
	return views.Show(widget.NewForm(f.tab.Env.Theme, widget.FormOptions{
		ID: "services.preset-words", Title: preset.Title, Note: preset.Text, Action: "apply",
		Build: func() *huh.Form {
			fields := []huh.Field{f.field(preset.KeyLabel, &f.key, placement.LabelKeys(nodes))}
			if preset.ValueLabel != "" {
				fields = append(fields, f.field(preset.ValueLabel, &f.value, placement.LabelValues(nodes, preset.Key)))
			}
			return huh.NewForm(huh.NewGroup(fields...))
		},
		Submit: f.use,
	}))
}

func (f *presetForm) field(label string, value *string, known []placement.Word) huh.Field {
	var words []views.Choice
	for _, word := range known {
		words = append(words, views.Choice{Text: word.Text, Note: plain.Plural(word.Nodes, "node")})
	}
	input := huh.NewInput().Title(plain.Capital(label)).
		Validate(func(text string) error {
			if strings.TrimSpace(text) == "" {
				return errors.New("type a word")
			}
			return nil
		})
	return widget.NewCompleted(f.tab.Env.Theme, input, value, complete.Words(func() []views.Choice { return words }))
}

// use gives what was filled in to the tab.
func (f *presetForm) use() tea.Cmd {
	preset, key, value := f.offered[f.chosen], strings.TrimSpace(f.key), strings.TrimSpace(f.value)
	return f.tab.Scope.Call("preset", func() tea.Cmd {
		return f.tab.fill(f.into, "Preset taken: "+preset.Title, func(policy placement.Policy, item int) (placement.Policy, error) {
			return preset.Apply(policy, item, key, value)
		})
	})
}

// otherPaths completes the name of a service to copy from.
func (t *Tab) otherPaths() (paths []views.Choice) {
	for _, s := range t.host.Services() {
		if path := s.Path(); path != t.Target.Service.Path() {
			paths = append(paths, views.Choice{Text: path})
		}
	}
	return paths
}

// copyFrom copies the rules of a service; where none is named it asks for one.
func (t *Tab) copyFrom(path string) tea.Cmd {
	switch path = strings.TrimSpace(path); {
	case !t.InFront() || t.Unfit() != nil || len(t.builder.Policy().Items()) == 0:
		return nil
	case path == "":
		return t.askCopy()
	}
	service, err := t.other(path)
	if err != nil {
		return views.Tell(views.Warning, views.Sentence(err.Error()))
	}
	return t.loadPolicy(service, t.slot())
}

func (t *Tab) askCopy() tea.Cmd {
	return views.Show(widget.NewPrompt(t.Env.Theme, widget.PromptOptions{
		ID: "services.copy-rules", Title: "Copy the rules of", Action: "copy",
		Note:     "A service, or part of its name. Its rules replace those of this deployment; nothing is sent.",
		Complete: complete.Words(t.otherPaths),
		Check: func(typed string) error {
			_, err := t.other(typed)
			return err
		},
		Then: func(typed string) tea.Cmd {
			return t.Scope.Call("copy from", func() tea.Cmd { return t.copyFrom(typed) })
		},
	}))
}

// maxLike is how many services are named where a name fits several.
const maxLike = 10

// other finds another service by its path, or by a part of it that no other has.
func (t *Tab) other(typed string) (adminapi.ServiceRef, error) {
	typed = strings.ToLower(strings.TrimSpace(typed))
	var like []adminapi.ServiceRef
	for _, service := range t.host.Services() {
		path := service.Path()
		if path == t.Target.Service.Path() || typed == "" || slices.ContainsFunc(strings.Fields(typed), func(word string) bool { return !strings.Contains(strings.ToLower(path), word) }) {
			continue
		}
		if strings.EqualFold(path, typed) {
			return service, nil
		}
		like = append(like, service)
	}
	switch len(like) {
	case 1:
		return like[0], nil
	case 0:
		return adminapi.ServiceRef{}, errors.New("no other service has that name")
	}
	var paths []string
	for _, service := range like {
		paths = append(paths, service.Path())
	}
	said := plain.Listed(paths, maxLike, ", ", " and ")
	return adminapi.ServiceRef{}, errors.New(plain.Line(plain.Plural(len(like), "service") + " match: " + said))
}

// loadPolicy fetches the policy of another service, and copies its rules.
func (t *Tab) loadPolicy(service adminapi.ServiceRef, into slot) tea.Cmd {
	site := t.Env.Site
	return t.Scope.Work("copy rules", func(ctx context.Context) func() tea.Cmd {
		from, err := editing.ReadPolicy(ctx, site.Client, service)
		return func() tea.Cmd {
			path := plain.Line(service.Path())
			switch {
			case t.Left():
				return nil
			case errors.Is(err, adminapi.KindSignIn):
				return t.Scope.RetryAfterSignIn(err, "copy rules", func() tea.Cmd { return t.loadPolicy(service, into) })
			case err != nil:
				return views.TellFailed("The rules of "+path+" were not copied", err)
			case len(from.Items()) == 0:
				return views.Tell(views.Warning, path+" has no deployment, so there are no rules to copy.")
			}
			t.Deployments.Note(service.Path(), from.Items()...)
			t.markShared()
			return t.fill(into, "Copied from "+path, func(policy placement.Policy, item int) (placement.Policy, error) {
				return policy.CopyRulesOf(item, from)
			})
		}
	})
}
