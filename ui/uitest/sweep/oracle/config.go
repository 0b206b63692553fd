package oracle

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Config is what a file of sites says, read by a YAML of its own.
type Config struct {
	Current string
	Names   []string
	Sites   map[string]map[string]any
	begins  map[string]int // the index of the line of a site
}

// ConfigOf reads such a file; nil for one that says nothing clear: it has a key or a spelling that no such file may have.
func ConfigOf(text string) *Config {
	var root yaml.Node
	c := &Config{Sites: map[string]map[string]any{}, begins: map[string]int{}}
	if err := yaml.Unmarshal([]byte(strings.TrimPrefix(text, byteOrder)), &root); err != nil {
		return nil
	}
	if len(root.Content) == 0 {
		return c
	}
	for i, pair := 0, root.Content[0].Content; i+1 < len(pair); i += 2 {
		switch pair[i].Value {
		case "current":
			c.Current = pair[i+1].Value
		case "sites":
			for j, of := 0, pair[i+1].Content; j+1 < len(of); j += 2 {
				var keys map[string]any
				if of[j+1].Decode(&keys) != nil || keys["url"] == nil || keys[UnknownKey] != nil || anchored(of[j+1]) {
					return nil
				}
				c.Names = append(c.Names, of[j].Value)
				c.Sites[of[j].Value], c.begins[of[j].Value] = keys, of[j].Line-1
			}
		default:
			return nil
		}
	}
	return c
}

// anchored reports whether a value is named, to be said again elsewhere.
func anchored(n *yaml.Node) bool { return n.Anchor != "" || slices.ContainsFunc(n.Content, anchored) }

// byteOrder begins files of some editors.
const byteOrder = "\ufeff"

// UnknownKey is a key that no site has.
const UnknownKey = "colour"

// Locks are production and readOnly of a site: by whatever name of its address one says it.
func (c *Config) Locks(name string) (production, readOnly bool) {
	address := func(n string) string {
		return strings.TrimRight(strings.ToLower(fmt.Sprint(c.Sites[n]["url"])), "/")
	}
	for _, other := range c.Names {
		if address(other) == address(name) {
			production, readOnly = production || c.Sites[other]["production"] == true, readOnly || c.Sites[other]["readOnly"] == true
		}
	}
	return production, readOnly
}

// SignIn is where the token of a site comes from.
func (c *Config) SignIn(name string) string {
	switch how := c.Sites[name]["signIn"].(type) {
	case string:
		return how
	case map[string]any:
		for kind := range how {
			return kind
		}
	}
	return "ask"
}

// Configuring is a command on the file of the sites.
type Configuring struct {
	Do, Name   string            // add, edit, remove or use; another one changes nothing
	Set        map[string]string // the keys of the site and their values in YAML; an empty one goes
	Use        bool              // what is added becomes the current one
	Bad        bool              // what was typed cannot be
	Form       string
	Before, Is string
	Durable    string // what a power cut would leave
	Beside     map[string]fs.FileMode
	Hurt       bool // the program was killed, or its disk has failed
	Others     bool // somebody else has written the file meanwhile; Before is what they left
	Code       int
	Out, Err   string
}

// Configures judges such a command.
func (d *Day) Configures(c Configuring) { judge(d, atConfig, c) }

var atConfig = []rule[Configuring]{
	{"config.yaml has the change that was wanted, or none", configChanged},
	{"all else in config.yaml stays byte for byte", configStays},
	{"config.yaml is private, whole and on disk", configKept},
	{"sites are listed as config.yaml has them", sitesListed},
}

func (c Configuring) says(format string, args ...any) string {
	return fmt.Sprintf("geodeck site %s %s (exit %d): ", c.Do, c.Name, c.Code) + fmt.Sprintf(format, args...)
}

// wanted is what the file means after the command; nil where that cannot be.
func (c Configuring) wanted() *Config {
	now := ConfigOf(c.Before)
	if now == nil || c.Bad {
		return nil
	}
	site, there := now.Sites[c.Name]
	if there != (c.Do != "add") {
		return nil
	}
	switch c.Do {
	case "add":
		if site = map[string]any{}; c.Use || len(now.Names) == 0 && now.Current == "" {
			now.Current = c.Name
		}
		now.Names, now.Sites[c.Name] = append(now.Names, c.Name), site
	case "use":
		now.Current = c.Name
	case "remove":
		delete(now.Sites, c.Name)
		if now.Names = slices.DeleteFunc(now.Names, func(n string) bool { return n == c.Name }); now.Current == c.Name {
			now.Current = ""
		}
	}
	for key, text := range c.Set {
		var value any
		if delete(site, key); text != "" && yaml.Unmarshal([]byte(text), &value) == nil {
			site[key] = value
		}
	}
	return now
}

func (c *Config) means(other *Config) bool {
	return c != nil && other != nil && c.Current == other.Current && slices.Equal(c.Names, other.Names) && reflect.DeepEqual(c.Sites, other.Sites)
}

// byHand reports whether a site is written in braces, which only a person changes.
func byHand(c Configuring) bool {
	at := ConfigOf(c.Before).begins[c.Name]
	return strings.Contains(strings.Split(c.Before, "\n")[at], "{")
}

func (c Configuring) changes() bool {
	return slices.Contains([]string{"add", "edit", "remove", "use"}, c.Do)
}

// configChanged wants the change after exit 0; after a failure the old file, or at a disk that fails the new one. What is typed
// wrong, or on a file that says nothing clear, changes nothing.
func configChanged(c Configuring) (judged int, wrong []string) {
	want, is := c.wanted(), ConfigOf(c.Is)
	same := c.Is == c.Before
	switch {
	case !c.changes():
		if !same {
			wrong = append(wrong, c.says("it only reads, and the file is %q", c.Is))
		}
	case c.Code == 0 && !is.means(want):
		wrong = append(wrong, c.says("of\n%s\nit makes\n%s", c.Before, c.Is))
	case c.Code != 0 && !same && !(c.Hurt && is.means(want)):
		wrong = append(wrong, c.says("it fails, and of\n%s\nit has made\n%s", c.Before, c.Is))
	case c.Code != 0 && !c.Hurt && want != nil && !(c.Do == "edit" && byHand(c)):
		wrong = append(wrong, c.says("nothing was in its way: %.300s", c.Err))
	case c.Code != 2 && !c.Hurt && want == nil:
		wrong = append(wrong, c.says("what is wrong is not told as that: %.300s", c.Err))
	}
	return 1, wrong
}

// lostAndNew are the lines of a text that another has not, by their indices, and those that only the other has.
func lostAndNew(before, after []string) (lost []int, added []string) {
	long := make([][]int, len(before)+1) // of the longest text that is in both from here on
	for i := range long {
		long[i] = make([]int, len(after)+1)
	}
	for i := len(before) - 1; i >= 0; i-- {
		for j := len(after) - 1; j >= 0; j-- {
			if long[i][j] = max(long[i+1][j], long[i][j+1]); before[i] == after[j] {
				long[i][j] = long[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(before) || j < len(after) {
		switch {
		case i < len(before) && j < len(after) && before[i] == after[j]:
			i, j = i+1, j+1
		case j == len(after) || i < len(before) && long[i+1][j] >= long[i][j+1]:
			lost, i = append(lost, i), i+1
		default:
			added, j = append(added, after[j]), j+1
		}
	}
	return lost, added
}

// configStays wants only lines of what was changed to differ. Comments stay but for those of what goes, and so do the ends of lines.
func configStays(c Configuring) (judged int, wrong []string) {
	was := ConfigOf(c.Before)
	if was == nil || c.Is == c.Before || !c.changes() {
		return 0, nil
	}
	if strings.HasPrefix(c.Before, byteOrder) != strings.HasPrefix(c.Is, byteOrder) {
		wrong = append(wrong, c.says("the mark at the begin of the file is lost, or new"))
	}
	before, after := slices.Collect(strings.Lines(strings.TrimPrefix(c.Before, byteOrder))), slices.Collect(strings.Lines(strings.TrimPrefix(c.Is, byteOrder)))
	from, to := 0, 0 // the lines of the site
	if at, there := was.begins[c.Name]; there && c.Do != "use" {
		from, to = at, at+1
		for to < len(before) && indentOf(before[to]) > indentOf(before[at]) {
			to++
		}
	}
	lost, added := lostAndNew(before, after)
	for _, i := range lost {
		line := strings.TrimRight(before[i], "\r\n")
		key, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		_, set := c.Set[key]
		inside := from <= i && i < to
		may := key == "current" && c.Do != "edit" || inside && (c.Do == "remove" || set) || c.Do == "add" && (key == "sites" || i == len(before)-1 && slices.Contains(added, before[i]+"\n"))
		if !may && inside && strings.TrimSpace(line) != "" && !strings.HasPrefix(strings.TrimSpace(line), "#") { // the value of a key in a line of its own
			may = slices.Contains(lost, i-1)
		}
		if !may && !strings.HasSuffix(before[i], "\n") { // it got an end
			may = slices.ContainsFunc(added, func(a string) bool { return strings.TrimRight(a, "\r\n") == before[i] })
		}
		if !may {
			wrong = append(wrong, c.says("the line %q is lost:\n%s", before[i], c.Is))
		}
		if _, comment, is := strings.Cut(line, " #"); is && c.Do != "remove" && (c.Do != "edit" || c.Set[key] != "") && !strings.Contains(strings.Join(added, ""), " #"+comment) {
			wrong = append(wrong, c.says("the comment of %q is lost:\n%s", line, c.Is))
		}
	}
	for _, line := range added {
		if strings.Contains(c.Before, "\r\n") != strings.HasSuffix(line, "\r\n") && strings.HasSuffix(line, "\n") {
			wrong = append(wrong, c.says("the line %q has another end than the others", line))
		}
	}
	return 1, wrong
}

// indentOf counts the spaces before a line; an empty one belongs to what is above.
func indentOf(line string) int {
	if strings.TrimSpace(line) == "" {
		return 99
	}
	return len(line) - len(strings.TrimLeft(line, " "))
}

// configKept wants what a command has changed to be safe from a power cut, and nothing to be left of how it was written.
func configKept(c Configuring) (judged int, wrong []string) {
	for name, mode := range c.Beside {
		if mode.Perm()&0o077 != 0 {
			wrong = append(wrong, c.says("%s has mode %o", name, mode.Perm()))
		}
		if !c.Hurt && c.Code == 0 && c.Is != c.Before && !strings.HasSuffix(name, "/config.yaml") && !strings.HasSuffix(name, ".lock") {
			wrong = append(wrong, c.says("it leaves %s", name))
		}
	}
	if c.Code == 0 && !c.Hurt && c.Is != c.Before && c.Durable != c.Is {
		wrong = append(wrong, c.says("a power cut would leave\n%s\nof\n%s", c.Durable, c.Is))
	}
	return 1, wrong
}

// sitesListed compares a list with the file, row by row.
func sitesListed(c Configuring) (judged int, wrong []string) {
	is := ConfigOf(c.Is)
	if c.Do != "list" || c.Hurt || (c.Code == 0) != (is != nil) {
		if c.Do == "list" && !c.Hurt {
			wrong = append(wrong, c.says("the file is\n%s", c.Is))
		}
		return 0, wrong
	}
	if is == nil {
		return 1, nil
	}
	var told struct{ Items []map[string]any }
	if c.Form == "json" && json.Unmarshal([]byte(c.Out), &told) != nil {
		return 1, []string{c.says("no list: %.300s", c.Out)}
	}
	rows := told.Items
	lines := slices.Collect(strings.Lines(c.Out))
	for i, name := range is.Names {
		production, readOnly := is.Locks(name)
		want := map[string]any{"name": name, "url": is.Sites[name]["url"], "current": name == is.Current, "production": production, "readOnly": readOnly,
			"locked": production || readOnly, "signIn": is.SignIn(name)}
		if c.Form == "json" {
			if i >= len(rows) || !reflect.DeepEqual(rows[i], want) {
				wrong = append(wrong, c.says("row %d is not %v: %s", i+1, want, c.Out))
			}
			continue
		}
		starts := map[bool]string{true: "read-only", false: "writable"}[production || readOnly]
		if production {
			starts = "read-only (production)"
		}
		row := []string{name, map[bool]string{true: "current", false: "-"}[name == is.Current], starts, is.SignIn(name), fmt.Sprint(want["url"])}
		if i+1 >= len(lines) || !slices.Equal(strings.Fields(lines[i+1]), strings.Fields(strings.Join(row, " "))) {
			wrong = append(wrong, c.says("row %d is not %v: %s", i+1, row, c.Out))
		}
	}
	if c.Form == "json" && len(rows) != len(is.Names) || c.Form != "json" && len(is.Names) > 0 && len(lines) != len(is.Names)+1 {
		wrong = append(wrong, c.says("it has not %d sites: %s", len(is.Names), c.Out))
	}
	return 1, wrong
}
