package uitest

import (
	"reflect"
	"unsafe"

	tea "github.com/charmbracelet/bubbletea"
)

// ExecEnd returns what comes of the end of a program that was handed the terminal, see [IsExec], without running it: in the
// bubble of a test no program of Bubble Tea can run, to which the field belongs that is called then.
func ExecEnd(msg tea.Msg, err error) tea.Msg {
	own := reflect.New(reflect.TypeOf(msg)).Elem()
	own.Set(reflect.ValueOf(msg))
	field := own.FieldByName("fn")
	fn, is := reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Interface().(tea.ExecCallback)
	if !is || fn == nil {
		return nil
	}
	return fn(err)
}
