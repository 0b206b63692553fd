package views

import "strings"

// View draws the heading, the fields, and what is wrong.
func (f *Form) View() string {
	lines := f.heading()
	if f.busy != "" {
		lines = append(lines, f.theme.Running.Render(f.theme.Glyphs.Running+" "+f.busy))
		return join(lines)
	}
	if f.form != nil {
		lines = append(lines, strings.Split(strings.TrimRight(f.form.View(), "\n "), "\n")...)
	}
	return join(lines)
}

// heading is everything above the fields, problems included: below them they
// would be cut off on a low terminal.
func (f *Form) heading() []string {
	lines := wrapped(f.theme.Heading, f.options.Title, f.width)
	if f.options.Note != "" {
		lines = append(lines, wrapped(f.theme.Muted, f.options.Note, f.width)...)
	}
	for _, problem := range f.problems() {
		lines = append(lines, wrapped(f.theme.Fail, f.theme.Glyphs.Fail+" "+problem, f.width)...)
	}
	return append(lines, "")
}

func (f *Form) problems() []string {
	var problems []string
	if f.problem != "" {
		problems = append(problems, f.problem)
	}
	if f.form != nil {
		for _, err := range f.form.Errors() {
			problems = append(problems, err.Error())
		}
	}
	return problems
}
