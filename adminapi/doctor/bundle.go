package doctor

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/archive"
	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/pattern"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/sites"
)

// BundleOptions say what a bundle is made of, beside the report.
type BundleOptions struct {
	Made      time.Time
	Version   any // of the program, for JSON
	Env       func(string) string
	Config    string // the path of the file of the sites
	State     string // the folder for the records of sites
	Debug     string // the path of the file of --debug; empty for none
	Columns   int    // of the terminal
	Lines     int
	WithNames bool // hosts, people and sites keep their names
}

// Bundle returns the files of a zip for a report of a bug, without secrets: the checks, the
// version, what the environment and the settings say, counts of the records, and the end of
// the file of --debug. No definition, draft, licence or record is in it. Names of hosts,
// people and sites are replaced, each by the same word everywhere, unless they are wanted.
func Bundle(r Report, o BundleOptions) ([]archive.File, error) {
	b := &bundle{report: r, options: o, names: newRenamer(r, o)}
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	b.key = key
	b.addJSON("doctor.json", r)
	b.addJSON("version.json", o.Version)
	b.addJSON("environment.json", b.environment())
	b.addJSON("config.json", b.config())
	b.addJSON("state.json", b.state())
	b.addDebug()
	if !o.WithNames {
		b.rename()
	}
	b.files = append([]archive.File{{Name: "README.txt", Content: []byte(b.readme())}}, b.files...)
	return b.files, b.err
}

// rename replaces the names in all files, once all of them are known.
func (b *bundle) rename() {
	for _, f := range b.files {
		b.names.addFound(string(f.Content))
	}
	for i, f := range b.files {
		content, err := b.names.replaceJSON(f.Content, !strings.HasSuffix(f.Name, "l"))
		b.files[i].Content, b.err = content, errors.Join(b.err, err)
	}
}

type bundle struct {
	report  Report
	options BundleOptions
	names   *renamer
	key     []byte // of hashed names: they say nothing outside of this bundle
	absent  []string
	files   []archive.File
	err     error
}

// addJSON adds a file, with secrets masked once more.
func (b *bundle) addJSON(name string, v any) {
	content, err := json.Marshal(v, jsonx.AsWritten, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		b.err = errors.Join(b.err, fmt.Errorf("%s: %w", name, err))
		return
	}
	b.add(name, append(content, '\n'))
}

func (b *bundle) add(name string, content []byte) {
	content = b.report.mask.JSON(content, secrets.Anywhere)
	b.files = append(b.files, archive.File{Name: name, Content: plain.SafeJSON(content)})
}

func (b *bundle) readme() string {
	var out strings.Builder
	out.WriteString("What geodeck's doctor found, for a report of a bug. Look at it before you send it.\n\n")
	if b.options.WithNames {
		out.WriteString("Names of hosts, people and sites are in it.\n")
	} else {
		out.WriteString("Names of hosts, people and sites are replaced: host-1 is the same host everywhere.\n")
	}
	out.WriteString("Tokens, passwords and licences are masked. No definition, draft or record is in it.\n\n")
	for _, f := range b.files {
		fmt.Fprintf(&out, "- %s, %d bytes\n", f.Name, len(f.Content))
	}
	for _, absent := range b.absent {
		out.WriteString("- Missing: " + absent + "\n")
	}
	return out.String()
}

// Variables of the environment: those whose values say nothing of a person, and those of which
// only is told whether they are set.
var (
	openVariables = []string{"TERM", "COLORTERM", "COLORFGBG", "NO_COLOR", "LANG", "LC_ALL", "LC_CTYPE", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "GEODECK_PAINT"}
	setVariables  = []string{
		"TMUX", "STY", "SSH_TTY", "SSH_CONNECTION", "WT_SESSION", "DBUS_SESSION_BUS_ADDRESS", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "EDITOR", "VISUAL",
		"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "KUBECONFIG",
		"GEODECK_URL", "GEODECK_SITE", "GEODECK_TOKEN", "GEODECK_CONFIG", "GEODECK_AUTH_HEADER", "GEODECK_NODES", "GEODECK_NODES_COMMAND", "GEODECK_ALARMS", "GEODECK_HOOK",
	}
)

// harmless are values such as xterm-256color and en_US.UTF-8.
var harmless = pattern.New(`^[\w.@:; -]{0,40}$`)

// environmentJSON is what the environment says.
type environmentJSON struct {
	Values   map[string]string `json:"values"`
	Set      []string          `json:"set"` // without their values
	Terminal string            `json:"terminal,omitzero"`
}

func (b *bundle) environment() environmentJSON {
	e := environmentJSON{Values: map[string]string{}, Set: []string{}}
	for _, name := range openVariables {
		switch value := b.options.Env(name); {
		case value == "":
		case harmless().MatchString(value):
			e.Values[name] = value
		default:
			e.Set = append(e.Set, name)
		}
	}
	for _, name := range setVariables {
		if b.options.Env(name) != "" {
			e.Set = append(e.Set, name)
		}
	}
	if b.options.Columns > 0 {
		e.Terminal = fmt.Sprintf("%d columns, %d lines", b.options.Columns, b.options.Lines)
	}
	return e
}

// siteJSON is what the file of the sites says of one: values that are none of secrets, paths
// and commands, and the names of all other keys.
type siteJSON struct {
	Name       string   `json:"name"`
	URL        string   `json:"url"`
	SignIn     string   `json:"signIn,omitzero"`
	AuthHeader string   `json:"authHeader,omitzero"`
	Proxy      string   `json:"proxy,omitzero"`
	Production bool     `json:"production,omitzero"`
	ReadOnly   bool     `json:"readOnly,omitzero"`
	Insecure   bool     `json:"insecure,omitzero"`
	Slow       bool     `json:"slow,omitzero"`
	Says       []string `json:"says"`
}

type configJSON struct {
	Path    string     `json:"path,omitzero"`
	Error   string     `json:"error,omitzero"`
	Current string     `json:"current,omitzero"`
	Sites   []siteJSON `json:"sites"`
}

func (b *bundle) config() configJSON {
	c := configJSON{Path: b.options.Config, Sites: []siteJSON{}}
	if c.Path == "" {
		return c
	}
	file, err := sites.Read(c.Path)
	if err != nil {
		c.Error = err.Error() // without values
		return c
	}
	c.Current = file.Current()
	for _, s := range file.Sites() {
		one := siteJSON{
			Name: s.Name, URL: withoutUser(s.URL), SignIn: string(s.SignIn.Kind), AuthHeader: s.AuthHeader, Proxy: withoutUser(s.Proxy),
			Production: s.Production, ReadOnly: s.ReadOnly, Insecure: s.Insecure, Slow: s.Slow, Says: []string{},
		}
		for _, key := range []string{"user", "clientId", "ca", "clientCert", "clientKey", "nodes", "alarms", "hook", "poll"} {
			if s.Says(key) {
				one.Says = append(one.Says, key)
			}
		}
		c.Sites = append(c.Sites, one)
	}
	return c
}

// withoutUser returns an address without the user and the password that it may hold, and
// without its query.
func withoutUser(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		if address == sites.NoProxy {
			return address
		}
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// folderJSON counts what this machine keeps of one site.
type folderJSON struct {
	Site  string         `json:"site"` // hashed: it says nothing outside of this bundle
	Files map[string]int `json:"files"`
	Bytes int64          `json:"bytes"`
}

type stateJSON struct {
	Folder string       `json:"folder,omitzero"`
	Error  string       `json:"error,omitzero"`
	Sites  []folderJSON `json:"sites"`
}

// known are the names in the folder of a site that say nothing about it.
var known = map[string]bool{"drafts": true, "transcripts": true, "backups": true, "programs": true, "lock": true, journal.LogName: true, journal.HeadName: true}

// maxCounted limits how many files are counted.
const maxCounted = 100_000

// state counts the records, and reads none.
func (b *bundle) state() stateJSON {
	s := stateJSON{Folder: b.options.State, Sites: []folderJSON{}}
	entries, err := os.ReadDir(b.options.State)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Error = err.Error()
	}
	counted := 0
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		f := folderJSON{Site: b.hash(entry.Name()), Files: map[string]int{}}
		folder := filepath.Join(b.options.State, entry.Name())
		_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if counted++; counted > maxCounted {
				return fs.SkipAll
			}
			if err != nil || !entry.Type().IsRegular() {
				return nil
			}
			below, _ := filepath.Rel(folder, path)
			kind, _, _ := strings.Cut(filepath.ToSlash(below), "/")
			if !known[kind] {
				kind = "others"
			}
			f.Files[kind]++
			if info, err := entry.Info(); err == nil {
				f.Bytes += info.Size()
			}
			return nil
		})
		s.Sites = append(s.Sites, f)
	}
	return s
}

func (b *bundle) hash(name string) string {
	sum := hmac.New(sha256.New, b.key)
	_, _ = io.WriteString(sum, name)
	return hex.EncodeToString(sum.Sum(nil)[:4])
}

// maxTail is how much of the end of the file of --debug is taken.
const maxTail = 1 << 20

// addDebug adds the end of the file of --debug in whole lines, with what stands where secrets
// do masked once more: an older version may have written it.
func (b *bundle) addDebug() {
	if b.options.Debug == "" {
		b.absent = append(b.absent, "the file of --debug; add --debug FILE, with which the trouble was seen")
		return
	}
	tail, err := tailOf(b.options.Debug)
	if err != nil {
		b.absent = append(b.absent, "the file of --debug: it could not be read")
		return
	}
	var out bytes.Buffer
	dropped := 0
	var by secrets.Exchange
	for in := bufio.NewReader(bytes.NewReader(tail)); ; {
		line, err := in.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if text, ok := by.Body(line, secrets.Mask, false); ok {
				out.WriteString(text + "\n")
			} else {
				dropped++
			}
		}
		if err != nil {
			break
		}
	}
	b.add("debug.jsonl", []byte(secrets.Of(by.Found...).Text(out.String(), secrets.Anywhere)))
	if dropped > 0 {
		b.absent = append(b.absent, fmt.Sprintf("%d lines of the file of --debug that are no JSON", dropped))
	}
}

// tailOf returns the end of a file in whole lines. It follows no link.
func tailOf(path string) ([]byte, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	file, err := journal.SystemFiles{}.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errors.New("not a regular file"))
	}
	from := max(0, info.Size()-maxTail)
	tail, err := io.ReadAll(io.NewSectionReader(file, from, maxTail))
	if from > 0 {
		_, tail, _ = bytes.Cut(tail, []byte("\n"))
	}
	return tail, err
}
