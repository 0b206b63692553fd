package services

import (
	"context"
	"errors"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"

	"geodeck/adminapi/placement"
	"geodeck/ui/views"
)

// presetForm is what stands in the forms of a preset.
type presetForm struct {
	into       aim
	offered    []placement.Preset
	chosen     int
	key, value string
}

// askPreset offers the presets for the deployment under the cursor.
func (p *placing) askPreset() tea.Cmd {
	if !p.editable() || len(p.builder.Policy().Items()) == 0 {
		return nil
	}
	f := &presetForm{into: p.aim(), offered: placement.Presets(p.m.nodes.List())}
	var options []huh.Option[int]
	for i, preset := range f.offered {
		options = append(options, huh.NewOption(preset.Title+": "+preset.Text, i))
	}
	return views.Send(views.Open{Dialog: views.NewForm(p.m.env.Theme, views.FormOptions{
		ID: "services.preset", Title: "Preset", Note: "Replaces the affinity of the deployment under the cursor; u takes it back. Nothing is sent.",
		Build: func() *huh.Form {
			return huh.NewForm(huh.NewGroup(views.Choice(huh.NewSelect[int]().Title("Where its pods shall run").Options(options...).Value(&f.chosen))))
		},
		Submit: func() tea.Cmd { return f.next() },
	})})
}

// next asks for the labels that the preset is about, prefilled with those of the nodes.
func (f *presetForm) next() tea.Cmd {
	preset := f.offered[f.chosen]
	if preset.KeyLabel == "" {
		return f.use()
	}
	f.key, f.value = preset.Key, preset.Value
	m := f.into.of.m
	return views.Send(views.Open{Dialog: views.NewForm(m.env.Theme, views.FormOptions{
		ID: "services.preset-words", Title: preset.Title, Note: preset.Text,
		Build: func() *huh.Form {
			fields := []huh.Field{f.field(preset.KeyLabel, &f.key, placement.LabelKeys(m.nodes.List()))}
			if preset.ValueLabel != "" {
				fields = append(fields, f.field(preset.ValueLabel, &f.value, placement.LabelValues(m.nodes.List(), preset.Key)))
			}
			return huh.NewForm(huh.NewGroup(fields...))
		},
		Submit: f.use,
	})})
}

func (f *presetForm) field(label string, value *string, known []placement.Word) huh.Field {
	var words []string
	for _, word := range known {
		words = append(words, word.Text)
	}
	return huh.NewInput().Title(strings.ToUpper(label[:1]) + label[1:]).Suggestions(words).Value(value).
		Validate(func(text string) error {
			if strings.TrimSpace(text) == "" {
				return errors.New("it needs a word")
			}
			return nil
		})
}

// use gives what was filled in to the builder.
func (f *presetForm) use() tea.Cmd {
	r := presetChosen{f.into, f.offered[f.chosen], strings.TrimSpace(f.key), strings.TrimSpace(f.value)}
	return f.into.of.m.scope.Do("preset", func(context.Context) tea.Msg { return r })
}

// presetChosen is a preset for a deployment.
type presetChosen struct {
	into       aim
	preset     placement.Preset
	key, value string
}

func (r presetChosen) apply(*Model) tea.Cmd {
	return r.into.replace("Preset taken: "+r.preset.Title, func(policy placement.Policy, item int) (placement.Policy, error) {
		return r.preset.Apply(policy, item, r.key, r.value)
	})
}

// aim is the deployment that rules were asked for. Until they come the cursor moves on,
// and the policy may be read again.
type aim struct {
	of   *placing
	item int
	id   string
}

func (p *placing) aim() aim {
	item := p.builder.Item()
	return aim{p, item, p.builder.Policy().Items()[item].DeploymentID}
}

// replace puts rules into the builder that were made outside of it. A row that is typed
// into comes first.
func (a aim) replace(told string, edit func(policy placement.Policy, item int) (placement.Policy, error)) tea.Cmd {
	p := a.of
	if !p.isOpen() || !p.editable() {
		return nil
	}
	policy := p.builder.Policy()
	items := policy.Items()
	switch {
	case p.capturesText():
		return views.Tell(views.Warning, "The rules are as they were: something is being typed into them. Take it over or leave it, then choose again.")
	case a.item >= len(items) || items[a.item].DeploymentID != a.id:
		return views.Tell(views.Warning, "The rules are as they were: the deployment that was meant is gone. Choose again.")
	}
	edited, err := edit(policy, a.item)
	if err != nil {
		return views.Send(views.Notice{Level: views.Failure, Text: "The rules are as they were: " + err.Error(), Err: err})
	}
	p.builder.Replace(edited)
	return tea.Batch(p.notice(), views.Tell(views.Info, told+"; u takes it back. Nothing is sent yet."))
}
