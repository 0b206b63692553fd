package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
)

// upgradeOptions are the flags that say what an upgrade is asked with.
type upgradeOptions struct {
	settings, licence, manifest string
	latest                      bool
	latestGiven                 bool
}

func (o *upgradeOptions) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.settings, "settings", "", "file with the settings, filled in; see: geodeck upgrade settings ID")
	cmd.Flags().StringVar(&o.licence, "license", "", "licence file; it answers the setting that asks for one")
	cmd.Flags().StringVar(&o.manifest, "manifest-file", "", "version manifest to send along, for sites without internet")
	cmd.Flags().BoolVar(&o.latest, "latest-patch", false, "whether the latest patch comes along (left to the site by default)")
}

// mostSettings is the size of the largest settings file that is read, in bytes.
const mostSettings = 10 << 20

// askedUpgrade is an upgrade as somebody asks for it, and what it is judged by.
type askedUpgrade struct {
	site  operation.Site
	offer operation.Offer
	entry upgrade.Entry
	ask   operation.UpgradeAsk
	// unread is why the settings could not be read. The pre-flight tells whether
	// that is the site's answer to an update that does not fit.
	unread error
}

// targetOf finds what is to be installed.
func targetOf(site operation.Site, offer operation.Offer, id string, o upgradeOptions) (*askedUpgrade, error) {
	entry, err := entryOf(offer, id)
	if err != nil {
		return nil, err
	}
	ask := operation.UpgradeAsk{Target: entry.Update, ManifestPath: o.manifest}
	return &askedUpgrade{site: site, offer: offer, entry: entry, ask: ask}, nil
}

func (a *askedUpgrade) old() bool { return upgrade.StyleOf(a.ask.Target) == upgrade.Old }

// fill reads what the site wants to know and answers it from the flags. A file
// that is no good is bad input, and nothing is sent.
func (a *askedUpgrade) fill(ctx context.Context, o upgradeOptions) error {
	if a.old() {
		return a.fillOld(o)
	}
	var err error
	a.ask.Settings, err = a.site.UpgradeSettings(ctx, a.ask.Target)
	switch {
	case err != nil && (ctx.Err() != nil || errors.Is(err, adminapi.KindSignIn)):
		return err
	case err != nil:
		a.unread = err
		return nil
	}
	if err := a.answer(o); err != nil {
		return badInput("What the site asks for: geodeck upgrade settings "+a.ask.Target.ID, err)
	}
	return nil
}

// fillOld is fill for the style that has no settings.
func (a *askedUpgrade) fillOld(o upgradeOptions) error {
	if o.settings != "" {
		if err := a.answerFrom(o.settings); err != nil {
			return badInput("An upgrade to "+a.ask.Target.Version+" asks for no settings; it takes --license and --latest-patch.", err)
		}
	}
	if o.latestGiven {
		a.ask.LatestPatch = &o.latest
	}
	if a.ask.LicencePath = o.licence; o.licence == "" {
		return nil
	}
	if _, err := operation.ReadAnswerFile(o.licence, upgrade.LicenceField()); err != nil {
		return badInput("", fmt.Errorf("--license: %w", err))
	}
	return nil
}

func (a *askedUpgrade) answer(o upgradeOptions) error {
	a.ask.Answers = upgrade.Answers{}
	if o.settings != "" {
		if err := a.answerFrom(o.settings); err != nil {
			return err
		}
	}
	if o.licence != "" {
		if err := a.answerLicence(o.licence); err != nil {
			return fmt.Errorf("--license: %w", err)
		}
	}
	if o.latestGiven {
		a.ask.Answers[upgrade.LatestPatchSetting] = upgrade.Answer{Bool: &o.latest}
	}
	return problemsOf(a.wrongAnswers())
}

// wrongAnswers are the problems of what was answered. What is missing is for the
// pre-flight to tell, together with all the rest.
func (a *askedUpgrade) wrongAnswers() []upgrade.Problem {
	problems := upgrade.Check(upgrade.Form(a.ask.Settings), a.ask.Answers)
	return slices.DeleteFunc(problems, func(problem upgrade.Problem) bool {
		_, answered := a.ask.Answers[problem.ID]
		return !answered
	})
}

// answerFrom takes the answers from a settings file.
func (a *askedUpgrade) answerFrom(path string) error {
	content, err := readUpTo(path, mostSettings)
	if err != nil {
		return fmt.Errorf("--settings: %w", err)
	}
	if len(a.ask.Settings.Inputs) == 0 && isEmptyObject(content) {
		return nil
	}
	answers, problems, err := upgrade.AnswersFrom(a.ask.Settings, content)
	if err != nil {
		return fmt.Errorf("--settings: %s: %w", plain.Line(path), err)
	}
	a.ask.Answers = answers
	return problemsOf(problems)
}

// isEmptyObject knows the object of an update that asks for nothing.
func isEmptyObject(content jsontext.Value) bool {
	return content.Compact() == nil && string(content) == "{}"
}

func (a *askedUpgrade) answerLicence(path string) error {
	field, asked := upgrade.LicenceSetting(upgrade.Form(a.ask.Settings))
	if !asked {
		return errors.New("the site asks for no licence with this upgrade")
	}
	if _, err := operation.ReadAnswerFile(path, field); err != nil {
		return err
	}
	a.ask.Answers[field.ID] = upgrade.Answer{Path: path}
	return nil
}

func problemsOf(problems []upgrade.Problem) error {
	texts := make([]string, len(problems))
	for i, problem := range problems {
		texts[i] = problem.Text
	}
	if len(texts) == 0 {
		return nil
	}
	return errors.New(strings.Join(texts, " "))
}

// checks weighs everything that is known before the upgrade.
func (a *askedUpgrade) checks(ctx context.Context) []upgrade.PreflightCheck {
	facts := a.site.UpgradeFacts(ctx, a.offer, a.ask)
	if a.unread != nil {
		facts.Settings = upgrade.Got(a.ask.Settings, a.unread)
	}
	return upgrade.Preflight(facts)
}
