// Package sites reads and edits config.yaml, the file that names the sites of a user. No
// secret is ever in it.
//
// Start reading at [Read] and [File]; keys.go has the table of what a site may say.
package sites

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/pattern"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/spelling"
)

// EnvConfig is the variable of the environment that names the file.
const EnvConfig = "GEODECK_CONFIG"

// Site is what the file says of one site. What it does not say is zero; see [Site.Says].
type Site struct {
	Name, URL                      string
	Production, ReadOnly, Insecure bool
	User                           string
	SignIn                         SignIn // of no kind where the file does not say it
	ClientID, AuthHeader           string
	CA, ClientCert, ClientKey      string // absolute paths
	Proxy                          string // an address, or [NoProxy]
	Nodes, NodesCommand            string // of both at most one: an absolute path, a command
	Bell, Notify                   bool   // the alarms, where the site says "alarms"
	Hook                           string
	Slow                           bool
	MaxAge                         string         // of the newest health report, such as 7d
	Lines                          map[string]int // by key: the lines of the file that say it
}

// NoProxy is the proxy of a site that is reached without one, whatever the environment says.
const NoProxy = "none"

// Says reports whether the file has this key for the site: a value of it counts, also
// where it is the default.
func (s Site) Says(key string) bool { return s.Lines[key] > 0 }

// Locked reports whether the site starts read-only, until it is unlocked.
func (s Site) Locked() bool { return s.Production || s.ReadOnly }

// Kind is where the token of a site comes from.
type Kind string

// The ways to sign in.
const (
	Keyring     Kind = "keyring"     // of the system
	Ask         Kind = "ask"         // the user, each time
	FromFile    Kind = "file"        // that holds the token
	Environment Kind = "environment" // a variable that holds the token
	Command     Kind = "command"     // that prints the token
)

// SignIn is where the token of a site comes from.
type SignIn struct {
	Kind     Kind   // empty where the file does not say it
	File     string // of kind FromFile: an absolute path
	Variable string // of kind Environment: its name
	Command  string // of kind Command
}

// File is the file as it was read.
type File struct {
	path    string
	current string
	sites   []Site
}

// DefaultPath returns where the file is if no flag names it: GEODECK_CONFIG, or
// geodeck/config.yaml in XDG_CONFIG_HOME or ~/.config.
func DefaultPath(env func(string) string) (string, error) {
	if path := env(EnvConfig); path != "" {
		return path, nil
	}
	// By the base directory specification, relative paths are ignored.
	if config := env("XDG_CONFIG_HOME"); filepath.IsAbs(config) {
		return filepath.Join(config, "geodeck", "config.yaml"), nil
	}
	if home := env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "geodeck", "config.yaml"), nil
	}
	return "", &Error{Sentence: "there is no place for config.yaml", Advice: "Set HOME, XDG_CONFIG_HOME or " + EnvConfig + ", or use --config."}
}

// Read reads the file. One that does not exist is empty. What is wrong with it is an
// [Error]; nothing of such a file is used. on is the disk that has it, as in all that edits it: without one that of the machine.
func Read(path string, on ...journal.Files) (*File, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, &Error{Path: path, Sentence: "the path cannot be used", Err: err}
	}
	content, err := diskOf(on).readPrivate(path)
	if os.IsNotExist(err) {
		return &File{path: path}, nil
	}
	if err != nil {
		return nil, err
	}
	f, _, err := parse(path, content)
	if err == nil {
		f.shareLocks()
	}
	return f, err
}

// shareLocks makes what one name of an address says of the lock true for every name of it: another
// name must not be a way around.
func (f *File) shareLocks() {
	addresses := make([]string, len(f.sites))
	for i, site := range f.sites {
		addresses[i], _ = commonAddress(site.URL)
	}
	for key, of := range map[string]func(*Site) *bool{
		"production": func(s *Site) *bool { return &s.Production }, "readOnly": func(s *Site) *bool { return &s.ReadOnly },
	} {
		lines := map[string]int{} // that say it, by address
		for i := range f.sites {
			if s := &f.sites[i]; *of(s) {
				lines[addresses[i]] = s.Lines[key]
			}
		}
		for i := range f.sites {
			if s := &f.sites[i]; lines[addresses[i]] > 0 && !*of(s) {
				*of(s), s.Lines[key] = true, lines[addresses[i]]
			}
		}
	}
}

// commonAddress is one spelling for every spelling of an address.
func commonAddress(address string) (common string, base *url.URL) {
	base, _, err := adminapi.ParseBase(address, true)
	if err != nil {
		return "", nil
	}
	return adminapi.CommonAddress(base), base
}

// LockedAt returns the locked site of the file that may be at an address, and says which one that
// is. Of several the first counts, but before it one of just this address.
func (f *File) LockedAt(address string) (site Site, which string) {
	common, base := commonAddress(address)
	var at []Site
	same := 0
	for _, s := range f.sites {
		switch here, of := commonAddress(s.URL); {
		case base == nil || !s.Locked() || here != common:
		case journal.SiteOf(of) == journal.SiteOf(base):
			at = slices.Insert(at, same, s)
			same++
		default:
			at = append(at, s)
		}
	}
	if len(at) == 0 {
		return Site{}, ""
	}
	is, others, starts := "may be", "", "starts read-only"
	if same > 0 {
		is = "is"
	}
	for _, s := range at[1:] {
		others += " (or " + s.Name + ")"
	}
	if at[0].Production {
		starts = "is in production"
	}
	return at[0], fmt.Sprintf("%s %s the site %s%s of config.yaml, which %s", base, is, at[0].Name, others, starts)
}

// Path is the absolute path of the file.
func (f *File) Path() string { return f.path }

// Current is the name of the site that commands use when none is named; empty where the
// file says none. A site of that name may be missing.
func (f *File) Current() string { return f.current }

// Sites returns the sites in the order of the file.
func (f *File) Sites() []Site { return slices.Clone(f.sites) }

// Names returns the names of the sites in the order of the file.
func (f *File) Names() []string {
	return lists.Each(f.sites, func(s Site) string { return s.Name })
}

// Site returns the site of that name. The error matches [ErrNoSuchSite], and advises what
// may have been meant.
func (f *File) Site(name string) (Site, error) {
	if at := f.index(name); at >= 0 {
		return f.sites[at], nil
	}
	e := &Error{Sentence: fmt.Sprintf("there is no site %q in %s", plain.Line(name), cmp.Or(plain.Line(f.path), "config.yaml")), Err: ErrNoSuchSite}
	switch near := spelling.Near(name, f.Names()); {
	case len(near) > 0:
		e.Advice = spelling.Question(near...)
	case len(f.sites) > 0:
		e.Advice = "List the sites: {command:site list}"
	default:
		e.Advice = "Add one: {command:site add NAME --url ADDRESS}"
	}
	return Site{}, e
}

func (f *File) index(name string) int {
	return slices.IndexFunc(f.sites, func(s Site) bool { return s.Name == name })
}

// MaxName is the size of a name at most, in bytes.
const MaxName = 60

// checkName checks the name of a site.
func checkName(name string) error {
	switch {
	case name == "":
		return &Error{Sentence: "a site needs a name", Advice: nameAdvice}
	case !nameLike().MatchString(name):
		return &Error{Sentence: fmt.Sprintf("this cannot be the name of a site: %q", plain.Clip(name, 40)), Advice: nameAdvice}
	case len(name) > MaxName:
		return &Error{Sentence: fmt.Sprintf("the name of a site has more than %d characters", MaxName), Advice: nameAdvice}
	}
	return nil
}

// nameExpression is what a site may be called.
const nameExpression = `^[A-Za-z0-9][A-Za-z0-9._-]*$`

var nameLike = pattern.New(nameExpression)

const nameAdvice = "Use letters from a to z, digits, and . - _ after the first."

// Error is what is wrong with the file, or with what is asked of it. It shows no values of
// the file, since a secret may be among them.
type Error struct {
	Path     string // of the file; empty where that is not to blame
	Line     int    // from 1; 0 where it is not one line
	Sentence string
	Advice   string // what to do, empty where the sentence says it
	Err      error  // of the system, or such as [ErrNoSuchSite]
}

// Errors that an [Error] may wrap.
var (
	ErrNoSuchSite = errors.New("no such site")
	ErrSiteExists = errors.New("the site exists already")
	ErrNotPrivate = errors.New("others may read or change the file")
	// ErrByHand says that the file is written in a way that only a person can edit. The
	// advice has the lines.
	ErrByHand = errors.New("the file has to be edited by hand")
)

// Error is the sentence, after the file and the line.
func (e *Error) Error() string {
	switch {
	case e.Path == "":
		return e.Sentence
	case e.Line > 0:
		return fmt.Sprintf("%s: line %d: %s", plain.Line(e.Path), e.Line, e.Sentence)
	}
	return plain.Line(e.Path) + ": " + e.Sentence
}

// Unwrap returns the error of the system.
func (e *Error) Unwrap() error { return e.Err }
