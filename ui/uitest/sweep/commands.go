package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/cli"
	"geodeck/ui/uitest/sweep/oracle"
)

// printed is what a command has printed, and its exit code.
type printed struct {
	code     int
	out, err string
	worded   *oracle.Worded // the answer to its write, where that was one with words
}

// Exit codes of commands, as docs/scripting.md promises them.
const (
	codeDone        = 0
	codeFailed      = 1
	codeUsage       = 2
	codeSignIn      = 3
	codeRefused     = 4
	codeUnreachable = 5
	codeUnknown     = 6
	codeGoingOn     = 7
)

// command runs a command line in a run of the program.
func (r *run) command(in string, args ...string) printed {
	m := r.machine
	var out, err bytes.Buffer
	ctx := r.ctx
	if r.until != nil {
		ctx = r.until
	}
	with, judge := r.debugs(args)
	code := cli.Run(ctx, with, r.process(in, &out, &err))
	judge()
	p := printed{code, out.String(), err.String(), r.worded}
	m.day.log("%s geodeck %s: exit %d\n%s%s", r.name, strings.Join(args, " "), code, p.err, p.out)
	m.advises(p.err)
	m.advises(p.out)
	before := ""
	for line := range strings.Lines(p.err) {
		if line == before && strings.Contains(line, "job ") {
			m.day.fail("geodeck %s says twice in a row: %.200s", args[0], line)
		}
		before = line
	}
	if code == codeSignIn && m.day.Want != fleetPlay && m.keeping == nil && !r.dead.Load() {
		m.day.meet("a command wants a sign-in")
		if !m.site.toldNotTaken(r) {
			m.day.fail("geodeck %s wants a sign-in, and for a minute nobody has refused its token: %.200s", args[0], p.err)
		}
	}
	said := oracle.Saying{Program: r.name, Definition: printsDefinitions(args), Where: "the output of geodeck " + args[0], At: time.Now(), Text: p.out + p.err}
	if m.keeping != nil || r.advised { // whose words are judged there
		if m.day.oracle.Free(said.Where, p.err); !r.gives {
			m.day.oracle.Free(said.Where, p.out)
		}
		return p
	}
	if r.lists { // its rows are judged as such
		m.day.oracle.Free(said.Where, p.out)
		said.Text = p.err
	}
	m.day.oracle.Said(said)
	return p
}

// process is what the program takes from the machine.
func (r *run) process(in string, out, err io.Writer) cli.Process {
	m := r.machine
	env := map[string]string{
		"GEODECK_URL": m.site.root, "GEODECK_CONFIG": m.day.config(), "GEODECK_TOKEN": m.site.signIn().Reveal(), "HOME": "/home/ada", "XDG_STATE_HOME": "/home/ada/.local/state",
	}
	if len(m.fleet) > 0 {
		env[(&branch{name: mainBranch}).variable()] = env["GEODECK_TOKEN"]
		delete(env, "GEODECK_TOKEN")
		delete(env, "GEODECK_URL")
		for _, b := range m.fleet {
			env[b.variable()] = b.token
		}
	}
	maps.Copy(env, r.says)
	p := cli.Process{
		In: strings.NewReader(in), Out: out, Err: err, Env: func(name string) string { return env[name] },
		Clock: m.clock, Rand: r.atTime("command"), Disk: r.disk,
		Dial:    func(ctx context.Context, _, address string) (net.Conn, error) { return m.site.dial(ctx, r, address) },
		Keyring: unasked{r},
	}
	if k := m.keeping; k != nil {
		k.issues(env[(&branch{name: mainBranch}).variable()])
		p.Config, p.Keyring = r.disk, nil
		if store := k.store(r); store != nil {
			p.Keyring = store
		}
	}
	return p
}

// read runs a command that only reads, in runs of the program of its own, until it succeeds.
func (m *machine) read(args ...string) (string, bool) {
	for range 5 {
		r := m.begin()
		p := r.command("", args...)
		r.end()
		if p.code == codeDone && !r.dead.Load() {
			return p.out, true
		}
		time.Sleep(30 * time.Second)
	}
	return "", false
}

// told is what the exit code of a command that writes tells. A code that leaves open whether
// something was sent, such as that of a sign-in, tells nothing.
func (p printed) told() told {
	text := fmt.Sprintf("exit %d: %.160s", p.code, p.err)
	if p.worded != nil && (p.worded.Definite && p.code == codeFailed || p.code == codeUsage || p.code == codeUnreachable) { // by what the site says of it
		return told{outcome: adminapi.OutcomeRefused, text: text}
	}
	switch p.code {
	case codeDone:
		return told{outcome: adminapi.OutcomeDone, ended: true, text: text}
	case codeUnreachable, codeUsage:
		return told{outcome: adminapi.OutcomeNotSent, text: text}
	case codeRefused:
		return told{outcome: adminapi.OutcomeRefused, text: text}
	case codeGoingOn:
		return told{outcome: adminapi.OutcomeDone, text: text}
	case codeFailed:
		return told{outcome: adminapi.OutcomeUnknown, broken: true, text: text}
	}
	return told{outcome: adminapi.OutcomeUnknown, text: text}
}

// again is the advice to send something again although the outcome of the one before is unknown.
var again = regexp.MustCompile(`To send it anyway: --again [^\s,]+(, from)?`)

// sendsAgain reports whether a command says that something may be sent again now, and not only from some time on.
func (p printed) sendsAgain() bool {
	advice := again.FindStringSubmatch(p.err)
	return advice != nil && advice[1] == ""
}

// byCommand is the wish for a change of a part of a service by commands: it is read, changed
// in a file, and applied.
func (c *changing) byCommand(name string) wish {
	w := c.wish(name)
	noun := map[editing.Part]string{editing.Definition: "service", editing.Placement: "placement"}[c.target.Part]
	path := c.target.Service.Path()
	c.m.day.withSecret(c, c.target.Part == editing.Definition)
	w.try = func(r *run) told {
		text, ok := c.m.read(noun, "get", path)
		if !ok {
			return told{outcome: adminapi.OutcomeNotSent, text: "it cannot be read"}
		}
		now, err := document.Parse([]byte(text))
		if err != nil {
			c.m.day.fail("geodeck %s get printed no document: %v", noun, err)
			return told{outcome: adminapi.OutcomeNotSent}
		}
		if c.has(now) {
			return told{outcome: adminapi.OutcomeDone, ended: true, text: "it is there"}
		}
		if now, err = c.change(now); err != nil {
			return told{outcome: adminapi.OutcomeNotSent, text: errorText(err)}
		}
		args := []string{noun, "apply", path, "-f", "-"}
		hasty := c.lost && c.m.day.random(r.name+" again").IntN(2) == 0
		if hasty {
			c.m.day.meet("an open edit is asked for again at once")
		}
		if c.typed || hasty {
			args = append(args, "--again", path)
		}
		c.intent.Given = now.Text()
		c.dryRuns(noun, now.Text())
		p := c.sendsBy(r, now.Text(), args...)
		c.m.notTooSoon(r, p.sendsAgain(), c.where()+"/edit")
		c.lost = p.code == codeUnknown
		c.typed = p.code == codeUnknown && strings.Contains(p.err, "nothing was sent") &&
			!strings.Contains(p.err, notRead) && p.sendsAgain()
		return p.told()
	}
	return w
}

// sendsBy runs a command that sends the edit, in one form of output or the other, and has what it says judged.
func (c *changing) sendsBy(r *run, in string, args ...string) printed {
	form := pick(c.m.day.random(r.name+" form"), []string{"json", "json", "table"})
	p := r.change(in, append(args, "-o", form)...)
	c.m.saidOf(r, c.target, form, p)
	return p
}

// saidOf has judged what a command has said of an edit that it was to send.
func (m *machine) saidOf(r *run, t editing.Target, form string, p printed) {
	if r.dead.Load() {
		return
	}
	where := "/services/" + t.Service.Path()
	if t.Part == editing.Placement {
		where += "/placementPolicy"
	}
	m.day.oracle.Sends(oracle.Sending{Program: r.name, Service: t.Service.Path(), Document: where, Form: form, Code: p.code, Out: p.out, Files: own(m.disk.Files())})
}

// dryRuns lets commands show what they would send, at times: they send nothing.
func (c *changing) dryRuns(noun, text string) {
	hand := c.m.day.random(fmt.Sprint("dry run ", len(c.m.runs)))
	if hand.IntN(3) > 0 || c.target.Part != editing.Definition {
		return
	}
	r, path := c.m.begin(), c.target.Service.Path()
	defer r.end()
	c.m.day.meet("a dry run of a command")
	if c.m.day.hidesAny() && hand.IntN(2) == 0 {
		r.sendsNothing("with --dry-run", "", noun, "edit", path, "--set", secretMembers+"."+secretToken+"="+c.m.day.hides("token"), "--remove", secretMembers+"."+secretHeader, "--dry-run")
		return
	}
	r.sendsNothing("with --dry-run", text, noun, "apply", path, "-f", "-", "--dry-run")
}

// restoreByCommand restores what the newest backup has.
func (c *changing) restoreByCommand(name string) wish {
	w := c.wish(name)
	path := c.target.Service.Path()
	w.try = func(r *run) told {
		text, ok := c.m.read("service", "history", path, "-o", "json")
		if !ok {
			return told{outcome: adminapi.OutcomeNotSent, text: "the history cannot be read"}
		}
		id, found := c.backup(text)
		if !found {
			return told{outcome: adminapi.OutcomeNotSent, text: "no backup"}
		}
		c.intent.Given = c.given
		return c.sendsBy(r, "", "service", "restore", path, id).told()
	}
	return w
}

// backup is the id of the newest backup that has what is wanted.
func (c *changing) backup(list string) (id string, found bool) {
	for _, id := range backupIDs(list) {
		text, ok := c.m.read("service", "history", c.target.Service.Path(), id)
		if d, err := document.Parse([]byte(text)); ok && err == nil && c.has(d) {
			c.given = d.Text()
			return id, true
		}
	}
	return "", false
}

func backupIDs(list string) (ids []string) {
	var listed any
	if json.Unmarshal([]byte(list), &listed) != nil {
		return nil
	}
	var look func(any)
	look = func(value any) {
		switch value := value.(type) {
		case []any:
			for _, v := range value {
				look(v)
			}
		case map[string]any:
			if id, is := value["id"].(string); is {
				ids = append(ids, id)
			}
			for _, v := range value {
				if _, list := v.([]any); list {
					look(v)
				}
			}
		}
	}
	look(listed)
	return ids
}

// healthByCommand runs a health check by a command, half of the times one that does not wait for its end. Who was interrupted
// looks for its report before asking again, and who was told that it goes on waits for that.
func healthByCommand() func(*run) told {
	goesOn := false
	return func(r *run) told {
		if len(r.machine.runs) > 1 {
			reports, ok := r.machine.read("health", "reports", "-o", "json")
			switch {
			case !ok:
				return told{outcome: adminapi.OutcomeNotSent, text: "the reports cannot be read"}
			case r.machine.isNew(reports):
				return told{outcome: adminapi.OutcomeDone, ended: true, text: "its report is there"}
			case goesOn:
				return told{outcome: adminapi.OutcomeDone, text: "it goes on"}
			}
		}
		patience, hand := "20m", r.machine.day.random(r.name+" leaves")
		if hand.IntN(2) == 0 {
			patience = pick(hand, []string{"3s", "8s", "15s", "30s"})
		}
		p := r.change("", "health", "run", "--suite", firstSuite, "--name", runName, "--timeout", patience)
		if goesOn = p.code == codeGoingOn || strings.Contains(p.err, "interrupted; job "); goesOn && r.machine.site.theirs.Load() != nil {
			goesOn = false
			return told{text: "of two of one name nobody can tell"}
		}
		return p.told()
	}
}

// toAccept are the words that a refusal wants, a line each.
var toAccept = regexp.MustCompile(`(?m)^  --accept (\S+)  (?:caution|danger): `)

// upgradeByCommand starts an upgrade or a rollback by a command. What it refuses is accepted the next time,
// by the words of the refusal.
func upgradeByCommand(args ...string) func(*run) told {
	var accepted []string
	return func(r *run) told {
		m := r.machine
		line := append([]string{"upgrade"}, args...)
		if m.filling != nil {
			given, err := m.filling.byFlags(r)
			if err != nil {
				return told{outcome: adminapi.OutcomeNotSent, text: errorText(err)}
			}
			line = append(line, given...)
		}
		if len(accepted) > 0 {
			line = append(line, "--accept", strings.Join(accepted, ","))
		}
		before := len(m.site.sent(isUpgrade))
		p := r.change("", line...)
		m.notTooSoon(r, p.sendsAgain(), "/system/upgrades/")
		if strings.Contains(p.err, "the rollback leads to") {
			m.day.fail("the version that was given is where the site would go, and is called wrong: %.200s", p.err)
		}
		if m.day.plan.unread && !slices.Contains(accepted, "backup") && len(m.site.sent(isUpgrade)) > before {
			m.day.fail("an upgrade was sent, and nobody accepted that its backups cannot be read: %.200s", p.err)
		}
		for _, word := range toAccept.FindAllStringSubmatch(p.err, -1) {
			accepted = append(accepted, word[1])
			if m.day.plan.unread {
				m.day.meet("what cannot be read is accepted")
			}
		}
		return p.told()
	}
}

// isUpgrade reports whether a post starts an upgrade or a rollback.
func isUpgrade(p *post) bool {
	return strings.HasSuffix(p.path, "/upgrades/upgrade") || strings.HasSuffix(p.path, "/upgrades/rollback")
}

// watchByCommand follows the upgrade by a command, and reports whether it has seen the end. On half of the days it prints
// what is new alone: after a watch that was cut off, that is what came since.
func (m *machine) watchByCommand(r *run) bool {
	args := []string{"upgrade", "watch", "-o", "jsonl", "--timeout", "6h"}
	all := m.day.Seed%2 == 0
	if all {
		args = append(args, "--from-start")
	}
	p := r.command("", args...)
	m.printedMessages(p.out)
	if r.dead.Load() {
		m.cuts = append(m.cuts, time.Now())
		return false
	}
	truth, err := m.site.upgrades()
	if err != nil {
		m.day.fail("the site does not tell its upgrades: %v", err)
		return true
	}
	meaning := progress.StateOf(truth)
	switch p.code {
	case codeDone:
		m.day.meet("watch: succeeded")
		if meaning != progress.StateSucceeded && !m.day.plan.foreign {
			m.day.fail("geodeck upgrade watch exits with 0, and the site says %s", truth.State)
		}
	case codeFailed:
		m.day.meet("watch: ended otherwise")
		if meaning == progress.StateSucceeded && !m.day.plan.foreign && strings.Contains(p.err, "failed") {
			m.day.fail("geodeck upgrade watch says that it failed, and the site says %s: %.200s", truth.State, p.err)
		}
	case codeGoingOn:
		m.day.fail("a watch of six hours does not end: %.200s", p.err)
		return true
	default:
		m.day.meet("watch: refused")
		return false
	}
	switch {
	case p.code == codeDone && all:
		m.printedOnce(p.out, truth)
	case p.code == codeDone:
		m.printedSince(truth)
	}
	return true
}

// printedMessages keeps which messages watches have printed.
func (m *machine) printedMessages(out string) {
	if m.printed == nil {
		m.printed = map[string]int{}
	}
	maps.Copy(m.printed, countMessages(out))
}

// printedSince checks that several watches together have printed what came since the first of them saw something,
// but for what came right before one was cut off.
func (m *machine) printedSince(truth adminapi.UpgradeStatus) {
	if m.day.plan.odd || m.day.plan.foreign {
		return
	}
	printing := false
	for _, message := range truth.Messages {
		key := momentOf(message)
		printing = printing || m.printed[key] > 0
		cut := slices.ContainsFunc(m.cuts, func(at time.Time) bool {
			return at.Sub(message.When.Time().Add(-m.day.plan.scenario.ClockAhead.Duration)).Abs() < time.Minute
		})
		if printing && m.printed[key] == 0 && !cut && message.When >= m.site.began() {
			m.day.fail("watches have printed what came before, and never the message %s", key)
			return
		}
	}
	m.day.meet("watches have printed what came since")
}

// printedOnce checks that a watch from the start has printed every message that the site
// still shows, once.
func (m *machine) printedOnce(out string, truth adminapi.UpgradeStatus) {
	m.asOften("geodeck upgrade watch has printed", countMessages(out), truth, true)
}

// countMessages counts the messages in what a watch has printed.
func countMessages(out string) map[string]int {
	count := map[string]int{}
	for line := range strings.Lines(out) {
		var message struct {
			Code    int       `json:"code"`
			When    time.Time `json:"when"`
			Message string    `json:"message"`
		}
		if json.Unmarshal([]byte(line), &message) == nil && message.Message != "" {
			count[momentOf(adminapi.UpgradeMessage{When: adminapi.MillisOf(message.When), Code: message.Code})]++
		}
	}
	return count
}

// momentOf tells messages apart by their times and codes: what is masked in a text is no other message.
func momentOf(m adminapi.UpgradeMessage) string { return fmt.Sprintf("%d %d", m.When, m.Code) }

// asOften checks that messages are counted as often as the site tells those of its last run; least says that none
// may lack.
func (m *machine) asOften(who string, count map[string]int, truth adminapi.UpgradeStatus, least bool) {
	shown, began := map[string]int{}, m.site.began()
	for _, message := range truth.Messages {
		shown[momentOf(message)]++
	}
	for _, message := range truth.Messages {
		key := momentOf(message)
		if n := count[key]; message.When >= began && (least && n < shown[key] || n > shown[key] && !m.day.plan.odd) {
			m.day.fail("%s a message %d times instead of %d: %s", who, n, shown[key], key)
			return
		}
	}
}

// signIn gets a token for a command, as a person does before it.
func (s *site) signIn() secrets.Secret {
	var token struct{ Token secrets.Secret }
	form := url.Values{"username": {"admin"}, "password": {s.plain.Reveal()}, "client": {"referer"}, "referer": {"geodeck"}, "expiration": {"120"}}
	answer := []byte(s.askOnce("POST", "/../sharing/rest/generateToken", form))
	_ = json.Unmarshal(answer, &token)
	s.keepToken(answer)
	return token.Token
}
