package sites

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"geodeck/adminapi"
)

// key is what a site may say.
type key struct {
	name string
	doc  string
	// read reads and checks the value.
	read func(r reader, key string, s *Site, n *yaml.Node) error
}

// siteKeys is the table of keys, in the order that a new site has them.
var siteKeys = []key{
	{"url", "The administrative root of the site: https://HOST/CONTEXT/admin.", texts(func(s *Site) *string { return &s.URL })},
	{"production", "A site in production starts read-only, in a colour of its own.", bools(func(s *Site) *bool { return &s.Production })},
	{"readOnly", "The site starts read-only, until it is unlocked.", bools(func(s *Site) *bool { return &s.ReadOnly })},
	{"user", "Who signs in.", texts(func(s *Site) *string { return &s.User })},
	{"signIn", "Where the token comes from: the system's keyring, a question each time, a file, a variable of the environment or a command that prints it.", readSignIn},
	{"clientId", "The OAuth application for the sign-in of keyring and ask.", texts(func(s *Site) *string { return &s.ClientID })},
	{"authHeader", "The header that carries the token; X-Esri-Authorization behind web-tier sign-in.", readAuthHeader},
	{"ca", "A file of certificate authorities to trust besides the system's (PEM).", paths(func(s *Site) *string { return &s.CA })},
	{"clientCert", "A file of the client certificate (PEM).", paths(func(s *Site) *string { return &s.ClientCert })},
	{"clientKey", "A file of the key of the client certificate (PEM).", paths(func(s *Site) *string { return &s.ClientKey })},
	{"proxy", "The proxy to the site, or none; without it the environment's.", readProxy},
	{"insecure", "Accepts http beyond this machine: token and password travel unprotected.", bools(func(s *Site) *bool { return &s.Insecure })},
	{"nodes", "The nodes of the cluster: a file, or a command such as kubectl get nodes -o json.", readNodes},
	{"alarms", "How the end of long work is told.", readAlarms},
	{"hook", "A command that runs at the end of long work.", texts(func(s *Site) *string { return &s.Hook })},
	{"poll", "How often the site is asked; slow is half as often.", readPoll},
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

func texts(of func(*Site) *string) func(reader, string, *Site, *yaml.Node) error {
	return func(r reader, key string, s *Site, n *yaml.Node) (err error) {
		*of(s), err = r.text(key, n)
		return err
	}
}

func bools(of func(*Site) *bool) func(reader, string, *Site, *yaml.Node) error {
	return func(r reader, key string, s *Site, n *yaml.Node) (err error) {
		*of(s), err = r.bool(key, n)
		return err
	}
}

func paths(of func(*Site) *string) func(reader, string, *Site, *yaml.Node) error {
	return func(r reader, key string, s *Site, n *yaml.Node) (err error) {
		*of(s), err = r.file(key, n)
		return err
	}
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

func readPoll(r reader, key string, s *Site, n *yaml.Node) error {
	word, err := r.word(key, n, "slow", "normal")
	s.Slow = word == "slow"
	return err
}

// together checks the keys that depend on others.
func (r reader) together(s Site) error {
	if _, _, err := adminapi.ParseBase(s.URL, s.Insecure); err != nil {
		if _, _, insecure := adminapi.ParseBase(s.URL, true); insecure == nil {
			return r.failed(s.Lines["url"], "Use https://, or say insecure: true.", "http sends the token unencrypted")
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
