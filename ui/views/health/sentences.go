package health

import (
	"errors"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// calm is a screen of its own for a site without health checks, nil otherwise.
func (m *Model) calm() []string {
	c := &m.catalog
	if !errors.Is(c.Err, adminapi.KindVersionTooOld) || len(c.files) > 0 {
		return nil
	}
	version := plain.Line(c.version)
	if version == "" {
		version = "an older version"
	}
	k := &m.inks
	return []string{
		k.Heading.On("No health checks at this site"),
		"",
		"It runs " + k.Strong.On(version) + "; health checks came with 11.2.",
		"",
		"A saved report can still be opened and compared: " + k.Key.On("o"),
	}
}

// listSays tells why the list of reports is empty.
func (m *Model) listSays() []string {
	c := &m.catalog
	switch {
	case m.env.Offline:
		return []string{"There is no site.", "", "o opens a saved report."}
	case errors.Is(c.Err, adminapi.KindSignIn):
		return []string{"Not signed in: the reports could not be read.", "", "R asks again.", "o opens a saved report."}
	case c.Err != nil:
		return []string{views.Sentence(c.Err.Error()), "", "R asks again.", "o opens a saved report."}
	case c.Away != nil:
		return []string{"The platform does not answer. It is asked again by itself.", "", views.Sentence(c.Away.Err.Error()), "", "o opens a saved report."}
	case c.Loading || c.Updated.IsZero():
		return []string{"Reading the reports" + m.inks.Glyphs.Ellipsis}
	}
	return []string{"There are no reports yet.", "", "r runs a health check.", "o opens a saved report."}
}

// noneLeft tells why no test of the report is shown, and what shows them again.
func (m *Model) noneLeft() []string {
	filtered, others := m.chosen.list.Filter() != "", m.filterWords()
	switch {
	case !filtered:
		return []string{"No test matches what is shown: " + others + ".", "", "a shows all tests again."}
	case others == "":
		return []string{"No test matches.", "", "esc shows all again."}
	}
	return []string{"No test matches the text among what is shown: " + others + ".", "", "esc clears the text; after that, a shows all tests again."}
}

// treeSays tells why there is no tree.
func (m *Model) treeSays() []string {
	c := &m.chosen
	switch {
	case m.showsRun():
		return m.run.says()
	case c.problem != nil:
		return []string{"The report could not be read.", "", views.Sentence(c.problem.Error()), "", "R asks again."}
	case c.asking:
		return []string{"Reading the report" + m.inks.Glyphs.Ellipsis}
	case c.study != nil:
		return []string{"The report holds no tests."}
	}
	return nil
}
