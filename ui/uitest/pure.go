package uitest

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"strings"
	"testing"
)

// Pure draws a view twice and fails unless both drawings are the same and the model is
// what it was before, but for fields called cache.
func Pure(t testing.TB, view Drawer) {
	t.Helper()
	before := fingerprint(view)
	first := view.View()
	after := fingerprint(view)
	for path, was := range before {
		if now, ok := after[path]; !ok || now != was {
			t.Errorf("drawing has changed %s", path)
		}
	}
	for path := range after {
		if _, ok := before[path]; !ok {
			t.Errorf("drawing has added %s", path)
		}
	}
	if second := view.View(); second != first {
		t.Errorf("drawn twice, two screens:\n%s\n%s", first, second)
	}
}

// fingerprint maps the path of every value that a view reaches to a hash of it. What
// belongs to other programs than the screen, such as the client, counts by its address.
func fingerprint(view any) map[string]uint64 {
	w := walker{seen: map[uintptr]bool{}, found: map[string]uint64{}}
	w.value(reflect.TypeOf(view).String(), reflect.ValueOf(view))
	return w.found
}

type walker struct {
	seen  map[uintptr]bool
	found map[string]uint64
}

func (w *walker) value(path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		w.note(path, v.Pointer())
		if !v.IsNil() && !w.seen[v.Pointer()] && ofTheScreen(v.Type().Elem()) {
			w.seen[v.Pointer()] = true
			w.value(path, v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			w.value(path, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; name != "cache" {
				w.value(path+"."+name, v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		w.note(path, v.Len())
		for i := range v.Len() {
			w.value(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
		}
	case reflect.Map:
		w.note(path, v.Len())
		for _, key := range v.MapKeys() {
			w.value(fmt.Sprintf("%s[%v]", path, key), v.MapIndex(key))
		}
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		w.note(path, v.IsNil())
	default:
		w.note(path, v)
	}
}

func (w *walker) note(path string, v any) {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, v)
	w.found[path] = h.Sum64()
}

// ofTheScreen reports whether values of a type are looked into.
func ofTheScreen(t reflect.Type) bool {
	pkg := t.PkgPath()
	return pkg == "" || strings.HasPrefix(pkg, "geodeck/ui") || strings.HasPrefix(pkg, "github.com/charmbracelet/bubbles")
}
