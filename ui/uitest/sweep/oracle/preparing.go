package oracle

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// given is what a command of an upgrade was given.
type given struct {
	licence, settings string // paths; empty for none
	latest            string // true or false; empty for nothing
	words             []string
	starts            bool // it is no plan
	files             map[string][]byte
}

// Wrong is in the name of a file that no command may use.
const Wrong = "-wrong-"

func givenBy(flags map[string][]string, files map[string][]byte) (g given) {
	for at, name := range map[*string]string{&g.licence: "license", &g.settings: "settings", &g.latest: "latest-patch"} {
		if value := flags[name]; len(value) > 0 {
			*at = value[0]
		}
	}
	for _, words := range flags["accept"] {
		g.words = append(g.words, strings.Split(words, ",")...)
	}
	g.files = files
	return g
}

// later reports whether what is missing is filled in later.
func (g given) later() bool { return !g.starts && g.licence == "" && g.settings == "" }

// setting is one that a site asks for.
type setting struct {
	ID, Name, Type string
	Value          json.RawMessage
	Required       bool

	key   string
	whole map[string]json.RawMessage
}

// empty reports whether a value is none.
func empty(value json.RawMessage) bool {
	text := strings.TrimSpace(string(value))
	return text == "" || text == "null" || text == `""`
}

func (s setting) file() bool { return strings.EqualFold(s.Type, "file") }

// licence reports whether it takes the licence.
func (s setting) licence() bool {
	return s.file() && strings.Contains(strings.ReplaceAll(strings.ToLower(s.key), "licence", "license"), "license")
}

// settingsIn are those of a form, or of a file that fills it in.
func settingsIn(form string) (all []setting) {
	var told struct{ UserInputs json.RawMessage }
	_ = json.Unmarshal([]byte(form), &told)
	list := []json.RawMessage{told.UserInputs}
	if bytes.HasPrefix(bytes.TrimSpace(told.UserInputs), []byte("[")) {
		list = nil
		_ = json.Unmarshal(told.UserInputs, &list)
	}
	for i, raw := range list {
		var s setting
		_ = json.Unmarshal(raw, &s)
		_ = json.Unmarshal(raw, &s.whole)
		if s.key = cmp.Or(s.ID, s.Name); slices.ContainsFunc(all, func(other setting) bool { return other.key == s.key }) {
			s.key = fmt.Sprintf("%s#%d", s.key, i+1)
		}
		if len(raw) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// form is what a site asks for before an update; empty for one of the old style.
func (d *Day) form(o *offer) string {
	if o.old() {
		return ""
	}
	return d.Ask("/system/upgrades/getUpgradeSettings?upgradeId=" + `{"id":"` + o.ID + `"}`)
}

// old reports whether an update takes its licence in the request.
func (o *offer) old() bool { return slices.Compare(numbersOf(o.Version), []int{11}) < 0 }

// filled are the new values of a form by their settings, and whether the command has to refuse what it was given.
func (g given) filled(form []setting, o *offer) (values map[string]string, refused bool) {
	values = map[string]string{}
	for _, file := range []string{g.licence, g.settings} {
		refused = refused || strings.Contains(file, Wrong)
	}
	if refusal.Match(g.files[g.settings]) { // the site's answer about an update that does not apply, kept as a file, is no settings
		refused = true
	}
	for _, s := range settingsIn(string(g.files[g.settings])) {
		at := slices.IndexFunc(form, func(f setting) bool { return f.key == s.key })
		if refused = refused || at < 0; at >= 0 && s.Value != nil && packed(s.Value) != packed(form[at].Value) {
			values[s.key] = packed(s.Value)
		}
	}
	takes := slices.IndexFunc(form, setting.licence)
	switch {
	case g.licence == "":
	case takes >= 0:
		values[form[takes].key] = g.licence
	default:
		refused = refused || !o.old() && o.NewLicensesRequired != nil && !*o.NewLicensesRequired
	}
	if g.latest != "" && !o.old() {
		values["updateToLatestPatch"] = g.latest
		refused = refused || !slices.ContainsFunc(form, func(f setting) bool { return f.key == "updateToLatestPatch" })
	}
	return values, refused
}

// packed is a value in one spelling, with all digits.
func packed(raw json.RawMessage) string {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if decoder.UseNumber(); decoder.Decode(&value) != nil {
		return string(raw)
	}
	text, _ := json.Marshal(value)
	return string(text)
}

// Asked are the settings whose labels are known.
var labels = map[string]string{"storageClassName": "Storage class name", "TLSCertFile": "TLS cert file", "adminPassword": "Admin password", "volumesConfig": "Storage of persistent volumes",
	"Number of replicas": "Number of replicas", "zone_of-it": "Zone of it"}

// refusal is the answer about an update that does not apply to the site.
var refusal = regexp.MustCompile(`^\s*\{\s*"error"`)

// formChecks are the checks of the licence and of the settings.
func (d *Day) formChecks(o *offer, g given) (licence, settings check) {
	form := settingsIn(d.form(o))
	values, _ := g.filled(form, o)
	needs := o.NewLicensesRequired != nil && *o.NewLicensesRequired
	missing := func(id, state, accept, finding string) check {
		if g.later() {
			return check{id: id, state: "later", finding: finding}
		}
		return check{id: id, state: state, finding: finding, accept: accept}
	}
	inRequest := func(why string) check {
		if c := d.licence(string(g.files[g.licence]), o); c.state != "ok" {
			return c
		}
		return caution("licence", "licence", "The licence goes with the request: %s.", why)
	}
	licence = passed("licence", "No new licence is needed.")
	if o.NewLicensesRequired == nil {
		licence = check{id: "licence", state: "note", finding: "The update does not say whether it needs a new licence."}
	}
	at := slices.IndexFunc(form, setting.licence)
	switch {
	case (d.Mute[settingsPath] || refusal.MatchString(d.form(o))) && !o.old():
		licence = check{id: "licence", state: "not known", accept: "licence", weighs: "danger", finding: "*"}
		if g.licence != "" {
			licence = inRequest("the settings are not known")
		} else if !needs {
			licence.finding = "The settings could not be read*"
		} else {
			licence.finding = "A new licence is needed; the settings could not be read*"
		}
		return licence, check{id: "settings", state: "not known", accept: "settings", weighs: "danger", finding: "The settings could not be read*"}
	case at < 0 && g.licence != "" && o.old():
		licence = d.licence(string(g.files[g.licence]), o)
	case at < 0 && g.licence != "":
		licence = inRequest("no setting asks for it")
	case at < 0 && needs && o.old():
		licence = missing("licence", "blocking", "", "A new licence is needed.")
	case at < 0 && needs:
		licence = missing("licence", "caution", "licence", "A new licence is needed, but no setting asks for it.")
	case at < 0:
	case g.licence != "" && d.Mute["/uploads"]:
		licence = inRequest("the site takes no uploaded one")
	case g.licence != "":
		licence = d.licence(string(g.files[g.licence]), o)
	case values[form[at].key] != "" || !empty(form[at].Value):
		licence = passed("licence", "Licence given. The site checks it when the upgrade starts.")
	case !form[at].Required && !needs:
		licence = passed("licence", "No new licence is needed.")
	default:
		licence = missing("licence", "blocking", "", "A new licence is needed.")
	}
	lacks := slices.DeleteFunc(slices.Clone(form), func(s setting) bool {
		return s.licence() || !s.Required || !empty(s.Value) || values[s.key] != ""
	})
	switch {
	case len(form) == 0:
		settings = passed("settings", "This upgrade has no settings.")
	case len(lacks) > 0:
		more := ""
		if n := len(lacks) - 1; n == 1 {
			more = " (and 1 other problem)"
		} else if n > 1 {
			more = fmt.Sprintf(" (and %d other problems)", n)
		}
		kind := map[string]string{"file": "name a file", "boolean": "say yes or no"}[strings.ToLower(lacks[0].Type)]
		settings = missing("settings", "blocking", "", fmt.Sprintf("%s is required: %s.%s", labels[lacks[0].key], cmp.Or(kind, "give it as JSON"), more))
	case licence.state == "later" || licence.state == "blocking":
		settings = check{id: "settings", state: "later", finding: "Complete except for the licence."}
	default:
		settings = passed("settings", "All settings are complete.")
	}
	return licence, settings
}

const settingsPath = "/system/upgrades/getUpgradeSettings"

var endsIn = regexp.MustCompile(`(?i)"(?:expiration|expirationdate|expires|enddate)"\s*:\s*("[^"]*"|\d+)`)

// licence is the check of a licence that can be read.
func (d *Day) licence(text string, o *offer) check {
	var told struct {
		Version json.RawMessage
		MyEsri  struct{ Version json.RawMessage }
	}
	_ = json.Unmarshal([]byte(text), &told)
	version := strings.Trim(string(slices.Concat(told.MyEsri.Version, told.Version)), `"`)
	var ends time.Time
	for _, said := range endsIn.FindAllStringSubmatch(text, -1) {
		day := strings.Trim(said[1], `"`)
		at, err := time.Parse(time.DateOnly, day)
		if n, number := strconv.ParseInt(said[1], 10, 64); number == nil {
			at, err = time.UnixMilli(n), nil
		} else if err != nil {
			at, err = time.Parse(time.RFC3339, day)
		}
		if err == nil && at.UnixMilli() > 0 && (ends.IsZero() || at.Before(ends)) {
			ends = at
		}
	}
	words := ""
	if version != "" {
		if have, want := append(numbersOf(version), 0), numbersOf(o.Version); have[0] != want[0] || have[1] != want[1] {
			return check{id: "licence", state: "danger", finding: "The licence is for " + version + ", not for *", accept: "licence"}
		}
		words = ", for " + version
	}
	if !ends.IsZero() {
		day := ends.UTC().Format(time.DateOnly)
		if !ends.After(time.Now().Add(d.Ahead)) {
			return check{id: "licence", state: "danger", finding: "The licence expired on " + day + ".", accept: "licence"}
		}
		words += ", until " + day
	}
	return passed("licence", "Licence given%s. The site checks it when the upgrade starts.", words)
}

// privileges is the check of who would send it.
func (d *Day) privileges(o *offer, g given) check {
	var self struct {
		Role       string
		Privileges []string
	}
	d.into("/../sharing/rest/community/self", &self)
	may := func(any ...string) bool {
		return slices.ContainsFunc(self.Privileges, func(has string) bool {
			return slices.ContainsFunc(any, func(name string) bool {
				return strings.EqualFold(strings.TrimSpace(has), name) || strings.HasSuffix(name, ":") && strings.HasPrefix(has, name)
			})
		})
	}
	form := settingsIn(d.form(o))
	values, _ := g.filled(form, o)
	uploads := !d.Mute[settingsPath] && slices.ContainsFunc(form, func(s setting) bool {
		return s.file() && !(s.licence() && d.Mute["/uploads"]) && (s.licence() && g.licence != "" || g.later() && s.Required && empty(s.Value) && values[s.key] == "")
	})
	switch {
	case self.Role == "org_admin":
		return passed("privileges", "You are an administrator.")
	case len(self.Privileges) == 0:
		return check{id: "privileges", state: "not known", finding: "The portal does not report your privileges*", accept: "privileges", weighs: "caution"}
	case !may("portal:admin:manageSecurity", "Security and infrastructure", "portal:admin:manageServers", "Servers"):
		return caution("privileges", "privileges", "You may lack the privilege Security and infrastructure, or Servers.")
	case uploads && !may("portal:publisher:", "Publisher") && self.Role != "org_publisher":
		return caution("privileges", "privileges", "You may upgrade, but probably not upload the file of a setting.")
	case uploads:
		return passed("privileges", "You may upgrade, and upload files.")
	}
	return passed("privileges", "You may upgrade.")
}

// clocks is the check of the two clocks.
func (d *Day) clocks() check {
	ahead, way := d.Ahead, "ahead of"
	if d.Skew != nil {
		ahead -= d.Skew()
	}
	if ahead < 0 {
		ahead, way = -ahead, "behind"
	}
	switch off := ahead - 2*time.Minute; {
	case off.Abs() < 10*time.Second:
		return check{id: "clock"}
	case off < 0:
		return passed("clock", "The site's clock and this machine's agree.")
	}
	var any []string
	for s := -9 * time.Second; s <= 9*time.Second; s += time.Second {
		any = append(any, fmt.Sprintf("The site's clock is %s %s this machine's.", strings.Replace(elapsed(ahead+s), ".0 s", " s", 1), way))
	}
	return caution("clock", "clock", "%s", strings.Join(any, "|"))
}

// Placements are rules for the pods of an upgrade, each with what has to be found: as a caution where they need a node.
var Placements = []struct{ Rules, Finding string }{
	{`{}`, "Upgrade pods run on any node."},
	{`{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{}},"tolerations":[{"operator":"Exists"}]}`, "Upgrade pods run on any node. They tolerate every taint."},
	{`{"tolerations":[{"key":"batch","operator":"Exists"},{"key":"spot","operator":"Exists"}]}`, "Upgrade pods run on any node. They tolerate the batch, spot taint."},
	{`{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":3,"preference":{"matchExpressions":[{"key":"disk","operator":"Exists"},{"key":"spot","operator":"DoesNotExist"}]}}]}}`,
		"Upgrade pods prefer a node labelled disk; without the label spot."},
	{`{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"NotIn","values":["a","b"]},{"key":"cpus","operator":"Gt","values":["7"]}]}]}},"tolerations":[{"key":"up","operator":"Exists"}]}`,
		"Upgrade pods need a node with zone other than a or b; with cpus above 7. They tolerate its up taint."},
}

// placement is the check of where its pods run.
func (d *Day) placement() check {
	var told struct{ PodPlacementPolicy json.RawMessage }
	d.into("/system/upgrades/config", &told)
	for i, p := range Placements {
		if packed(told.PodPlacementPolicy) == packed(json.RawMessage(p.Rules)) {
			if c := passed("placement", "%s", p.Finding); i < len(Placements)-1 {
				return c
			}
			return caution("placement", "placement", "%s", p.Finding)
		}
	}
	return caution("placement", "placement", "Upgrade pods need a node labelled upgrader=true. They tolerate its upgrader taint.")
}

// unreads are the checks of what a site may not tell, by its paths.
var unreads = map[string]check{
	"/mode":                           {"mode", "not known", "The mode of the site could not be read*", "mode", "danger"},
	"/healthCheck/reports":            {"health", "not known", "The last health report could not be read*", "health", "danger"},
	"/system/disasterrecovery/stores": {"backup", "not known", "Backups could not be read*", "backup", ""},
	"/system/upgrades/config":         {"placement", "not known", "The placement of upgrade pods could not be read*", "placement", "caution"},
	"/../sharing/rest/community/self": {"privileges", "not known", "Your privileges could not be read*", "privileges", "caution"},
}

// says reports whether a finding is one of those that fit. A star at the end of one is any text.
func (c check) says(finding string, within bool) bool {
	return c.finding == "" || slices.ContainsFunc(strings.Split(c.finding, "|"), func(one string) bool {
		begins, open := strings.CutSuffix(one, "*")
		return within && strings.Contains(finding, begins) || open && strings.HasPrefix(finding, begins) || finding == one
	})
}

// accepting is what was accepted of an upgrade, and what had to be when its command began.
type accepting struct {
	id     string
	given  given
	before []check
}

// Accepts keeps what a command accepts that is to start an upgrade, by its arguments.
func (d *Day) Accepts(i *Intent, files map[string][]byte, args ...string) {
	words, flags := split(args)
	a := &accepting{id: words[2], given: givenBy(flags, files)}
	a.given.starts = true
	a.before = d.checks(a.id, a.given)
	d.mu.Lock()
	defer d.mu.Unlock()
	i.accepting = a
}

// acceptedByName wants each check to have passed, or its word to have been given; what blocks is not sent.
func acceptedByName(a arrival) (judged int, wrong []string) {
	if a.Intent == nil || a.Intent.accepting == nil || !strings.HasSuffix(a.Path, "/upgrades/upgrade") {
		return 0, nil
	}
	of := a.Intent.accepting
	for i, c := range a.checks(of.id, of.given) {
		if i >= len(of.before) || of.before[i] != c || c.state == "" {
			continue
		}
		judged++
		if c.state == "blocking" || c.accept != "" && !slices.Contains(of.given.words, c.accept) {
			wrong = append(wrong, fmt.Sprintf("%s was sent, %v is found, and %v was accepted", of.id, c, of.given.words))
		}
	}
	return judged, wrong
}

// formIsSent wants the form of the site in an upgrade, each value as it was filled in, and all else as it was.
func formIsSent(a arrival) (int, []string) {
	if a.Intent == nil || a.Intent.accepting == nil || !strings.HasSuffix(a.Path, "/upgrades/upgrade") {
		return 0, nil
	}
	o := a.siteNow().find(a.Intent.accepting.id)
	if o == nil || a.Mute[settingsPath] {
		return 0, nil
	}
	return 1, a.Day.formDiffers(o, a.Intent.accepting.given, a.Fields.Get("upgradeSettings"), func(id string) string {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.uploads[id]
	}, a.Write.Files["licenseFile"], false)
}

// formDiffers says where settings are not the form of the site with what was filled in. content is that of an upload, and part
// the licence in the request; shown are settings with their secrets masked.
func (d *Day) formDiffers(o *offer, g given, sent string, content func(id string) string, part string, shown bool) (wrong []string) {
	form := settingsIn(d.form(o))
	values, _ := g.filled(form, o)
	inRequest := o.old() || !slices.ContainsFunc(form, setting.licence) || d.Mute["/uploads"]
	if want := string(g.files[g.licence]); inRequest && part != want || !inRequest && part != "" {
		wrong = append(wrong, fmt.Sprintf("a licence of %d bytes is a part of the request, and %s has %d", len(part), path.Base(g.licence), len(want)))
	}
	got := settingsIn(sent)
	if bare := !slices.ContainsFunc(form, func(s setting) bool {
		return !s.licence() && (s.key != "updateToLatestPatch" || values[s.key] != "")
	}); o.old() || inRequest && g.licence != "" && bare && len(form) > 0 {
		form = nil
	}
	if len(got) != len(form) {
		return append(wrong, fmt.Sprintf("%d settings are sent, and %s asks for %d: %.300s", len(got), o.ID, len(form), sent))
	}
	for i, s := range form {
		for member, raw := range s.whole {
			if member != "value" && packed(got[i].whole[member]) != packed(raw) {
				wrong = append(wrong, fmt.Sprintf("%s of the setting %s is sent as %s, and is %s", member, s.key, got[i].whole[member], raw))
			}
		}
		is, want := packed(got[i].Value), cmp.Or(values[s.key], packed(s.Value))
		if s.licence() && g.licence != "" && !inRequest {
			var id string
			_ = json.Unmarshal(got[i].Value, &id)
			is, want = content(id), string(g.files[g.licence])
		} else if s.licence() && g.licence != "" {
			want = packed(s.Value)
		}
		if quoted := strings.Trim(is, `"`); strings.HasPrefix(strings.ToLower(s.Type), "bool") && quoted == want { // a text stays one
			is = quoted
		}
		if shown && notShown.MatchString(s.key) && values[s.key] != "" {
			want = `"[secret]"`
		}
		if is != want && is != packed(json.RawMessage(want)) {
			wrong = append(wrong, fmt.Sprintf("the setting %s is sent as %.200s, and was filled in as %.200s", s.key, is, want))
		}
	}
	return wrong
}

// notShown are the settings that are shown without their values.
var notShown = regexp.MustCompile(`(?i)passw|secret|token`)
