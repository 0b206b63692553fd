package upgrade

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
)

// filesChecked is what was found out about the files that somebody named.
type filesChecked struct{ files map[string]fileState }

// checkFiles looks at the files that were named.
func (m *Model) checkFiles() tea.Cmd {
	look := m.lookAtFiles()
	if look == nil {
		return nil
	}
	return m.scope.Do("files", look)
}

// checkFilesSoon is checkFiles once typing has paused.
func (m *Model) checkFilesSoon() tea.Cmd {
	look := m.lookAtFiles()
	if look == nil {
		m.scope.Forget("files")
		return nil
	}
	return m.scope.After(m.env.Clock, settle, "files", look)
}

func (m *Model) lookAtFiles() func(context.Context) tea.Msg {
	type named struct {
		field upgrade.Field
		path  string
	}
	var files []named
	for _, in := range m.flow.form.inputs {
		if path := in.path(); in.field.Kind == upgrade.File && path != "" {
			files = append(files, named{in.field, path})
		}
	}
	if len(files) == 0 {
		return nil
	}
	return func(context.Context) tea.Msg {
		found := map[string]fileState{}
		for _, file := range files {
			found[file.field.ID] = lookAt(file.path, file.field)
		}
		return filesChecked{found}
	}
}

// lookAt reads a file and says what is wrong with it; its content goes nowhere.
func lookAt(path string, field upgrade.Field) fileState {
	state := fileState{path: path}
	var content []byte
	if field.ID == manifestID {
		content, _, state.err = operation.ReadManifestFile(path)
	} else {
		content, state.err = operation.ReadAnswerFile(path, field)
	}
	state.size = int64(len(content))
	return state
}

func (r filesChecked) apply(m *Model) tea.Cmd {
	if m.flow != nil && m.flow.form != nil {
		m.flow.form.files = r.files
	}
	return nil
}

// saved is a file that was written, or not.
type saved struct {
	path string
	err  error
}

func (r saved) apply(*Model) tea.Cmd {
	if r.err != nil {
		return views.Send(views.Notice{Level: views.Failure, Text: "The request was not saved: " + plain.Line(r.err.Error()), Err: r.err})
	}
	return views.Tell(views.Success, "Written to "+plain.Line(r.path))
}

// sizeOf writes a number of bytes.
func sizeOf(n int64) string {
	switch {
	case n < 1<<10:
		return plain.Plural(int(n), "byte")
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
