package cli

import (
	"cmp"
	"net/url"
	"os"
	"strings"

	"geodeck/adminapi/secrets"
	"geodeck/adminapi/sites"
)

// defaultSignIn is how a site is signed in to that does not say it.
const defaultSignIn = sites.Ask

// settingJSON is one setting of a site, for scripts.
type settingJSON struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"` // a flag, a variable, a line of the file, or default
}

// explained are the settings in the order of the keys of the file, with the defaults. What
// looks like a secret in an address or a command is left out.
func (s *session) explained(of settings) []settingJSON {
	nodes := of.nodes
	if nodes.value == "" {
		nodes = of.nodesCommand
	}
	for _, variable := range []string{envNodesCommand, envNodes} {
		if value := s.from.env(variable); value != "" {
			nodes = setting{value, variable}
		}
	}
	proxy := of.proxy
	if proxy.value == "" {
		proxy = s.proxyOfEnvironment(of.url.value)
	}
	var shown []settingJSON
	for _, one := range []struct {
		key       string
		said      setting
		otherwise string
	}{
		{"site", of.site, ""},
		{"url", of.url, ""},
		{"production", of.production, "false"},
		{"readOnly", of.readOnly, "false"},
		{"user", of.user, ""},
		{"signIn", of.signIn, string(defaultSignIn)},
		{"token", s.tokenShown(of), ""},
		{"clientId", of.clientID, ""},
		{"authHeader", of.authHeader, "Authorization"},
		{"ca", of.ca, ""},
		{"clientCert", of.clientCert, ""},
		{"clientKey", of.clientKey, ""},
		{"proxy", proxy, ""},
		{"insecure", of.insecure, "false"},
		{"nodes", nodes, ""},
		{"alarms", of.alarms, alarmBell + "," + alarmNotify},
		{"hook", of.hook, ""},
		{"poll", of.poll, pollNormal},
	} {
		said := setting{cmp.Or(one.said.value, one.otherwise), cmp.Or(one.said.from, "default")}
		shown = append(shown, settingJSON{one.key, new(secrets.ByName).Text(said.value), said.from})
	}
	return shown
}

// tokenShown says whether there is a token. It is empty where that is known only once the
// token is needed: of a keyring, a command and the user.
func (s *session) tokenShown(of settings) setting {
	words := map[bool]string{true: "set", false: "not set"}
	switch of.token.Kind {
	case sites.FromFile:
		return setting{words[isFile(of.token.File)], of.signIn.from}
	case sites.Environment:
		return setting{words[s.from.env(of.token.Variable) != ""], of.token.Variable}
	case "", sites.Ask:
		return setting{words[false], of.signIn.from}
	}
	return setting{"", of.signIn.from}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() > 0
}

// proxyOfEnvironment is the proxy that the environment has for an address; NO_PROXY may leave out
// the site, which geodeck doctor examines.
func (s *session) proxyOfEnvironment(address string) setting {
	name, unless := "HTTPS_PROXY", ""
	if u, err := url.Parse(address); err == nil && u.Scheme == "http" {
		name = "HTTP_PROXY"
	}
	for _, variable := range []string{"no_proxy", "NO_PROXY"} {
		if s.from.env(variable) != "" {
			unless = ", unless " + variable + " has the site"
		}
	}
	for _, variable := range []string{name, strings.ToLower(name)} {
		if value := s.from.env(variable); value != "" {
			return setting{value, variable + unless}
		}
	}
	return setting{}
}
