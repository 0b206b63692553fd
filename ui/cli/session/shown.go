package session

import (
	"cmp"
	"net/url"
	"os"
	"strings"

	"geodeck/adminapi/secrets"
	"geodeck/adminapi/sites"
)

// DefaultSignIn is how a site is signed in to that does not say it.
const DefaultSignIn = sites.Ask

// Shown is one setting of a site, for scripts.
type Shown struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"` // a flag, a variable, a line of the file, or default
}

// Explained are the settings in the order of the keys of the file, with the defaults. What
// looks like a secret in an address or a command is left out.
func (s *Session) Explained(of Settings) []Shown {
	nodes := of.nodes
	if nodes.Value == "" {
		nodes = of.nodesCommand
	}
	for _, variable := range []string{EnvNodesCommand, EnvNodes} {
		if value := s.from.Env(variable); value != "" {
			nodes = Setting{value, variable}
		}
	}
	proxy := of.Proxy
	if proxy.Value == "" {
		proxy = s.proxyOfEnvironment(of.URL.Value)
	}
	var shown []Shown
	for _, one := range []struct {
		key       string
		said      Setting
		otherwise string
	}{
		{"site", of.Site, ""},
		{"url", of.URL, ""},
		{"production", of.production, "false"},
		{"readOnly", of.readOnly, "false"},
		{"user", of.User, ""},
		{"signIn", of.signIn, string(DefaultSignIn)},
		{"token", s.tokenShown(of), ""},
		{"clientId", of.ClientID, ""},
		{"authHeader", of.AuthHeader, "Authorization"},
		{"ca", of.ca, ""},
		{"clientCert", of.clientCert, ""},
		{"clientKey", of.clientKey, ""},
		{"proxy", proxy, ""},
		{"insecure", of.Insecure, "false"},
		{"nodes", nodes, ""},
		{"alarms", of.Alarms, AlarmBell + "," + AlarmNotify},
		{"hook", of.Hook, ""},
		{"poll", of.poll, PollNormal},
		{"maxAge", of.maxAge, "24h"},
	} {
		said := Setting{cmp.Or(one.said.Value, one.otherwise), cmp.Or(one.said.From, "default")}
		shown = append(shown, Shown{one.key, new(secrets.ByName).Text(said.Value), said.From})
	}
	return shown
}

// tokenShown says whether there is a token. It is empty where that is known only once the
// token is needed: of a keyring, a command and the user.
func (s *Session) tokenShown(of Settings) Setting {
	words := map[bool]string{true: "set", false: "not set"}
	switch of.token.Kind {
	case sites.FromFile:
		return Setting{words[isFile(of.token.File)], of.signIn.From}
	case sites.Environment:
		return Setting{words[s.from.Env(of.token.Variable) != ""], of.token.Variable}
	case "", sites.Ask:
		return Setting{words[false], of.signIn.From}
	}
	return Setting{"", of.signIn.From}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() > 0
}

// proxyOfEnvironment is the proxy that the environment has for an address; NO_PROXY may leave out
// the site, which geodeck doctor examines.
func (s *Session) proxyOfEnvironment(address string) Setting {
	name, unless := "HTTPS_PROXY", ""
	if u, err := url.Parse(address); err == nil && u.Scheme == "http" {
		name = "HTTP_PROXY"
	}
	for _, variable := range []string{"no_proxy", "NO_PROXY"} {
		if s.from.Env(variable) != "" {
			unless = ", unless " + variable + " has the site"
		}
	}
	for _, variable := range []string{name, strings.ToLower(name)} {
		if value := s.from.Env(variable); value != "" {
			return Setting{value, variable + unless}
		}
	}
	return Setting{}
}
