package cli

import (
	"path/filepath"
	"strconv"

	"github.com/spf13/pflag"

	"geodeck/adminapi"
	"geodeck/adminapi/sites"
)

// flags are those that say which site is meant and how it is reached.
type flags struct {
	config, site, url         string
	tokenFile, authHeader     string
	ca, clientCert, clientKey string
	insecure, readOnly        bool
	slow                      string // what pollWord says, or empty
	unlock                    []string
	stateDir                  string
}

func (f *flags) register(set *pflag.FlagSet) {
	set.StringVar(&f.site, "site", "", "name of a site of config.yaml (or "+envSite+"; default the one of geodeck site use)")
	set.StringVar(&f.url, "url", "", "administrative root of the site, https://HOST/CONTEXT/admin (or "+envURL+")")
	set.StringVar(&f.config, "config", "", "file of the sites (or "+sites.EnvConfig+"; default geodeck/config.yaml in XDG_CONFIG_HOME or ~/.config)")
	set.StringVar(&f.tokenFile, "token-file", "", "file that holds the token (or the token itself in "+envToken+")")
	set.StringVar(&f.authHeader, "auth-header", "", "header of the token: Authorization, or X-Esri-Authorization behind web-tier sign-in (or "+envAuthHeader+")")
	set.String("token", "", "refused: others can see a token on the command line")
	set.StringVar(&f.ca, "ca", "", "file of certificate authorities to trust besides the system's (PEM)")
	set.StringVar(&f.clientCert, "client-cert", "", "file of the client certificate (PEM)")
	set.StringVar(&f.clientKey, "client-key", "", "file of the client certificate's key (PEM)")
	set.BoolVar(&f.insecure, "insecure", false, "accept http beyond this machine: token and password travel unprotected")
	set.BoolVar(&f.readOnly, "read-only", false, "send nothing that changes the site")
	set.BoolFunc("slow", "poll the site at half the pace and ask for less, over a slow line (or "+envSlow+")", func(word string) error {
		on, err := strconv.ParseBool(word)
		f.slow = pollWord(on)
		return err
	})
	set.StringArrayVar(&f.unlock, "unlock", nil, "name of a site that is read-only until unlocked, to send changes to it")
	set.StringVar(&f.stateDir, "state-dir", "", "folder for the records of sites (default geodeck in XDG_STATE_HOME or ~/.local/state)")
	_ = set.MarkHidden("token")
}

// siteFlags are the flags with which a command reaches the site as this program does. None of them
// holds a secret, and none unlocks it.
func (s *session) siteFlags(of settings) []string {
	var words []string
	if base, _, err := adminapi.ParseBase(of.url.value, true); of.named.Name != "" {
		words = []string{"--site", of.named.Name}
	} else if err == nil { // what is ignored of an address may be a secret
		words = []string{"--url", base.String()}
	}
	given := s.flags()
	if s.own != "" { // they belong to the chosen site
		given = flags{config: given.config}
	}
	for _, flag := range []struct{ name, value string }{
		{"--config", given.config}, {"--state-dir", s.from.flags.stateDir}, {"--token-file", given.tokenFile}, {"--auth-header", given.authHeader},
		{"--ca", given.ca}, {"--client-cert", given.clientCert}, {"--client-key", given.clientKey},
	} {
		if flag.value == "" {
			continue
		}
		if path, err := filepath.Abs(flag.value); err == nil && flag.name != "--auth-header" {
			flag.value = path
		}
		words = append(words, flag.name, flag.value)
	}
	if given.insecure {
		words = append(words, "--insecure")
	}
	return words
}
