package session

import (
	"path/filepath"
	"strconv"

	"github.com/spf13/pflag"

	"geodeck/adminapi"
	"geodeck/adminapi/sites"
)

// Flags are those that say which site is meant and how it is reached.
type Flags struct {
	config, Site, URL         string
	TokenFile, AuthHeader     string
	CA, ClientCert, ClientKey string
	Insecure, ReadOnly        bool
	slow                      string // what pollWord says, or empty
	Unlock                    []string
	Reason                    string // as it was given
	stateDir                  string
}

// Register adds the flags.
func (f *Flags) Register(set *pflag.FlagSet) {
	set.StringVar(&f.Site, "site", "", "name of a site of config.yaml (or "+EnvSite+"; default the one of geodeck site use)")
	set.StringVar(&f.URL, "url", "", "administrative root of the site, https://HOST/CONTEXT/admin (or "+EnvURL+")")
	set.StringVar(&f.config, "config", "", "file of the sites (or "+sites.EnvConfig+"; default geodeck/config.yaml in XDG_CONFIG_HOME or ~/.config)")
	set.StringVar(&f.TokenFile, "token-file", "", "file that holds the token (or the token itself in "+EnvToken+")")
	set.StringVar(&f.AuthHeader, "auth-header", "", "header of the token: Authorization, or X-Esri-Authorization behind web-tier sign-in (or "+EnvAuthHeader+")")
	set.String("token", "", "refused: others can see a token on the command line")
	set.StringVar(&f.CA, "ca", "", "file of certificate authorities to trust besides the system's (PEM)")
	set.StringVar(&f.ClientCert, "client-cert", "", "file of the client certificate (PEM)")
	set.StringVar(&f.ClientKey, "client-key", "", "file of the client certificate's key (PEM)")
	set.BoolVar(&f.Insecure, "insecure", false, "accept http beyond this machine: token and password travel unprotected")
	set.BoolVar(&f.ReadOnly, "read-only", false, "send nothing that changes the site")
	set.BoolFunc("slow", "poll the site at half the pace and ask for less, over a slow line (or "+envSlow+")", func(word string) error {
		on, err := strconv.ParseBool(word)
		f.slow = pollWord(on)
		return err
	})
	set.StringArrayVar(&f.Unlock, "unlock", nil, "name of a site that is read-only until unlocked, to send changes to it")
	set.StringVar(&f.Reason, "reason", "", "why this is sent, for the record; one line (or "+envReason+")")
	set.StringVar(&f.stateDir, "state-dir", "", "folder for the records of sites (default geodeck in XDG_STATE_HOME or ~/.local/state)")
	_ = set.MarkHidden("token")
}

// SiteFlags are the flags with which a command reaches the site as this program does. None of them
// holds a secret, and none unlocks it.
func (s *Session) SiteFlags(of Settings) []string {
	var words []string
	if base, _, err := adminapi.ParseBase(of.URL.Value, true); of.Named.Name != "" {
		words = []string{"--site", of.Named.Name}
	} else if err == nil { // what is ignored of an address may be a secret
		words = []string{"--url", base.String()}
	}
	given := s.Flags()
	if s.own != "" { // they belong to the chosen site
		given = Flags{config: given.config}
	}
	for _, flag := range []struct{ name, value string }{
		{"--config", given.config}, {"--state-dir", s.from.Flags.stateDir},
		{"--token-file", given.TokenFile}, {"--auth-header", given.AuthHeader},
		{"--ca", given.CA}, {"--client-cert", given.ClientCert}, {"--client-key", given.ClientKey},
	} {
		if flag.value == "" {
			continue
		}
		if path, err := filepath.Abs(flag.value); err == nil && flag.name != "--auth-header" {
			flag.value = path
		}
		words = append(words, flag.name, flag.value)
	}
	if given.Insecure {
		words = append(words, "--insecure")
	}
	return words
}
