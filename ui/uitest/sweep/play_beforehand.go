package sweep

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/uitest/sweep/oracle"
)

// beforehand is the play of an administrator who gets an upgrade ready: it is planned with files that fit and others, filled
// in, left as a draft, reviewed, and sent with what was found accepted by its name.
const beforehand = "before an upgrade"

// preparing is such a day.
type preparing struct {
	m       *machine
	r       *rand.Rand
	id      string // what is to be installed, and its version with the build, and without
	version string
	release string
	needs   bool // it needs a licence
	files   *filling
	given   map[string][]byte // what commands are given, by the paths
	intent  *oracle.Intent
	words   []string // that were accepted
}

func playBeforehand(m *machine) {
	p := &preparing{m: m, r: m.day.random("beforehand"), files: &filling{}, given: map[string][]byte{}, intent: &oracle.Intent{}}
	defer p.files.remove()
	m.day.oracle.Secrets.Add("word of an administrator", adminWord)
	if m.day.plan.scenario.Upgrades.Other != nil { // which has failed by then
		time.Sleep(40 * time.Minute)
	}
	for range 4 {
		if p.chooses(p.r.IntN(3) == 0) {
			p.plans()
		}
		time.Sleep(pick(p.r, []time.Duration{time.Second, 10 * time.Minute, 13 * time.Hour}))
	}
	if !p.chooses(false) {
		return
	}
	p.drafts()
	w := wish{name: "upgrade", is: isUpgrade, intent: p.intent, try: p.starts}
	if m.day.plan.told[settingsPath] == "" {
		m.insist(w)
		return
	}
	m.wants = m.wish(w) // the site itself asks for something else: it refuses
	r := m.begin()
	if said := w.try(r); !r.dead.Load() {
		m.judge(*m.wants, r, said)
	}
	r.end()
}

// chooses chooses what is to be installed: the next release, or any.
func (p *preparing) chooses(any bool) bool {
	type update struct {
		ID, Type, Version, PreviousVersion string
		Build                              json.RawMessage
		NewLicensesRequired                bool
	}
	var told struct{ Patches, Releases []update }
	var now update
	p.m.asks(&told, "/system/upgrades/available", nil)
	p.m.asks(&now, "/system/upgrades/currentVersion", nil)
	all := slices.Concat(told.Releases, told.Patches)
	if !any {
		all = slices.DeleteFunc(all, func(u update) bool { return u.Type != "release" || u.PreviousVersion != now.Version })
	}
	if len(all) == 0 {
		return false
	}
	u := pick(p.r, all)
	p.id, p.release, p.needs = u.ID, u.Version, u.NewLicensesRequired
	p.version = u.Version + "." + strings.Trim(string(u.Build), `"`)
	return true
}

// Names of a file of a licence, or of settings, that is none.
func wrongly(name string) string { return strings.Trim(oracle.Wrong, "-") + "-" + name }

// write writes a file for commands.
func (p *preparing) write(name, text string) string {
	name = strings.Replace(name, "wrong-", "x"+oracle.Wrong, 1)
	at, err := p.files.write(name, text)
	if err != nil {
		p.m.day.fail("%v", err)
	}
	p.given[at] = []byte(text)
	return at
}

// licence is a file, of a kind that is drawn: what it says of itself, or why it is none.
func (p *preparing) licence(wrong bool) string {
	day := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.DateOnly) }
	whole := func(rest string) string { return `{"note":"` + licence + `",` + rest + `}` }
	sound := []struct{ name, text string }{
		{"plain", whole(`"version":"` + p.release + `"`)}, {"plain", whole(`"version":"` + p.release + `"`)},
		{"soon", whole(`"version":"` + p.release + `","expirationDate":"` + day(72*time.Hour) + `","parts":[{"expires":"2031-05-06T07:08:09Z"},{"endDate":0}]`)},
		{"vendor", whole(fmt.Sprintf(`"MyEsri":{"version":%q,"parts":[{"Expiration":%d}]}`, p.release, time.Now().Add(900*time.Hour).UnixMilli()))},
		{"ended", whole(`"parts":[{"expiration":"` + day(900*time.Hour) + `"},{"endDate":"` + day(-240*time.Hour) + `"}]`)},
		{"other", whole(`"version":"9.3","expires":"` + day(900*time.Hour) + `"`)}, {"other", whole(`"version":"` + strings.Replace(p.release, ".0", ".7", 1) + `"`)},
		{"silent", whole(`"expiration":"never","products":{"expires":{"date":"1999-01-01"}}`)},
	}
	broken := []struct{ name, text string }{
		{wrongly("empty"), " \n"}, {wrongly("cut"), sound[0].text[:len(sound[0].text)-1]}, {wrongly("twice"), whole(`"version":"1","version":"2"`)}, {wrongly("more"), sound[0].text + "x"},
	}
	one := pick(p.r, sound)
	if wrong {
		one = pick(p.r, broken)
	}
	p.m.day.meet("a licence is " + one.name)
	return p.write("licence-"+one.name, one.text)
}

// values are what is filled in, by the type of a setting.
var values = map[string][]string{
	"boolean": {"true", "false"}, "bool": {"true", "false"}, "file": {`"i0123456789"`}, "password": {`"` + adminWord + `"`},
	"": {`"fast <&>"`, "1.50", `{"a":[],"b":1e3}`, `["é","\u00e9"]`, "0"},
}

// adminWord is a password that is filled in.
const adminWord = "CANARY.pw.7h"

// slipsOf are what a file of settings may not be.
var slipsOf = []func(string) string{
	func(text string) string { return text + "x" },
	func(text string) string { return text[:len(text)-2] },
	func(string) string { return `[]` },
	func(string) string { return "{}x" },
	func(text string) string { return strings.Replace(text, `"userInputs"`, `"inputs"`, 1) },
	func(text string) string { return `{"userInputs":[],` + text[1:] },
	func(string) string { return `{"userInputs":[{"id":"nothing","value":1}]}` },
	func(string) string { return `{"userInputs":[{"id":"updateToLatestPatch","value":"maybe"}]}` },
	func(string) string { return `{"userInputs":[{"id":"licenseUpload","value":5}]}` },
}

// fills fills the form of the site in, as a file for commands: all of it, or a part.
func (p *preparing) fills(all bool) string {
	form := map[string]json.RawMessage{}
	_ = json.Unmarshal([]byte(p.m.site.ask(http.MethodPost, settingsPath, map[string][]string{"upgradeId": {`{"id":"` + p.id + `"}`}})), &form)
	var inputs []map[string]json.RawMessage
	_ = json.Unmarshal(form["userInputs"], &inputs)
	for _, input := range inputs {
		var id, kind string
		_ = json.Unmarshal(input["id"], &id)
		_ = json.Unmarshal(input["type"], &kind)
		if id == licenceFile || !all && p.r.IntN(3) == 0 {
			continue
		}
		some, found := values[strings.ToLower(kind)]
		if !found {
			some = values[""]
		}
		if input["value"] = json.RawMessage(pick(p.r, some)); id == volumes {
			input["value"] = json.RawMessage(storage)
		}
	}
	if inputs != nil {
		form["userInputs"] = asWritten(inputs)
	}
	return strings.TrimSpace(string(asWritten(form)))
}

// flags are drawn for a command: what is filled in, and how.
func (p *preparing) flags() (flags []string) {
	if p.r.IntN(3) > 0 {
		flags = append(flags, "--license", p.licence(p.r.IntN(5) == 0))
	}
	if !strings.HasPrefix(p.release, "10") && p.r.IntN(2) == 0 {
		text, name := p.fills(p.r.IntN(2) == 0), "settings"
		if p.r.IntN(4) == 0 {
			i := p.r.IntN(len(slipsOf))
			text, name = slipsOf[i](text), fmt.Sprint("settings-", wrongly(fmt.Sprint(i)))
			p.m.day.meet(fmt.Sprint("a file of settings is wrong: ", i))
		}
		flags = append(flags, "--settings", p.write(name, text))
	}
	if p.r.IntN(3) == 0 {
		flags = append(flags, "--latest-patch="+pick(p.r, []string{"true", "false"}))
	}
	return flags
}

// plans has the checks judged that a plan prints, or a dry run.
func (p *preparing) plans() {
	args := []string{"upgrade", "plan", p.id}
	if p.r.IntN(2) == 0 {
		args = []string{"upgrade", "start", p.id, "--dry-run"}
		if p.r.IntN(2) == 0 {
			args = append(args, "--accept", strings.Join([]string{"health", "placement", "backup", "licence", "mode"}[:1+p.r.IntN(5)], ","))
		}
	}
	p.looksBy(append(args, p.flags()...)...)
}

// looksBy runs a command that sends nothing, and has what it prints judged.
func (p *preparing) looksBy(args ...string) {
	m, form := p.m, pick(p.r, []string{"json", "json", "table"})
	r := m.begin()
	defer r.end()
	r.lists = true
	files := own(m.disk.Files())
	maps.Copy(files, p.given)
	looking := m.day.oracle.LooksBy(files, form, args...)
	said := r.command("", r.unlocked(append(args, "-o", form)...)...) // else a dry run ends with the lock
	if r.dead.Load() {
		return
	}
	m.day.meet("a look at upgrade " + args[1] + " with what is filled in")
	if posts := m.site.sent(func(sent *post) bool { return sent.run == r && sent.write.Changes() }); len(posts) > 0 {
		m.day.fail("geodeck upgrade %s has posted %s", args[1], posts[0].path)
	}
	looking.Printed(oracle.Printed{Code: said.code, Out: said.out, Err: said.err, Calm: m.day.calm(), Unread: m.day.plan.mute, Hostile: m.day.plan.scenario.HostileText, Files: files})
}

// drafts leaves what is filled in as a draft, and looks whether the next program has it.
func (p *preparing) drafts() {
	for n := range 2 {
		one := p.m.begin()
		if one.open() == nil {
			request := operation.UpgradeRequest{Target: adminapi.Update{ID: p.id}, LicencePath: "/home/ada/old.json", LatestPatch: new(n == 0), ManifestPath: pick(p.r, []string{"", "/home/ada/m.dat"})}
			_ = json.Unmarshal([]byte(`{"userInputs":[]}`), &request.Settings)
			for _, id := range []string{"zone", "adminPassword", "list"} {
				request.Settings.Inputs = append(request.Settings.Inputs, adminapi.UserInput{ID: id, Type: "JSON"})
			}
			request.Answers = upgrade.Answers{"zone": {JSON: pick(p.r, values[""])}, "list": {JSON: `{"half`}, "TLSCertFile": {Path: "/home/ada/tls.crt"}, "upload": {Upload: "i1"}, latestPatch: {Bool: new(n > 0)}}
			want := operation.UpgradeDraft{Answers: maps.Clone(request.Answers), LicencePath: request.LicencePath, LatestPatch: request.LatestPatch, ManifestPath: request.ManifestPath}
			request.Answers["adminPassword"] = upgrade.Answer{JSON: `"` + adminWord + `"`}
			request.Answers["other"] = upgrade.Answer{JSON: `{"password":"` + adminWord}
			_, _, _ = one.site.Memory.LoadUpgradeDraft(p.id) // as a form does: of two that are left the newer is told by the clock of the machine
			holder, err := one.site.Memory.SaveUpgradeDraft(request)
			one.end()
			next := p.m.begin()
			if err == nil && holder == nil && !one.dead.Load() && next.open() == nil {
				found, from, err := next.site.Memory.LoadUpgradeDraft(p.id)
				if err == nil && !next.hurt() && !one.hurt() && (from == nil || !reflect.DeepEqual(found, want)) {
					p.m.day.fail("%s: the draft of %s is offered as %+v, and was saved as %+v", next.name, one.name, found, want)
				}
				p.m.day.meet("a draft of an upgrade is offered")
				if n > 0 && next.site.Memory.DeleteUpgradeDraft(p.id) == nil && !next.hurt() {
					if _, from, err = next.site.Memory.LoadUpgradeDraft(p.id); err == nil && from != nil && from.Mine {
						p.m.day.fail("%s has deleted its draft, and finds it", next.name)
					}
				}
			}
			next.end()
		}
		one.end()
	}
}

// starts sends the upgrade: by a command with flags, or by that of a review. What is refused is accepted the next time.
func (p *preparing) starts(r *run) told {
	line := []string{"upgrade", "start", p.id, "--confirm", p.version, "--latest-patch=" + pick(p.r, []string{"true", "false"})}
	if p.needs {
		line = append(line, "--license", p.write("licence", `{"note":"`+licence+`","version":"`+p.release+`"}`))
	}
	if old := strings.HasPrefix(p.release, "10"); !old && p.r.IntN(2) == 0 && !p.m.day.plan.mute[settingsPath] {
		text := p.fills(true)
		line = append(line, "--settings", p.write("settings", text))
	}
	wanted := slices.Clone(line) // what a person filled in, whatever a review makes of it
	if p.r.IntN(2) == 0 {
		if line = p.reviewed(line); line == nil {
			return notSent("no review")
		}
	} else if len(p.words) > 0 {
		line = append(line, "--accept", strings.Join(p.words, ","))
	}
	if at := slices.Index(line, "--accept"); at >= 0 {
		wanted = append(wanted, line[at:at+2]...)
	}
	p.m.day.oracle.Accepts(p.intent, p.given, wanted...)
	said := r.change("", line...)
	p.m.notTooSoon(r, said.sendsAgain(), "/system/upgrades/")
	for _, word := range toAccept.FindAllStringSubmatch(said.err, -1) {
		p.m.day.meet("a finding is accepted: " + word[1])
		p.words = append(p.words, word[1])
	}
	return said.told()
}

// reviewed is the command of a review of what a command has in its flags; nil where that cannot be read.
func (p *preparing) reviewed(line []string) []string {
	r := p.m.begin()
	defer r.end()
	if r.open() != nil {
		return nil
	}
	r.site.Files = nil // those of the machine itself
	offer, err := r.site.Offers(r.ctx)
	entry, found := offer.Chain.Find(p.id)
	if err != nil || !found {
		return nil
	}
	ask := operation.UpgradeRequest{Target: entry.Update, Answers: upgrade.Answers{}}
	if ask.Settings, err = r.site.UpgradeSettings(r.ctx, ask); err != nil {
		return nil
	}
	for i, word := range line {
		switch flag, value, _ := strings.Cut(word, "="); {
		case flag == "--latest-patch" && upgrade.StyleOf(ask.Target) == upgrade.Old:
			ask.LatestPatch = new(value == "true")
		case flag == "--latest-patch":
			ask.Answers[latestPatch] = upgrade.Answer{Bool: new(value == "true")}
		case word == "--settings":
			more, _, _ := upgrade.AnswersFrom(ask.Settings, p.given[line[i+1]])
			delete(more, latestPatch)
			maps.Copy(ask.Answers, more)
		case word == "--license":
			field, asked := upgrade.LicenceSetting(upgrade.Form(ask.Settings))
			if !asked {
				ask.LicencePath = line[i+1]
				continue
			}
			ask.Answers[field.ID] = upgrade.Answer{Path: line[i+1]}
		}
	}
	ask.Accepted = finding.AcceptedIn(upgrade.Preflight(r.site.UpgradeFacts(r.ctx, offer, ask)), func(f finding.Finding) bool { return true })
	at := filepath.Join(p.files.folder, "review.json")
	_ = os.Remove(at)
	commands, err := operation.ReviewedUpgrade{UpgradeRequest: ask, Version: p.version, SettingsPath: at}.Prepare(r.site).Commands()
	if err != nil || len(commands) != 1 {
		p.m.day.fail("a review has %d commands: %v", len(commands), err)
		return nil
	}
	text, err := commands[0].Text(nil)
	if err != nil {
		p.m.day.fail("the command of a review: %v", err)
		return nil
	}
	p.m.day.meet("the command of a review is sent")
	if written, err := os.ReadFile(at); err == nil {
		p.m.day.oracle.Free("the settings of a review", string(written))
		if left := commands[0].First; left != "" { // a secret that a person has to fill in
			if !strings.Contains(left, "Admin password") || !strings.Contains(left, at) {
				p.m.day.fail("the command of a review leaves something out, and says %q", left)
			}
			written = bytes.Replace(written, []byte(`"userInputs": [`), []byte(`"userInputs": [{"id":"adminPassword","value":"`+adminWord+`"},`), 1)
			written = bytes.Replace(written, []byte(`},]`), []byte(`}]`), 1)
			_ = os.WriteFile(at, written, 0o600)
		}
		p.given[at] = written
	}
	words := strings.Fields(strings.ReplaceAll(text, "'", ""))[1:] // no word has a quote or a blank
	return append([]string{words[0], words[1], words[len(words)-1]}, words[2:len(words)-1]...)
}

// forms are what a site may ask for before an upgrade.
var forms = []string{
	`{"userInputs":[{"seqNum":3,"id":"licenseUpload","name":"licenseUpload","type":"File","value":"","required":true,"validFileExtensions":[" *.JSON"]},` +
		`{"seqNum":0,"id":"updateToLatestPatch","type":"bool","value":"false","required":true,"why":[1.0,"é"]},{"seqNum":1,"id":"storageClassName","type":"String","value":null,"required":true},` +
		`{"seqNum":2,"id":"adminPassword","type":"Password","required":true}],"more":{"kept":1.50}}`,
	`{"userInputs":[{"id":"zone_of-it","type":"JSON","value":{"a": 1},"required":true},{"name":"Number of replicas","type":"Number","value":"","required":true},` +
		`{"id":"TLSCertFile","type":"file","value":null},{"id":"updateToLatestPatch","type":"Boolean","value":true}]}`,
	`{"userInputs":[]}`,
	`{"userInputs":[{"id":"licenceFile","type":"File","value":"i99","required":true,"validFileExtensions":["json"]},{"id":"updateToLatestPatch","type":"Boolean","value":""}]}`,
}

const settingsPath = "/system/upgrades/getUpgradeSettings"

// beforehands are how a site may be before an upgrade: of each kind a day may have one.
var beforehands = func() [][]Trouble {
	is := func(name string, change func(s *simulator.Scenario)) Trouble {
		return oddity{"beforehand: " + name, func(p *plan) { change(&p.scenario) }}
	}
	told := func(name, where, text string) Trouble {
		return oddity{"beforehand: " + name, func(p *plan) { p.told[where] = text }}
	}
	silent := func(where, method string, status int) Trouble {
		return oddity{"beforehand: it does not tell " + where, func(p *plan) {
			p.mute[where] = true
			at, portal := strings.CutPrefix(where, "/../")
			if !portal {
				at = "admin" + where
			}
			if p.scenario.Faults = append(p.scenario.Faults, simulator.Fault{Path: at, Method: method, What: "status", Status: status}); method == "" {
				p.scenario.Faults = append(p.scenario.Faults, simulator.Fault{Path: at + "/**", What: "status", Status: status})
			}
		}}
	}
	modes := []Trouble{
		is("read-only", func(s *simulator.Scenario) { s.ReadOnly = true }),
		is("read-only for a reason", func(s *simulator.Scenario) { s.ReadOnly, s.ReadOnlyMessage = true, " Backups of the quarter. " }),
		silent("/mode", "GET", 500),
		is("a release has failed", func(s *simulator.Scenario) {
			s.Upgrades.Other = &simulator.OtherUpgrade{ID: release, When: "running", Ago: simulator.Duration{Duration: time.Minute}}
			s.Upgrades.Fail, s.Upgrades.Lasts.Duration = &simulator.UpgradeFailure{After: 2144}, 20*time.Minute
		}),
	}
	stopped := is("a store is stopped", func(s *simulator.Scenario) {
		s.Components = []simulator.ComponentState{{Name: "MINIO", State: "stopped"}}
		downFrom(s)
	})
	healths := []Trouble{stopped, stopped, stopped,
		is("no report", func(s *simulator.Scenario) { s.Reports = new(0) }), silent("/healthCheck/reports", "", 500),
	}
	backups := []Trouble{
		is("no backup", func(s *simulator.Scenario) { s.Backups = "none" }), is("old backups", func(s *simulator.Scenario) { s.Backups = "old" }),
		silent("/system/disasterrecovery/stores", "GET", 500),
	}
	who := []Trouble{
		told("a user without privileges", selfPath, `{"username":"admin","role":"custom"}`), told("a viewer", selfPath, `{"username":"admin","role":"org_user","privileges":["portal:user:viewer"]}`),
		told("one who may upgrade", selfPath, `{"username":"admin","role":"custom","privileges":["x"," Portal:Admin:manageServers "]}`),
		told("one who may upgrade and publish", selfPath, `{"username":"admin","role":"org_publisher","privileges":["Security and infrastructure"]}`), silent(selfPath, "GET", 403),
	}
	where := []Trouble{silent("/system/upgrades/config", "GET", 404)}
	for i, rules := range oracle.Placements {
		where = append(where, told(fmt.Sprint("placement ", i), "/system/upgrades/config", `{"podPlacementPolicy":`+rules.Rules+`}`))
	}
	mute, takesNone := silent(settingsPath, "POST", 500), silent("/uploads", "GET", 404)
	asks := []Trouble{takesNone, takesNone, takesNone, mute, mute, mute}
	for i, form := range forms {
		asks = append(asks, told(fmt.Sprint("form ", i), settingsPath, form))
	}
	clocks := []Trouble{
		is("a clock that is three minutes ahead", func(s *simulator.Scenario) { s.ClockAhead.Duration = 3 * time.Minute }),
		is("a clock that is a minute and a half behind", func(s *simulator.Scenario) { s.ClockAhead.Duration = -90 * time.Second }),
		is("a clock that is an hour behind", func(s *simulator.Scenario) { s.ClockAhead.Duration = -time.Hour }),
	}
	versions := []Trouble{
		is("of 10.9", func(s *simulator.Scenario) { s.Version, s.Upgrades.Other = "10.9.0.505", nil }), is("of 11.1", func(s *simulator.Scenario) { s.Version, s.Upgrades.Other = "11.1.0.3923", nil }),
		is("with all updates", func(s *simulator.Scenario) { s.Upgrades.Offer = "all" }), is("where a patch is required", func(s *simulator.Scenario) { s.Upgrades.Mandatory = []string{otherPatch} }),
	}
	return [][]Trouble{modes, healths, backups, who, where, asks, clocks, versions}
}()

const selfPath = "/../sharing/rest/community/self"

// drawBeforehand draws how a site is before an upgrade.
func (d *Day) drawBeforehand() (all []Trouble) {
	for i, kind := range beforehands { // the more there are of a kind, the more often one is drawn
		if r := d.random(fmt.Sprint("beforehand ", i)); d.Want == beforehand && r.IntN(5) < max(2, len(kind)-3) {
			all = append(all, pick(r, kind))
		}
	}
	named := func(part string) func(Trouble) bool {
		return func(t Trouble) bool { return strings.Contains(fmt.Sprint(t), part) }
	}
	if slices.ContainsFunc(all, named(" of 1")) { // they do not tell where its pods run
		all = slices.DeleteFunc(all, named(" placement "))
	}
	return all
}

// says is a site that answers some questions in other words, to everybody.
func (s *site) says(direct http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := s.day.plan.told[below(r.URL.Path)]
		if text == "" {
			direct.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Date", time.Now().Add(s.day.plan.scenario.ClockAhead.Duration).UTC().Format(http.TimeFormat))
		_, _ = w.Write([]byte(text))
	})
}
