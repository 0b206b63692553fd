package sites

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"geodeck/adminapi"
)

// key is what a site may say.
type key struct {
	name   string
	doc    string
	schema string // of its value, in JSON
	// read reads and checks the value.
	read func(r reader, key string, s *Site, n *yaml.Node) error
	// yaml writes the value; empty where there is none.
	yaml func(s Site) string
}

// siteKeys is the table of keys, in the order that a new site has them.
var siteKeys = []key{
	textKey("url", "The administrative root of the site, https://HOST/CONTEXT/admin.", func(s *Site) *string { return &s.URL }),
	boolKey("production", "The site is in production: it starts read-only, in a colour of its own.", func(s *Site) *bool { return &s.Production }),
	boolKey("readOnly", "The site starts read-only, until it is unlocked.", func(s *Site) *bool { return &s.ReadOnly }),
	textKey("user", "Who signs in.", func(s *Site) *string { return &s.User }),
	{
		"signIn", "Where the token comes from. The file and the variable hold it; the command prints it.",
		`{"oneOf":[{"enum":["keyring","ask"]},` + oneText("file") + `,` + oneText("environment") + `,` + oneText("command") + `]}`,
		readSignIn, writeSignIn,
	},
	textKey("clientId", "The OAuth application for the sign-in of keyring and ask.", func(s *Site) *string { return &s.ClientID }),
	{
		"authHeader", "The header that carries the token; X-Esri-Authorization behind web-tier sign-in.",
		`{"enum":["Authorization","X-Esri-Authorization"]}`, readAuthHeader, func(s Site) string { return quote(s.AuthHeader) },
	},
	pathKey("ca", "Certificate authorities to trust besides those of the system (a PEM file).", func(s *Site) *string { return &s.CA }),
	pathKey("clientCert", "The file of the client certificate (PEM).", func(s *Site) *string { return &s.ClientCert }),
	pathKey("clientKey", "The file of the key of the client certificate (PEM).", func(s *Site) *string { return &s.ClientKey }),
	{
		"proxy", "The proxy to the site, or none. Without this key it is that of the environment.",
		textSchema, readProxy, func(s Site) string { return quote(s.Proxy) },
	},
	boolKey("insecure", "Accept http beyond this machine: token and password travel unprotected.", func(s *Site) *bool { return &s.Insecure }),
	{
		"nodes", "The nodes of the cluster: a file, or a command such as kubectl get nodes -o json.",
		`{"oneOf":[` + textSchema + `,` + oneText("command") + `]}`, readNodes, writeNodes,
	},
	{
		"alarms", "How the end of long work is told; [] for nothing.",
		`{"type":"array","items":{"enum":["bell","notify"]}}`, readAlarms, writeAlarms,
	},
	{
		"hook", "A program that runs at the end of long work, without arguments.",
		textSchema, readHook, func(s Site) string { return quote(s.Hook) },
	},
	{"poll", "How often the site is asked: slow is half as often as normal.", `{"enum":["slow","normal"]}`, readPoll, writePoll},
}

// The schemas of values that several keys have.
const textSchema, boolSchema = `{"type":"string","pattern":"\\S"}`, `{"type":"boolean"}`

// oneText is the schema of a mapping with one key.
func oneText(key string) string {
	return `{"type":"object","properties":{"` + key + `":` + textSchema + `},"required":["` + key + `"],"additionalProperties":false}`
}

func textKey(name, doc string, of func(*Site) *string) key {
	return key{name, doc, textSchema, into(reader.text, of), func(s Site) string { return quote(*of(&s)) }}
}

func pathKey(name, doc string, of func(*Site) *string) key {
	return key{name, doc, textSchema, into(reader.file, of), func(s Site) string { return quote(*of(&s)) }}
}

// into reads a value to where it belongs in a site.
func into[T any](value func(reader, string, *yaml.Node) (T, error), of func(*Site) *T) func(r reader, key string, s *Site, n *yaml.Node) error {
	return func(r reader, key string, s *Site, n *yaml.Node) (err error) {
		*of(s), err = value(r, key, n)
		return err
	}
}

func boolKey(name, doc string, of func(*Site) *bool) key {
	return key{name, doc, boolSchema, into(reader.bool, of), func(s Site) string {
		if *of(&s) || s.Says(name) {
			return strconv.FormatBool(*of(&s))
		}
		return ""
	}}
}

// siteKeys are the names of the keys that a site may have.
func (r reader) siteKeys() []string {
	names := make([]string, len(r.keys))
	for i, k := range r.keys {
		names[i] = k.name
	}
	return names
}

// siteKey returns the key of that name, which must be there.
func (r reader) siteKey(name string) key {
	return r.keys[slices.IndexFunc(r.keys, func(k key) bool { return k.name == name })]
}

// file reads the path of a file: absolute, below the home after ~/, else below the folder
// of config.yaml.
func (r reader) file(key string, n *yaml.Node) (string, error) {
	path, err := r.text(key, n)
	if err != nil || filepath.IsAbs(path) {
		return path, err
	}
	below, inHome := strings.CutPrefix(path, "~/")
	if !inHome {
		if strings.HasPrefix(path, "~") {
			return "", r.failed(n.Line, "", "%s: write the whole path in place of ~ and a name", key)
		}
		return filepath.Join(r.folder, path), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", r.failed(n.Line, "Set HOME, or write the whole path.", "%s: it is not known where ~ is", key)
	}
	return filepath.Join(home, below), nil
}

// exclusive reads a mapping with exactly one of these keys.
func (r reader) exclusive(n *yaml.Node, of string, known []string, read func(key string, value *yaml.Node) error) error {
	if len(n.Content) != 2 && n.Kind == yaml.MappingNode {
		return r.failed(n.Line, "", "%s needs exactly one of: %s", of, strings.Join(known, ", "))
	}
	return r.mapping(n, of, known, func(key string, _, value *yaml.Node) error { return read(key, value) })
}

func readSignIn(r reader, key string, s *Site, n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		if n.Value != string(Keyring) && n.Value != string(Ask) {
			return r.failed(n.Line, "", "signIn is keyring or ask, or one of: {file: PATH}, {environment: NAME}, {command: TEXT}")
		}
		s.SignIn.Kind = Kind(n.Value)
		return nil
	}
	return r.exclusive(n, key, []string{string(FromFile), string(Environment), string(Command)}, func(kind string, value *yaml.Node) (err error) {
		s.SignIn.Kind = Kind(kind)
		switch s.SignIn.Kind {
		case FromFile:
			s.SignIn.File, err = r.file("file", value)
		case Command:
			s.SignIn.Command, err = r.text("command", value)
		default:
			if s.SignIn.Variable, err = r.text("environment", value); err == nil && !variableName().MatchString(s.SignIn.Variable) {
				err = r.failed(value.Line, "", "environment is the name of a variable: letters, digits and _")
			}
		}
		return err
	})
}

func writeSignIn(s Site) string {
	switch s.SignIn.Kind {
	case "":
		return ""
	case FromFile:
		return "{file: " + quote(s.SignIn.File) + "}"
	case Environment:
		return "{environment: " + quote(s.SignIn.Variable) + "}"
	case Command:
		return "{command: " + quote(s.SignIn.Command) + "}"
	}
	return quote(string(s.SignIn.Kind))
}

func readAuthHeader(r reader, key string, s *Site, n *yaml.Node) error {
	name, err := r.text(key, n)
	if err != nil {
		return err
	}
	if s.AuthHeader, err = adminapi.ParseAuthHeader(name); err != nil { // whose words show the value
		return r.failed(n.Line, "", "authHeader is Authorization or X-Esri-Authorization")
	}
	return nil
}

func readProxy(r reader, key string, s *Site, n *yaml.Node) (err error) {
	if s.Proxy, err = r.text(key, n); err != nil || s.Proxy == NoProxy {
		return err
	}
	u, err := url.Parse(s.Proxy)
	switch {
	case err != nil || u.Hostname() == "" || !slices.Contains([]string{"http", "https", "socks5"}, u.Scheme):
		return r.failed(n.Line, "", "proxy is none, or an address such as http://HOST:3128, https:// or socks5://")
	case u.User != nil && hasPassword(u.User):
		return r.failed(n.Line, "Give it in HTTPS_PROXY instead.", "proxy holds a password, and no secret belongs here")
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return r.failed(n.Line, "", "proxy ends after its host and port")
	}
	return nil
}

func hasPassword(u *url.Userinfo) bool {
	_, has := u.Password()
	return has
}

func readNodes(r reader, key string, s *Site, n *yaml.Node) (err error) {
	if n.Kind != yaml.MappingNode {
		s.Nodes, err = r.file(key, n)
		return err
	}
	return r.exclusive(n, key, []string{"command"}, func(key string, value *yaml.Node) (err error) {
		s.NodesCommand, err = r.text(key, value)
		return err
	})
}

func writeNodes(s Site) string {
	if s.NodesCommand != "" {
		return "{command: " + quote(s.NodesCommand) + "}"
	}
	return quote(s.Nodes)
}

func readAlarms(r reader, key string, s *Site, n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		return r.failed(n.Line, "", "alarms is a list: [bell, notify], or [] for none")
	}
	for _, alarm := range n.Content {
		word, err := r.word("an alarm", alarm, "bell", "notify")
		if err != nil {
			return err
		}
		s.Bell, s.Notify = s.Bell || word == "bell", s.Notify || word == "notify"
	}
	return nil
}

func writeAlarms(s Site) string {
	var alarms []string
	if s.Bell {
		alarms = append(alarms, "bell")
	}
	if s.Notify {
		alarms = append(alarms, "notify")
	}
	if alarms == nil && !s.Says("alarms") {
		return ""
	}
	return "[" + strings.Join(alarms, ", ") + "]"
}

// readHook reads a program: a path where there is a slash, else a name.
func readHook(r reader, key string, s *Site, n *yaml.Node) (err error) {
	if strings.Contains(n.Value, "/") {
		s.Hook, err = r.file(key, n)
	} else {
		s.Hook, err = r.text(key, n)
	}
	return err
}

func readPoll(r reader, key string, s *Site, n *yaml.Node) error {
	word, err := r.word(key, n, "slow", "normal")
	s.Slow = word == "slow"
	return err
}

func writePoll(s Site) string {
	switch {
	case s.Slow:
		return "slow"
	case s.Says("poll"):
		return "normal"
	}
	return ""
}

// together checks the keys that depend on others.
func (r reader) together(s Site) error {
	if _, _, err := adminapi.ParseBase(s.URL, s.Insecure); err != nil {
		if _, _, insecure := adminapi.ParseBase(s.URL, true); insecure == nil {
			return r.failed(s.Lines["url"], "Use https://, or allow it: insecure: true in the file, or --insecure where you add the site.", "http sends the token unencrypted")
		}
		return r.failed(s.Lines["url"], "", "url: %s", sentence(err))
	}
	switch {
	case s.ClientKey != "" && s.ClientCert == "":
		return r.failed(s.Lines["clientKey"], "", "clientKey needs clientCert")
	case s.ClientCert != "" && s.ClientKey == "":
		return r.failed(s.Lines["clientCert"], "", "clientCert needs clientKey")
	}
	return nil
}

// sentence is what is wrong with an address, without the operation.
func sentence(err error) string {
	if e, ok := errors.AsType[*adminapi.Error](err); ok {
		return e.Message
	}
	return err.Error()
}
