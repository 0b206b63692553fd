package upgrade

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/files"
)

// options are the flags of the request for an upgrade.
type options struct {
	settings, licence, manifest string
	latest                      *bool // nil: the site decides
}

func (o *options) register(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&o.settings, "settings", "", "file with the filled-in settings; see: geodeck upgrade settings ID")
	set.StringVar(&o.licence, "license", "", "licence file: the upload of the setting that asks for one, else a part of the request")
	set.StringVar(&o.manifest, "manifest-file", "", "version manifest to send along: its updates can be started, whatever the site offers")
	set.BoolFunc("latest-patch", "install the latest patch as well, or with =false do not (default: the site decides)", func(text string) error {
		latest, err := strconv.ParseBool(text)
		o.latest = &latest
		return err
	})
}

// maxSettings is the size of the largest settings file that is read, in bytes.
const maxSettings = 10 << 20

// request is an upgrade from the command line, and the offer that it is checked by.
type request struct {
	site   operation.Site
	offer  operation.Offer
	entry  upgrade.Entry
	ask    operation.UpgradeRequest
	files  map[string]upgrade.GivenFile // as the checks found them
	unread error                        // why the settings could not be read
}

// targetOf finds what is to be installed.
func targetOf(site operation.Site, offer operation.Offer, id string, o options) (*request, error) {
	entry, err := entryOf(offer, id)
	if err != nil {
		return nil, err
	}
	ask := operation.UpgradeRequest{Target: entry.Update, ManifestPath: o.manifest}
	return &request{site: site, offer: offer, entry: entry, ask: ask}, nil
}

func (r *request) old() bool { return upgrade.StyleOf(r.ask.Target) == upgrade.Old }

// fill reads the settings that the site asks for, and answers them from the flags. A file
// that cannot be used is bad input.
func (r *request) fill(ctx context.Context, o options) error {
	if r.old() {
		return r.fillOld(o)
	}
	var err error
	r.ask.Settings, err = r.site.UpgradeSettings(ctx, r.ask)
	if err != nil && (ctx.Err() != nil || errors.Is(err, adminapi.KindSignIn)) {
		return err
	}
	r.unread, r.ask.Unread = err, err != nil
	if err := r.answer(o); err != nil {
		return exit.BadInput("Settings of the site: "+r.settingsCommand(), err)
	}
	return nil
}

// settingsCommand is the command that prints the settings of the request, in a sentence.
func (r *request) settingsCommand() string {
	line := operation.CommandLine{Words: []string{"upgrade", "settings"}, Args: []string{r.ask.Target.ID}}
	if r.ask.ManifestPath != "" {
		line.Words = append(line.Words, "--manifest-file", r.ask.ManifestPath)
	}
	return line.InText()
}

// fillOld is fill for the old style, which has no settings.
func (r *request) fillOld(o options) error {
	if o.settings != "" {
		if err := r.answerFrom(o.settings); err != nil {
			return exit.BadInput("An upgrade to "+r.ask.Target.Version+" asks for no settings; it takes --license and --latest-patch.", err)
		}
	}
	if r.ask.LicencePath, r.ask.LatestPatch = o.licence, o.latest; o.licence == "" {
		return nil
	}
	if err := r.site.CheckAnswer(o.licence, upgrade.LicenceField()).Err; err != nil {
		return exit.BadInputf("--license: %w", err)
	}
	return nil
}

func (r *request) answer(o options) error {
	r.ask.Answers = upgrade.Answers{}
	if o.settings != "" {
		if err := r.answerFrom(o.settings); err != nil {
			return err
		}
	}
	if o.licence != "" {
		if err := r.answerLicence(o.licence); err != nil {
			return fmt.Errorf("--license: %w", err)
		}
	}
	if o.latest != nil {
		r.ask.Answers[upgrade.LatestPatchSetting] = upgrade.Answer{Bool: o.latest}
	}
	problems := upgrade.Check(upgrade.Form(r.ask.Settings), r.ask.Answers) // the pre-flight shows missing answers
	return problemsOf(slices.DeleteFunc(problems, func(problem finding.Finding) bool {
		_, answered := r.ask.Answers[problem.ID]
		return !answered
	}))
}

// answerFrom takes the answers from a settings file.
func (r *request) answerFrom(path string) error {
	content, err := files.Read(path, maxSettings)
	if err != nil {
		return fmt.Errorf("--settings: %w", err)
	}
	if bare := jsontext.Value(content); len(r.ask.Settings.Inputs) == 0 && bare.Compact() == nil && string(bare) == "{}" {
		return nil // as for an update that has no settings
	}
	answers, problems, err := upgrade.AnswersFrom(r.ask.Settings, content)
	if err != nil {
		return fmt.Errorf("--settings: %s: %w", plain.Line(path), err)
	}
	r.ask.Answers = answers
	return problemsOf(problems)
}

func (r *request) answerLicence(path string) error {
	field, wanted := upgrade.LicenceSetting(upgrade.Form(r.ask.Settings))
	if !wanted {
		if said := r.ask.Target.NewLicensesRequired; said != nil && !*said && !r.ask.Unread {
			return errors.New("the site asks for no licence with this upgrade")
		}
		r.ask.LicencePath = path
		return r.site.CheckAnswer(path, upgrade.LicenceField()).Err
	}
	if err := r.site.CheckAnswer(path, field).Err; err != nil {
		return err
	}
	r.ask.Answers[field.ID] = upgrade.Answer{Path: path}
	return nil
}

func problemsOf(problems []finding.Finding) error {
	if len(problems) == 0 {
		return nil
	}
	return errors.New(strings.Join(lists.Each(problems, func(p finding.Finding) string { return p.Text }), " "))
}

// checks is the pre-flight: everything that is known before the upgrade.
func (r *request) checks(ctx context.Context) []finding.Finding {
	facts := r.site.UpgradeFacts(ctx, r.offer, r.ask)
	if r.unread != nil {
		facts.Settings = adminapi.Fact[adminapi.UpgradeSettings]{Err: r.unread}
	}
	r.files, r.ask.NoUploads = facts.Files, facts.NoUploads
	return upgrade.Preflight(facts)
}
