package sweep

import (
	"time"

	"geodeck/adminapi/document"
	"geodeck/ui/uitest/sweep/oracle"
)

// beside is the wish for edits of several kinds, each of which another administrator makes one beside.
const beside = "edits beside those of others"

// change is a change of a definition, and whether that has it.
type change struct {
	name string
	make func(*document.Document) (*document.Document, error)
	has  func(*document.Document) bool
}

// removes is the change that removes some keys.
func removes(name string, keys ...document.Path) change {
	return change{name,
		func(d *document.Document) (_ *document.Document, err error) {
			for _, key := range keys {
				if _, there := d.Find(key); there && err == nil {
					d, err = d.Remove(key)
				}
			}
			return d, err
		},
		func(d *document.Document) bool {
			for _, key := range keys {
				if _, there := d.Find(key); there {
					return false
				}
			}
			return true
		},
	}
}

// sets is the change that sets a value.
func sets(path document.Path, raw string) change {
	return change{"sets " + string(path),
		func(d *document.Document) (*document.Document, error) { return d.SetValue(path, raw) },
		func(d *document.Document) bool { n, found := d.Find(path); return found && n.Raw() == raw },
	}
}

// moves is the change that moves an extension to the end.
func moves(path document.Path) change {
	return change{"moves " + string(path),
		func(d *document.Document) (*document.Document, error) {
			n, _ := d.Find(path)
			return d.Move(path, n.Parent().Len()-1-n.Index())
		},
		func(d *document.Document) bool {
			n, found := d.Find(path)
			return found && n.Index() == n.Parent().Len()-1
		},
	}
}

// besides are the changes that are wanted, and theirs those of the other administrator.
var (
	besides = []change{
		removes("removes two keys", "x-lastTuned", "x-tuningProfile"),
		removes("removes a key within a list", "datasets[0].connectionClass"),
		sets("maxIdleTime", "907"), sets("extensions[WFSServer].capabilities", `"GetCapabilities,DescribeFeatureType,GetFeature,LockFeature"`),
		moves("extensions[WMSServer]"),
	}
	theirs = []change{
		sets("description", `"reviewed by another"`), sets("maxIdleTime", "777"), moves("extensions[WFSServer]"),
		sets("extensions[WFSServer].capabilities", `"GetCapabilities,DescribeFeatureType,GetFeature,Transaction"`),
	}
)

// playBeside makes several changes, one after the other. Right before each is sent another administrator makes one.
// Of two keys one is agreed to at first.
func playBeside(m *machine) {
	r := m.day.random("beside")
	for _, i := range r.Perm(len(besides)) {
		wanted, other := besides[i], pick(r, theirs)
		c := setting(m, cities, "maxIdleTime", "")
		c.change, c.has, c.intent, c.agrees = wanted.make, wanted.has, &oracle.Intent{}, []string{"x-lastTuned"}
		get := "GET " + c.where()
		m.site.mu.Lock()
		m.site.turns = append(m.site.turns, &turn{name: "another " + other.name, request: get, nth: m.site.asked[get] + 2, do: func(*run) {
			m.othersEdit(other.name, other.make)
		}})
		m.site.mu.Unlock()
		m.insist(c.wish(wanted.name))
		time.Sleep(pick(r, nights))
	}
}
