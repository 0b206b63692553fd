package upgrade

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/huh"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/complete"
)

// The ids of inputs that are no settings; no setting of a site has such ids.
const (
	patchID    = "\x00latestPatch"
	manifestID = "\x00manifest"
)

// The answers to a question that need not be answered.
const (
	openAnswer = ""
	yesAnswer  = "yes"
	noAnswer   = "no"
)

// input is one field of the form with its answer.
type input struct {
	field  upgrade.Field
	folder string
	demo   string     // what the file of a demo may hold, to follow what the field takes
	choice string     // of a Boolean
	text   string     // path or JSON
	given  string     // the JSON that the site gave
	last   changeable // at the last call of changed
	widget huh.Field  // on the open page
}

// changeable is what a user can change of an input.
type changeable struct {
	choice, text string
}

// inputsOf returns the inputs of an update with the answers so far. A demo shows a licence.
func inputsOf(c *change, folder string, demo bool) []*input {
	var inputs []*input
	if c.ask.TakesLicence() {
		licence := upgrade.LicenceField()
		licence.Required = c.ask.Target.NeedsLicence() && upgrade.StyleOf(c.ask.Target) == upgrade.Old
		inputs = append(inputs, &input{field: licence, text: c.ask.LicencePath})
	}
	if upgrade.StyleOf(c.ask.Target) == upgrade.Old {
		inputs = append(inputs, latestInput(c))
	}
	for _, field := range upgrade.Form(c.ask.Settings) {
		if field.ID == upgrade.LatestPatchSetting { // a choice for everybody
			field.Hidden, field.Help = false, "Keep yes unless support advises otherwise."
		}
		inputs = append(inputs, settingInput(field, c.ask.Answers[field.ID]))
	}
	// A choice that is made already is read first; what has to be filled in follows.
	slices.SortStableFunc(inputs, func(a, b *input) int { return cmp.Compare(a.open(), b.open()) })
	inputs = append(inputs, &input{text: c.ask.ManifestPath, field: upgrade.Field{
		ID: manifestID, Label: "Version manifest to send along", Kind: upgrade.File, Hidden: true,
		Help: "Only for an update that the site does not offer.",
	}})
	for _, in := range inputs {
		in.folder = folder
		if demo && in.licence() {
			in.demo = `; the demo takes one with {"version": "` + plain.Line(c.ask.Target.Version) + `"}`
		}
		in.last = in.now()
	}
	return inputs
}

// licence reports whether it takes the licence file.
func (in *input) licence() bool {
	_, takes := upgrade.LicenceSetting([]upgrade.Field{in.field})
	return takes || in.field.ID == upgrade.LicenceField().ID
}

// open is 0 for a choice that is made already, else 1.
func (in *input) open() int {
	if in.field.Kind == upgrade.Boolean && in.choice != openAnswer {
		return 0
	}
	return 1
}

// latestInput is the choice of the old style, which no setting asks for.
func latestInput(c *change) *input {
	patch := &input{field: upgrade.Field{
		ID: patchID, Label: "Install the latest patch too", Kind: upgrade.Boolean,
		Help: "Without an answer the site decides.",
	}}
	if answer := c.ask.LatestPatch; answer != nil {
		patch.choice = yesNo(*answer, yesAnswer, noAnswer)
	}
	return patch
}

func settingInput(field upgrade.Field, a upgrade.Answer) *input {
	in := &input{field: field, text: a.Path}
	switch {
	case field.Kind != upgrade.Boolean:
	case a.Bool != nil:
		in.choice = yesNo(*a.Bool, yesAnswer, noAnswer)
	case !field.Empty():
		in.choice = yesNo(field.On(), yesAnswer, noAnswer)
	}
	if field.Kind == upgrade.JSON {
		if !field.Empty() && !field.Secret {
			in.given = string(field.Value)
		}
		if in.text = in.given; a.JSON != "" {
			in.text = a.JSON
		}
	}
	return in
}

func (in *input) now() changeable { return changeable{in.choice, in.text} }

// changed reports whether something was typed since the last call.
func (in *input) changed() bool {
	before := in.last
	in.last = in.now()
	return before != in.last
}

// collect takes the answers from the inputs. It makes a new map each time, since requests
// under way use the old one.
func (s *settings) collect() {
	answers := upgrade.Answers{}
	for _, in := range s.inputs {
		switch in.field.ID {
		case upgrade.LicenceField().ID:
			s.change.ask.LicencePath = in.path()
		case patchID:
			s.change.ask.LatestPatch = in.chosen()
		case manifestID:
			s.change.ask.ManifestPath = in.path()
		default:
			if a := in.answer(s.change.ask.Answers[in.field.ID]); a != (upgrade.Answer{}) {
				answers[in.field.ID] = a
			}
		}
	}
	s.change.ask.Answers = answers
}

// answer returns the answer to a setting where it is changed. An upload of the answer
// before stays unless a file is given.
func (in *input) answer(before upgrade.Answer) upgrade.Answer {
	switch in.field.Kind {
	case upgrade.Boolean:
		chosen := in.chosen()
		if chosen != nil && !in.field.Empty() && *chosen == in.field.On() {
			return upgrade.Answer{}
		}
		return upgrade.Answer{Bool: chosen}
	case upgrade.File:
		if path := in.path(); path != "" {
			return upgrade.Answer{Path: path}
		}
		return upgrade.Answer{Upload: before.Upload}
	}
	if strings.TrimSpace(in.text) == strings.TrimSpace(in.given) {
		return upgrade.Answer{}
	}
	return upgrade.Answer{JSON: in.text}
}

func (in *input) chosen() *bool {
	yes := in.choice == yesAnswer
	if in.choice == openAnswer {
		return nil
	}
	return &yes
}

// path returns the absolute path of a file, "" where none is given.
func (in *input) path() string {
	if strings.TrimSpace(in.text) == "" {
		return ""
	}
	path, err := views.ResolvePath(in.text, in.folder)
	if err != nil {
		return strings.TrimSpace(in.text)
	}
	return path
}

// buildPage makes the huh form of a page.
func buildPage(t *theme.Theme, inputs []*input, low bool) *huh.Form {
	fields := make([]huh.Field, len(inputs))
	for i, in := range inputs {
		in.widget = in.build(t)
		fields[i] = in.widget
		in.describe(low)
	}
	keys := widget.FormKeys()
	keys.Text.Editor = key.NewBinding(key.WithDisabled()) // the view and the root use these keys
	keys.Select.Filter = key.NewBinding(key.WithDisabled())
	return huh.NewForm(huh.NewGroup(fields...)).WithKeyMap(keys)
}

func (in *input) build(t *theme.Theme) huh.Field {
	label, help := in.label(), in.help()
	switch {
	case in.field.Kind == upgrade.Boolean:
		options := []huh.Option[string]{huh.NewOption("yes", yesAnswer), huh.NewOption("no", noAnswer)}
		if in.field.Empty() || in.field.ID == patchID { // it need not be answered
			options = slices.Insert(options, 0, huh.NewOption("not answered", openAnswer))
		}
		return huh.NewSelect[string]().Title(label).Description(help).Value(&in.choice).Options(options...).Inline(true)
	case in.field.Kind == upgrade.File:
		return widget.NewCompleted(t, huh.NewInput().Title(label).Description(help), &in.text, complete.Files(in.folder, in.field.Extensions...))
	case in.field.Secret:
		return huh.NewInput().Title(label).Description(help).Value(&in.text).EchoMode(huh.EchoModePassword).Validate(checkJSON)
	}
	return huh.NewText().Title(label).Description(help).Value(&in.text).Placeholder(`type JSON, such as {"name": "value"}`).Lines(4).ExternalEditor(false).Validate(checkJSON)
}

// describe shows the hint between label and input, or leaves it out on a low screen.
func (in *input) describe(low bool) {
	help := in.help()
	if low {
		help = ""
	}
	switch field := in.widget.(type) {
	case interface{ Description(string) *huh.Input }: // also one that completes
		field.Description(help)
	case *huh.Text:
		field.Description(help)
	case *huh.Select[string]:
		field.Description(help)
	}
}

func (in *input) label() string {
	label := plain.Clip(views.NameOf(in.field.Label, in.field.ID), 60)
	if in.field.Required {
		return label + " *"
	}
	return label
}

// help says what a setting takes, and its default.
func (in *input) help() string {
	var parts []string
	if in.field.Help != "" {
		parts = append(parts, plain.Line(in.field.Help))
	}
	switch {
	case in.field.Kind == upgrade.File:
		parts = append(parts, "Path to a local "+yesNo(len(in.field.Extensions) > 0, dotted(in.field.Extensions)+" ", "")+"file"+in.demo+".")
	case in.field.Kind == upgrade.JSON && in.field.Secret && !in.field.Empty():
		parts = append(parts, "JSON. Leave it empty to keep the site's value.")
	case in.field.Kind == upgrade.JSON:
		parts = append(parts, "JSON"+yesNo(in.field.Type != "" && !strings.EqualFold(in.field.Type, "json"), " of type "+plain.Line(in.field.Type), "")+".")
	}
	if d := in.field.Default; len(d) > 0 && string(d) != "null" && !in.field.Secret && in.field.ID != upgrade.LatestPatchSetting {
		parts = append(parts, "Default: "+plain.Clip(string(d), 60)+".")
	}
	return plain.Clip(strings.Join(parts, " "), 150)
}

// dotted returns extensions as files have them: ".json or .txt".
func dotted(extensions []string) string {
	return "." + plain.Line(strings.Join(extensions, " or ."))
}

// checkJSON is the quick check while typing: one JSON value, or nothing.
func checkJSON(text string) error {
	if text = strings.TrimSpace(text); text == "" || jsontext.Value(text).IsValid() {
		return nil
	}
	return errors.New("not valid JSON")
}

// checkFile reads a file and checks it.
func checkFile(site operation.Site, path string, field upgrade.Field) upgrade.GivenFile {
	if field.ID != manifestID {
		return site.CheckAnswer(path, field)
	}
	content, _, err := operation.ReadManifestFile(path)
	return upgrade.GivenFile{Path: path, Size: int64(len(content)), Err: err}
}
