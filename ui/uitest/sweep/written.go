package sweep

import (
	"fmt"
	"strings"

	"geodeck/ui/uitest/sweep/oracle"
)

// drawConfig is a config.yaml that a person has written: with comments, blank lines, another order and other spellings, at times
// with what no such file may have.
func (k *keeping) drawConfig() string {
	r := k.r
	one := func(some ...string) string { return pick(r, some) }
	in := one("  ", "    ")
	site := func(name string, keys ...string) string {
		r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		text := in + name + ":" + one("", " # of "+name) + "\n"
		for _, key := range keys {
			if key == "" {
				continue
			}
			if r.IntN(5) == 0 {
				text += in + "  # about " + strings.SplitN(key, ":", 2)[0] + "\n"
			}
			text += in + "  " + key + one("", "", "  # checked 2026-03", " # é") + "\n"
		}
		return text
	}
	quoted := func(text string) string { return one(text, `"`+text+`"`, "'"+text+"'") }
	sites := []string{
		site(one(mainBranch, `"`+mainBranch+`"`), "url: "+quoted("http://127.0.0.1:7443/geodeck/admin"), one("", "user: admin"), one("signIn: keyring", "signIn: keyring", "signIn: {environment: TOKEN_CITY}")),
		site("harbour", "url: "+quoted("http://127.0.0.1:7444/geodeck/admin"), "production: "+one("true", "True"), one("", "signIn: keyring", "signIn: ask"), one("", "poll: slow", "alarms: [bell]")),
		one("", in+"old: {url: https://old.example.org/x/admin, readOnly: true} # by hand\n", site("attic", "url: https://attic.example.org/x/admin", "nodes:\n"+in+"    command: kubectl get nodes -o json")),
	}
	if r.IntN(3) == 0 {
		sites = append(sites, site("pier", "url: http://127.0.0.1:7444/geodeck/admin/", "signIn: keyring"))
	}
	if r.IntN(8) == 0 {
		sites = append(sites, site("odd", "url: https://odd.example.org/x/admin", one(oracle.UnknownKey+": red", "user: &who ada")))
		k.m.day.meet("config.yaml: has what it may not have")
	}
	r.Shuffle(len(sites), func(i, j int) { sites[i], sites[j] = sites[j], sites[i] })
	current := one("", "current: "+mainBranch+"\n", "current: "+mainBranch+"   # by the river\n", "current: 'harbour'\n")
	all := "sites:" + one("", " # mine") + "\n" + strings.Join(sites, one("", "\n", "\n"+in+"# next\n"))
	text := one("", "# sites of ada\n\n", "# yaml-language-server: $schema=config.schema.json\n") + one(current+all, all+current) + one("", "# end\n")
	if text == "" || r.IntN(12) == 0 {
		text = one("", "# nothing yet\n", "sites:\n")
	}
	if r.IntN(4) == 0 {
		text = strings.ReplaceAll(text, "\n", "\r\n")
		k.m.day.meet("config.yaml: has the ends of lines of Windows")
	}
	if r.IntN(6) == 0 {
		text = "\ufeff" + text
	}
	if r.IntN(5) == 0 {
		text = strings.TrimRight(text, "\r\n")
	}
	k.m.day.log("config.yaml is\n%s", fmt.Sprintf("%q", text))
	return text
}
