package sites

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/pattern"
	"geodeck/adminapi/plain"
)

// Add adds a site after those of the file, which is created where it is missing. The first
// one becomes the current one. Of the keys it writes those that have a value, and those of
// s.Lines. All else in the file stays byte for byte. The error matches [ErrSiteExists] where the file has the name, in whatever
// case.
func Add(path string, s Site, on ...journal.Files) error { return addSite(path, s, false, on) }

// AddCurrent is Add of a site that becomes the current one, in the same step.
func AddCurrent(path string, s Site, on ...journal.Files) error { return addSite(path, s, true, on) }

func addSite(path string, s Site, use bool, on []journal.Files) error {
	if err := checkName(s.Name); err != nil {
		return err
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return unusable(path, err)
	}
	if err := diskOf(on).MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return unusable(path, err)
	}
	return diskOf(on).edit(path, adding(s), func(f *File, t *text) (*File, error) {
		if !use && (len(f.sites) > 1 || f.current != "") {
			return f, nil
		}
		return using(s.Name)(f, t)
	})
}

func adding(s Site) change {
	return func(f *File, t *text) (*File, error) {
		added, err := f.checked(s)
		if err != nil {
			return nil, err
		}
		want := &File{path: f.path, current: f.current, sites: append(f.Sites(), added)}
		return want, t.add(s)
	}
}

// checked returns the site as the file will have it, or what is wrong with it.
func (f *File) checked(s Site) (Site, error) {
	for _, other := range f.sites {
		if strings.EqualFold(other.Name, s.Name) {
			return s, &Error{Sentence: fmt.Sprintf("the site %s exists already", other.Name), Err: ErrSiteExists,
				Advice: "Choose another name, or change it: {command:site edit " + plain.ShellWord(other.Name) + "}"}
		}
	}
	return alone(f.path, s.yaml("  ", "  "))
}

// alone returns the site that lines are, as the only one of a file, or what is wrong with it.
func alone(path string, lines []string) (Site, error) {
	f, _, err := parse(path, []byte("sites:\n"+strings.Join(lines, "\n")))
	if e, ok := errors.AsType[*Error](err); ok {
		return Site{}, &Error{Sentence: e.Sentence, Advice: e.Advice}
	} else if err != nil {
		return Site{}, err
	}
	return f.sites[0], nil
}

// Change gives the site of that name the values that s has for these keys; of a key without a value
// the site says nothing any more. All else in the file stays byte for byte. The error matches
// [ErrNoSuchSite] where there is none.
func Change(path string, s Site, keys []string, on ...journal.Files) error {
	return diskOf(on).edit(path, changing(s, keys))
}

func changing(s Site, keys []string) change {
	return func(f *File, t *text) (*File, error) {
		now, err := f.Site(s.Name)
		if err != nil {
			return nil, err
		}
		lines, values := []string{"  " + quote(s.Name) + ":"}, [][2]string{}
		for _, k := range siteKeys {
			value := k.yaml(now)
			if slices.Contains(keys, k.name) {
				value = k.yaml(s)
				values = append(values, [2]string{k.name, value})
			}
			if value != "" {
				lines = append(lines, "    "+k.name+": "+value)
			}
		}
		after, err := alone(f.path, lines)
		if err != nil {
			return nil, err
		}
		want := &File{path: f.path, current: f.current, sites: f.Sites()}
		at := f.index(s.Name)
		want.sites[at] = after
		return want, t.set(at, values, lines)
	}
}

// Content returns the whole file, to be edited by hand.
func Content(path string, on ...journal.Files) ([]byte, error) {
	content, err := diskOf(on).readPrivate(path)
	if os.IsNotExist(err) {
		return nil, &Error{Path: path, Sentence: "there is no such file yet", Err: err, Advice: "Add a site: {command:site add NAME --url ADDRESS}"}
	}
	return content, err
}

// Replace replaces the whole file by what was made of it by hand. What is wrong with the text is an
// [Error] with its line, and the file stays as it is; so it does where it is not what it was before.
func Replace(path string, before, after []byte, on ...journal.Files) error {
	return diskOf(on).rewrite(path, func(path string, now []byte) ([]byte, error) {
		_, _, err := parse(path, after)
		if err == nil && !bytes.Equal(now, before) {
			err = &Error{Path: path, Sentence: "another program has changed the file meanwhile; nothing was changed", Advice: "Edit it again."}
		}
		return after, err
	})
}

// Remove removes a site with its lines. The comments above it stay. If it is the current
// one, none is afterwards. The error matches [ErrNoSuchSite] where there is none.
func Remove(path, name string, on ...journal.Files) error {
	return diskOf(on).edit(path, removing(name))
}

func removing(name string) change {
	return func(f *File, t *text) (*File, error) {
		if _, err := f.Site(name); err != nil {
			return nil, err
		}
		at := f.index(name)
		want := &File{path: f.path, current: f.current, sites: slices.Delete(f.Sites(), at, at+1)}
		if err := t.remove(at); err != nil || f.current != name {
			return want, err
		}
		want.current = ""
		return want, t.setCurrent("")
	}
}

// Use makes a site the current one. The error matches [ErrNoSuchSite] where there is none.
func Use(path, name string, on ...journal.Files) error {
	return diskOf(on).edit(path, using(name))
}

func using(name string) change {
	return func(f *File, t *text) (*File, error) {
		if _, err := f.Site(name); err != nil || f.current == name {
			return f, err
		}
		return &File{path: f.path, current: name, sites: f.sites}, t.setCurrent(name)
	}
}

// change edits a file. It returns what the content has to mean afterwards.
type change func(*File, *text) (want *File, err error)

// edit changes the file under its lock: others see the old content or the new.
func (d disk) edit(path string, changes ...change) error {
	return d.rewrite(path, func(path string, content []byte) (after []byte, err error) {
		after = content
		for _, do := range changes {
			if after, err = edited(path, after, do); err != nil {
				return nil, err
			}
		}
		return after, nil
	})
}

// rewrite replaces the content of the file under its lock by what becomes of it.
func (d disk) rewrite(path string, become func(path string, content []byte) ([]byte, error)) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return unusable(path, err)
	}
	if _, err := d.Lstat(filepath.Dir(path) + "/."); os.IsNotExist(err) {
		_, err := become(path, nil)
		return err // there is nothing to change
	}
	if err := d.checkFolder(path); err != nil {
		return err
	}
	unlock, err := d.lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	content, err := d.readPrivate(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	after, err := become(path, content)
	switch {
	case err != nil, bytes.Equal(after, content):
		return err
	case len(after) > maxSize:
		return &Error{Path: path, Sentence: fmt.Sprintf("the file would be larger than %d MiB", maxSize>>20)}
	}
	return d.replace(path, after)
}

// edited returns the content after a change. It reads it again: what does not mean what the
// change says is refused.
func edited(path string, content []byte, do change) ([]byte, error) {
	f, root, err := parse(path, content)
	if err != nil {
		return nil, err
	}
	rest := bytes.TrimPrefix(content, []byte(byteOrderMark))
	t := &text{path: path, mark: string(content[:len(content)-len(rest)]), lines: slices.Collect(strings.Lines(string(rest))), root: root}
	want, err := do(f, t)
	if err != nil {
		return nil, err
	}
	after := []byte(t.mark + strings.Join(t.lines, ""))
	if got, _, err := parse(path, after); err != nil || !got.means(want) {
		return nil, t.byHand(0)
	}
	return after, nil
}

// means reports whether both name the same sites, with the same current one, in whatever
// lines.
func (f *File) means(other *File) bool {
	return f.current == other.current && slices.EqualFunc(f.sites, other.sites, func(a, b Site) bool {
		says := len(a.Lines) == len(b.Lines)
		for key := range a.Lines {
			says = says && b.Says(key)
		}
		a.Lines, b.Lines = nil, nil
		return says && reflect.DeepEqual(a, b)
	})
}

// yaml is the site in block style, line by line: its name with an indentation, and its keys
// with a further one.
func (s Site) yaml(indent, further string) []string {
	lines := []string{indent + quote(s.Name) + ":"}
	for _, k := range siteKeys {
		if value := k.yaml(s); value != "" {
			lines = append(lines, indent+further+k.name+": "+value)
		}
	}
	return lines
}

// isPlain are texts that YAML takes without quotes, also within {}.
var isPlain = pattern.New(`^[A-Za-z0-9/][A-Za-z0-9/._-]*$|^https?://[A-Za-z0-9.-]+(?::[0-9]+)?(?:/[A-Za-z0-9/._-]*)?$`)

// quote writes a text as a value in YAML; an empty one is none.
func quote(value string) string {
	if value == "" || isPlain().MatchString(value) && (&yaml.Node{Kind: yaml.ScalarNode, Value: value}).ShortTag() == "!!str" {
		return value
	}
	escaped := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value)
	return `"` + plain.EscapeJSON(escaped, isHidden) + `"` // YAML has the escapes of JSON
}
