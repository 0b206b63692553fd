package sweep

import (
	"strings"
	"time"

	"geodeck/adminapi/document"
	"geodeck/ui/uitest/sweep/oracle"
)

// beside is the wish for edits of several kinds, each of which another administrator makes one beside.
const beside = "edits beside those of others"

// change is a change of a definition. Made again it changes nothing.
type change struct {
	name string
	make func(*document.Document) (*document.Document, error)
}

func (c change) has(d *document.Document) bool {
	again, err := c.make(d)
	return err == nil && again.Text() == d.Text()
}

func removes(keys ...document.Path) change {
	return change{"removes " + string(keys[0]), func(d *document.Document) (_ *document.Document, err error) {
		for _, key := range keys {
			if _, there := d.Find(key); there && err == nil {
				d, err = d.Remove(key)
			}
		}
		return d, err
	}}
}

// sets sets a value. A key of the whole that is not there is added.
func sets(path document.Path, raw string) change {
	return change{"sets " + string(path), func(d *document.Document) (*document.Document, error) {
		if _, there := d.Find(path); !there && !strings.ContainsAny(string(path), ".[") {
			return d.Add("", string(path), raw, 0)
		}
		return d.SetValue(path, raw)
	}}
}

// moves moves an element of a list to its end.
func moves(path document.Path) change {
	return change{"moves " + string(path), func(d *document.Document) (*document.Document, error) {
		n, _ := d.Find(path)
		return d.Move(path, n.Parent().Len()-1-n.Index())
	}}
}

// besides are the changes that are wanted, and theirs those of the other administrator.
var (
	besides = []change{
		removes("x-lastTuned", "x-tuningProfile"), removes("datasets[0].connectionClass"), sets("maxIdleTime", "907"),
		sets("extensions[WFSServer].capabilities", `"GetCapabilities,DescribeFeatureType,GetFeature,LockFeature"`), moves("extensions[WMSServer]"),
	}
	theirs = []change{
		sets("description", `"reviewed by another"`), sets("maxIdleTime", "777"), removes("maxIdleTime"), moves("extensions[WFSServer]"),
		sets("extensions[WFSServer].capabilities", `"GetCapabilities,DescribeFeatureType,GetFeature,Transaction"`),
		sets("x-tuningProfile", `"tuned by another"`),
	}
)

// playBeside makes several changes, one after the other. Right before each is sent another administrator makes one.
// Of two keys the removal of one is agreed to at first.
func playBeside(m *machine) {
	r := m.day.random("beside")
	for _, i := range r.Perm(len(besides)) {
		wanted, other := besides[i], pick(r, theirs)
		c := setting(m, cities, "maxIdleTime", "")
		c.change, c.has, c.intent, c.agrees = wanted.make, wanted.has, &oracle.Intent{}, []string{"x-lastTuned"}
		m.site.atNext("GET "+c.where(), 2, func(*run) { m.othersEdit(other) })
		m.insist(c.wish("an edit that " + wanted.name))
		time.Sleep(pick(r, nights))
	}
}
