package sites

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"geodeck/adminapi"
	"geodeck/adminapi/lists"
)

// key is what a site may say.
type key struct {
	name   string
	doc    string
	schema string                       // of its value, in JSON
	read   func(v value, s *Site) error // reads and checks the value
	yaml   func(s Site) string          // writes the value; empty where there is none
}

// siteKeys is the table of keys, in the order that a new site has them.
var siteKeys = []key{
	textKey("url", "The administrative root of the site, https://HOST/CONTEXT/admin.", value.text, func(s *Site) *string { return &s.URL }),
	boolKey("production", "The site is in production: it starts read-only, in a colour of its own.", func(s *Site) *bool { return &s.Production }),
	boolKey("readOnly", "The site starts read-only, until it is unlocked.", func(s *Site) *bool { return &s.ReadOnly }),
	textKey("user", "Who signs in.", value.text, func(s *Site) *string { return &s.User }),
	{
		"signIn", "Where the token comes from. The file and the variable hold it; the command prints it.",
		`{"oneOf":[{"enum":["keyring","ask"]},` + oneText("file") + `,` + oneText("environment") + `,` + oneText("command") + `]}`,
		readSignIn, writeSignIn,
	},
	textKey("clientId", "The OAuth application for the sign-in of keyring and ask.", value.text, func(s *Site) *string { return &s.ClientID }),
	{
		"authHeader", "The header that carries the token; X-Esri-Authorization behind web-tier sign-in.",
		`{"enum":["Authorization","X-Esri-Authorization"]}`, readAuthHeader, func(s Site) string { return quote(s.AuthHeader) },
	},
	textKey("ca", "Certificate authorities to trust besides those of the system (a PEM file).", value.file, func(s *Site) *string { return &s.CA }),
	textKey("clientCert", "The file of the client certificate (PEM).", value.file, func(s *Site) *string { return &s.ClientCert }),
	textKey("clientKey", "The file of the key of the client certificate (PEM).", value.file, func(s *Site) *string { return &s.ClientKey }),
	textKey("proxy", "The proxy to the site, or none. Without this key it is that of the environment.", value.proxy, func(s *Site) *string { return &s.Proxy }),
	boolKey("insecure", "Accept http beyond this machine: token and password travel unprotected.", func(s *Site) *bool { return &s.Insecure }),
	{
		"nodes", "The nodes of the cluster: a file, or a command such as kubectl get nodes -o json.",
		`{"oneOf":[` + textSchema + `,` + oneText("command") + `]}`, readNodes, writeNodes,
	},
	{
		"alarms", "How the end of long work is told; [] for nothing.",
		`{"type":"array","items":{"enum":["bell","notify"]}}`, readAlarms, writeAlarms,
	},
	textKey("hook", "A program that runs at the end of long work, without arguments.", value.program, func(s *Site) *string { return &s.Hook }),
	{"poll", "How often the site is asked: slow is half as often as normal.", `{"enum":["slow","normal"]}`, readPoll, writePoll},
	textKey("maxAge", "How old the newest health report of a healthy site may be in the fleet, such as 24h or 7d.", value.span, func(s *Site) *string { return &s.MaxAge }),
}

// The schemas of values that several keys have.
const textSchema, boolSchema = `{"type":"string","pattern":"\\S"}`, `{"type":"boolean"}`

// oneText is the schema of a mapping with one key.
func oneText(key string) string {
	return `{"type":"object","properties":{"` + key + `":` + textSchema + `},"required":["` + key + `"],"additionalProperties":false}`
}

func textKey(name, doc string, read func(value) (string, error), of func(*Site) *string) key {
	return key{name, doc, textSchema, into(read, of), func(s Site) string { return quote(*of(&s)) }}
}

// into reads a value to where it belongs in a site.
func into[T any](read func(value) (T, error), of func(*Site) *T) func(value, *Site) error {
	return func(v value, s *Site) (err error) {
		*of(s), err = read(v)
		return err
	}
}

func boolKey(name, doc string, of func(*Site) *bool) key {
	return key{name, doc, boolSchema, into(value.bool, of), func(s Site) string {
		if *of(&s) || s.Says(name) {
			return strconv.FormatBool(*of(&s))
		}
		return ""
	}}
}

// siteKeys are the names of the keys that a site may have.
func (r reader) siteKeys() []string {
	return lists.Each(r.keys, func(k key) string { return k.name })
}

// file reads the path of a file: absolute, below the home after ~/, else below the folder
// of config.yaml.
func (v value) file() (string, error) {
	path, err := v.text()
	if err != nil || filepath.IsAbs(path) {
		return path, err
	}
	below, inHome := strings.CutPrefix(path, "~/")
	if !inHome {
		if strings.HasPrefix(path, "~") {
			return "", v.wrong("%s: write the whole path in place of ~ and a name", v.key)
		}
		return filepath.Join(v.folder, path), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", v.failed(v.Line, "Set HOME, or write the whole path.", "%s: it is not known where ~ is", v.key)
	}
	return filepath.Join(home, below), nil
}

// exclusive reads a mapping with exactly one of these keys.
func (v value) exclusive(known []string, read func(value) error) error {
	if len(v.Content) != 2 && v.Kind == yaml.MappingNode {
		return v.wrong("%s needs exactly one of: %s", v.key, strings.Join(known, ", "))
	}
	return v.mapping(v.key, known, func(_ *yaml.Node, v value) error { return read(v) })
}

func readSignIn(v value, s *Site) error {
	if v.Kind == yaml.ScalarNode {
		if v.Value != string(Keyring) && v.Value != string(Ask) {
			return v.wrong("signIn is keyring or ask, or one of: {file: PATH}, {environment: NAME}, {command: TEXT}")
		}
		s.SignIn.Kind = Kind(v.Value)
		return nil
	}
	return v.exclusive([]string{string(FromFile), string(Environment), string(Command)}, func(v value) (err error) {
		s.SignIn.Kind = Kind(v.key)
		switch s.SignIn.Kind {
		case FromFile:
			s.SignIn.File, err = v.file()
		case Command:
			s.SignIn.Command, err = v.text()
		default:
			if s.SignIn.Variable, err = v.text(); err == nil && !variableName().MatchString(s.SignIn.Variable) {
				err = v.wrong("environment is the name of a variable: letters, digits and _")
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

func readAuthHeader(v value, s *Site) error {
	name, err := v.text()
	if err != nil {
		return err
	}
	if s.AuthHeader, err = adminapi.ParseAuthHeader(name); err != nil { // whose words show the value
		return v.wrong("authHeader is Authorization or X-Esri-Authorization")
	}
	return nil
}

// proxy reads an address, or that there is none.
func (v value) proxy() (string, error) {
	text, err := v.text()
	if err != nil || text == NoProxy {
		return text, err
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || !slices.Contains([]string{"http", "https", "socks5"}, u.Scheme):
		return "", v.wrong("proxy is none, or an address such as http://HOST:3128, https:// or socks5://")
	case hasPassword(u.User):
		return "", v.failed(v.Line, "Give it in HTTPS_PROXY instead.", "proxy holds a password, and no secret belongs here")
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return "", v.wrong("proxy ends after its host and port")
	}
	return text, nil
}

func hasPassword(u *url.Userinfo) bool {
	_, has := u.Password()
	return has
}

func readNodes(v value, s *Site) (err error) {
	if v.Kind != yaml.MappingNode {
		s.Nodes, err = v.file()
		return err
	}
	return v.exclusive([]string{"command"}, func(v value) (err error) {
		s.NodesCommand, err = v.text()
		return err
	})
}

func writeNodes(s Site) string {
	if s.NodesCommand != "" {
		return "{command: " + quote(s.NodesCommand) + "}"
	}
	return quote(s.Nodes)
}

func readAlarms(v value, s *Site) error {
	if v.Kind != yaml.SequenceNode {
		return v.wrong("alarms is a list: [bell, notify], or [] for none")
	}
	for _, alarm := range v.Content {
		word, err := value{v.reader, "an alarm", alarm}.word("bell", "notify")
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

// program reads a program: a path where there is a slash, else a name.
func (v value) program() (string, error) {
	if strings.Contains(v.Value, "/") {
		return v.file()
	}
	return v.text()
}

func readPoll(v value, s *Site) error {
	word, err := v.word("slow", "normal")
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

// span reads a span of time, which stays as it was typed.
func (v value) span() (string, error) {
	text, err := v.text()
	if err != nil {
		return "", err
	}
	if span, err := adminapi.ParseSpan(text); err != nil || span == 0 {
		return "", v.wrong("%s takes a span of time such as 24h or 7d", v.key)
	}
	return text, nil
}

// together checks the keys that depend on others.
func (r reader) together(s Site) error {
	if _, _, err := adminapi.ParseBase(s.URL, s.Insecure); err != nil {
		if _, _, insecure := adminapi.ParseBase(s.URL, true); insecure == nil {
			return r.failed(s.Lines["url"], "Use https://, or allow it: insecure: true in the file, or --insecure where you add the site.", "http sends the token unencrypted")
		}
		e, _ := errors.AsType[*adminapi.Error](err) // its words without the operation
		return r.failed(s.Lines["url"], "", "url: %s", e.Message)
	}
	switch {
	case s.ClientKey != "" && s.ClientCert == "":
		return r.failed(s.Lines["clientKey"], "", "clientKey needs clientCert")
	case s.ClientCert != "" && s.ClientKey == "":
		return r.failed(s.Lines["clientCert"], "", "clientCert needs clientKey")
	}
	return nil
}

// namePattern is what a site may be called, as [checkName] has it, in the schema.
const namePattern = `"pattern":"` + nameExpression + `","maxLength":60`

// Schema returns the JSON Schema of the file, for editors: it has the keys of the reader.
func Schema() []byte {
	properties := lists.Each(siteKeys, func(k key) string { return member(k.name, described(k.doc, k.schema)) })
	site := object(`"properties":{`+strings.Join(properties, ",")+`}`, `"required":["url"]`, `"additionalProperties":false`,
		`"dependentRequired":{"clientCert":["clientKey"],"clientKey":["clientCert"]}`)
	sites := `{"type":["object","null"],"propertyNames":{` + namePattern + `},"additionalProperties":` + site + `}`
	current := `{"type":["string","null"],` + namePattern + `}`
	schema := jsontext.Value(object(
		`"$schema":"https://json-schema.org/draft/2020-12/schema"`, `"title":"config.yaml of geodeck"`,
		`"properties":{`+member("current", described("The site that commands use when none is named.", current))+`,`+
			member("sites", described("The sites, by their names. No secret belongs here: the keyring keeps them.", sites))+`}`,
		`"additionalProperties":false`))
	if err := schema.Indent(jsontext.WithIndent("  ")); err != nil {
		panic(err) // a schema in the table of keys is no JSON: a test reads it
	}
	return append(schema, '\n')
}

func object(members ...string) string {
	return `{"type":"object",` + strings.Join(members, ",") + `}`
}

func member(name, value string) string { return quoted(name) + ":" + value }

// described adds a description to a schema.
func described(doc, schema string) string {
	return `{"description":` + quoted(doc) + "," + strings.TrimPrefix(schema, "{")
}

func quoted(text string) string {
	quoted, _ := jsontext.AppendQuote(nil, text) // fails only for broken UTF-8, which it replaces
	return string(quoted)
}
