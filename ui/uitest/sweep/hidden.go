package sweep

import (
	"fmt"
	"slices"
	"strings"

	"geodeck/adminapi/document"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest/sweep/oracle"
)

// holdsSecrets reports whether the definition that is edited holds secrets on a day.
func (d *Day) holdsSecrets() bool {
	return slices.Contains([]string{"edit", "restore", outside, checkout, beside}, d.Want) && d.random("definition").IntN(2) == 0
}

// secretNames are members of the definition that hold a secret: by their names, by the name beside them, and by what stands
// in their text.
const (
	secretToken   = "accessToken"
	secretText    = "database"
	secretHeader  = "headers"
	secretMembers = "x-store"
)

// hides returns a new secret of the definition.
func (d *Day) hides(name string) string {
	d.hidden++
	secret := fmt.Sprintf("h%d-%016x", d.hidden, d.random(fmt.Sprint("hidden ", d.hidden)).Uint64())
	d.oracle.Hides(name, secret)
	return secret
}

// connection is a text with a password in it.
func (d *Day) connection() string {
	return fmt.Sprintf("Server=db.example.com;User=gis;Password=%s;", d.hides("password of a connection"))
}

// hide lets the site have a definition with secrets: by another start of it, as no edit is to be seen.
func (s *site) hide(scenario *simulator.Scenario) {
	text := s.ask("GET", "/services/"+cities.Path(), nil)
	more := fmt.Sprintf(`"%s":{"%s":"%s","%s":"%s","%s":[{"name":"apiKey","value":"%s"},{"name":"tenant","value":"gis"}]},`, secretMembers,
		secretToken, s.day.hides("token"), secretText, s.day.connection(), secretHeader, s.day.hides("key"))
	text = strings.Replace(text, `"maxIdleTime"`, more+`"maxIdleTime"`, 1)
	scenario.Editing.Definitions = map[string]string{cities.Path(): text}
	s.day.meet("a definition holds secrets")
}

// secretChange is a change of what is secret in the definition, by somebody else: it is changed, renamed, moved in its list, or removed.
func (d *Day) secretChange(n int) change {
	within := func(key string) document.Path { return document.Path(secretMembers + "." + key) }
	if !d.hidesAny() {
		return sets("description", fmt.Sprintf(`"reviewed by another, %d"`, n))
	}
	d.meet("another changes what is secret")
	switch d.random(fmt.Sprint("secret change ", n)).IntN(4) {
	case 0:
		return change{"changes a connection", textually(within(secretText), func(doc *document.Document) (*document.Document, error) {
			return doc.SetValue(within(secretText), `"`+d.connection()+`"`)
		})}
	case 1:
		return change{"renames a connection", textually(within(secretText), func(doc *document.Document) (*document.Document, error) {
			return doc.Rename(within(secretText), fmt.Sprint("connection", n))
		})}
	case 2:
		return change{"moves a header", textually(within(secretHeader)+"[0]", func(doc *document.Document) (*document.Document, error) {
			return doc.Move(within(secretHeader)+"[0]", 1) // in a list: the order of keys means nothing
		})}
	}
	return removes(within(secretHeader))
}

// withSecret lets a person change a secret, too, where the definition has one.
func (d *Day) withSecret(c *changing, wanted bool) {
	if !wanted || !d.hidesAny() || c.target.Service.Path() != cities.Path() {
		return
	}
	d.meet("a secret is edited")
	key, also := secretToken, `"`+d.hides("token")+`"`
	before := c.change
	c.intent.Besides = []oracle.Beside{{Key: key, Raw: also}}
	c.change = func(doc *document.Document) (*document.Document, error) {
		doc, err := before(doc)
		if err != nil {
			return doc, err
		}
		if _, there := doc.Find(document.Path(secretMembers + "." + key)); !there { // others have removed it
			c.intent.Besides = nil
			return doc, nil
		}
		return doc.SetValue(document.Path(secretMembers+"."+key), also)
	}
}

// textually makes a change where something is at a path.
func textually(at document.Path, make func(*document.Document) (*document.Document, error)) func(*document.Document) (*document.Document, error) {
	return func(doc *document.Document) (*document.Document, error) {
		if _, there := doc.Find(at); !there {
			return doc, nil
		}
		return make(doc)
	}
}

// hidesAny reports whether the definition holds secrets.
func (d *Day) hidesAny() bool { return d.hidden > 0 }

// printsDefinitions reports whether a command prints definitions as they are.
func printsDefinitions(args []string) bool {
	return len(args) > 1 && (args[1] == "get" || args[1] == "history")
}
