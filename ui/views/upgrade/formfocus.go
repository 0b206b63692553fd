package upgrade

import "geodeck/adminapi/upgrade"

// focused returns the input that has the keys, nil where there is none.
func (f *form) focused() *input {
	if f.dialog == nil || f.widgets == nil || len(f.pages) == 0 {
		return nil
	}
	field := f.widgets.GetFocusedField()
	for _, in := range f.pages[f.page] {
		if in.widget == field {
			return in
		}
	}
	return nil
}

// find returns the page of an input and its place there; the first of all where
// it is not shown.
func (f *form) find(wanted *input) (page, nth int) {
	for page, inputs := range f.pages {
		for nth, in := range inputs {
			if in == wanted {
				return page, nth
			}
		}
	}
	return 0, 0
}

// choosesOne tells whether the keys go to a question with given answers, where
// text would choose one by chance.
func (m *Model) choosesOne() bool {
	if m.step() != answering {
		return false
	}
	in := m.flow.form.focused()
	return in != nil && in.field.Kind == upgrade.Boolean
}
