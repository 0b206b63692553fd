package sweep

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"geodeck/adminapi/journal/memdisk"
	"geodeck/ui/uitest/sweep/oracle"
)

// keepsSites is the play of an administrator who keeps the sites of config.yaml, and signs in at them.
const keepsSites = "sites and sign-ins"

// configPath is where config.yaml is on the disk of the machine.
const configPath = "/home/ada/.config/geodeck/config.yaml"

// keeping is a day of it.
type keeping struct {
	m       *machine
	r       *rand.Rand
	ring    *ring
	tokens  *folder // with the files of tokens, which are on a real disk
	without string  // what is wrong with the keyring on such a day

	mu        sync.Mutex
	issue     map[string]string          // the sites that tokens are of
	given     map[string]time.Time       // when a token came
	passwords map[string]map[string]bool // by the site, those that somebody has typed for it
	answers   []string                   // with tokens, to the present program
	asked     int                        // passwords that the present program has sent
}

// playKeeping changes config.yaml, signs in and out, and uses what is kept, in any order.
func playKeeping(m *machine) {
	tokens, err := realFolder("tokens")
	k := &keeping{m: m, r: m.day.random("sites and sign-ins"), ring: &ring{held: map[string]string{}}, tokens: &folder{path: tokens}, without: m.day.plan.keyring,
		issue: map[string]string{}, given: map[string]time.Time{}, passwords: map[string]map[string]bool{mainBranch: {}, "harbour": {}}}
	defer k.tokens.remove()
	m.keeping = k
	defer func() { m.keeping = nil }()
	if err == nil {
		err = m.opensFleet()
	}
	if err == nil {
		err = k.writes(k.drawConfig())
	}
	if err != nil {
		m.day.fail("the sites cannot be made: %v", err)
		return
	}
	for _, b := range m.fleet {
		k.issue[b.token] = b.name
	}
	for range 9 {
		k.configures()
		if k.r.IntN(2) == 0 {
			k.lists()
		}
		k.signs()
		if k.r.IntN(2) == 0 {
			k.uses()
		}
		time.Sleep(pick(k.r, []time.Duration{time.Second, time.Minute, 7 * time.Minute, 3 * time.Hour}))
	}
}

// writes lets an editor write config.yaml.
func (k *keeping) writes(text string) error {
	disk := k.m.disk.Program()
	if err := disk.MkdirAll(filepath.Dir(configPath), 0o700); err != nil {
		return err
	}
	f, err := disk.Open(configPath, createAnew, 0o600)
	if err != nil {
		return err
	}
	_, _ = f.Write([]byte(text))
	_, _ = f.Sync(), f.Close()
	for _, folder := range []string{"/home/ada", "/home/ada/.config", filepath.Dir(configPath)} {
		_ = disk.SyncFolder(folder)
	}
	return nil
}

// config is what is in the file.
func (k *keeping) config() string { return string(k.m.disk.Files()[configPath]) }

// store is the keyring of a program; nil for none.
func (k *keeping) store(r *run) *ringOf {
	if k.ringIs() == "absent" {
		return nil
	}
	return &ringOf{k.ring, r, k.ringIs()}
}

// ringIs is what is wrong with the keyring now: on such a day, half of the time.
func (k *keeping) ringIs() string {
	if k.without == "" || k.without != "absent" && k.m.day.random(fmt.Sprint("keyring ", len(k.m.runs))).IntN(2) == 0 {
		return ""
	}
	return k.without
}

// presents has judged what a request shows a site, and keeps what somebody gets from it.
func (m *machine) presents(site string, r *http.Request) {
	k := m.keeping
	if k == nil {
		return
	}
	p := oracle.Presented{Site: site}
	for _, header := range []string{"Authorization", "X-Esri-Authorization"} {
		p.Token = max(p.Token, strings.TrimPrefix(r.Header.Get(header), "Bearer "))
	}
	if r.Method == http.MethodPost {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		fields, _ := fieldsOf(r, body)
		p.Pass = fields.Get("password")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if p.Issue, p.Takes = k.issue, k.passwords[site]; p.Pass != "" {
		k.asked++
	}
	m.day.oracle.Presents(p)
}

// gives keeps that a site has answered with a token.
func (m *machine) gives(site string, answer []byte) {
	var issued struct{ Token string }
	if k := m.keeping; k != nil && json.Unmarshal(answer, &issued) == nil && issued.Token != "" {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.issue[issued.Token], k.given[issued.Token] = site, time.Now()
		k.answers = append(k.answers, string(answer))
		m.day.oracle.Secrets.Add("token", issued.Token)
	}
}

// issues keeps that a token of the main site was got for the environment.
func (k *keeping) issues(token string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.issue[token], k.given[token] = mainBranch, time.Now()
}

// configures runs a command that changes config.yaml, or one that may not.
func (k *keeping) configures() {
	c := oracle.Configuring{Set: map[string]string{}}
	now := oracle.ConfigOf(k.config())
	names := []string{mainBranch, "harbour", "old"}
	if now != nil && len(now.Names) > 0 {
		names = now.Names
	}
	c.Name, c.Do = pick(k.r, names), pick(k.r, []string{"edit", "edit", "edit", "add", "add", "use", "remove"})
	if c.Do == "remove" && strings.Contains(fmt.Sprint(now), "fresh") && k.r.IntN(3) > 0 {
		c.Name = names[len(names)-1]
	}
	var flags []string
	switch c.Do {
	case "add":
		c.Name = fmt.Sprint("fresh", len(k.m.runs))
		if address := fmt.Sprintf("https://%s.example.org/x/admin", c.Name); k.r.IntN(4) == 0 {
			c.Set["url"] = "http://127.0.0.1:7444/geodeck/admin" // another name of a site in production
		} else {
			c.Set["url"] = address
		}
		flags = append(k.draws(&c, k.r.IntN(4)), "--url", c.Set["url"])
		if c.Use = k.r.IntN(3) == 0; c.Use {
			flags = append(flags, "--use")
		}
	case "edit":
		flags = k.draws(&c, 1+k.r.IntN(3))
	}
	if k.r.IntN(5) == 0 {
		flags = append(flags, k.mistakes(&c)...)
	}
	args := append([]string{"site", c.Do, c.Name}, flags...)
	k.runs(&c, args)
}

// settings are flags of a site, with what they say in its file.
var settingsOfSites = []struct{ flag, value, key, text string }{
	{"user", "ada", "user", "ada"}, {"user", "", "user", ""}, {"user", "admin", "user", "admin"}, {"production", "true", "production", "true"},
	{"sign-in", "keyring", "signIn", "keyring"}, {"sign-in", "ask", "signIn", "ask"}, {"sign-in", "keyring", "signIn", "keyring"}, {"read-only", "true", "readOnly", "true"},
	{"sign-in", "environment=TOKEN_CITY", "signIn", "{environment: TOKEN_CITY}"}, {"proxy", "none", "proxy", "none"}, {"proxy", "", "proxy", ""},
	{"poll", "slow", "poll", "slow"}, {"poll", "normal", "poll", "normal"}, {"alarms", "bell,notify", "alarms", "[bell, notify]"}, {"alarms", "none", "alarms", "[]"},
	{"client-id", "geodeck: it's", "clientId", `"geodeck: it's"`}, {"hook", "page-me", "hook", "page-me"}, {"hook", "", "hook", ""}, {"user", "007", "user", `"007"`},
}

// draws are flags that a command gets.
func (k *keeping) draws(c *oracle.Configuring, n int) (flags []string) {
	for _, i := range k.r.Perm(len(settingsOfSites))[:n] {
		one := settingsOfSites[i]
		if _, again := c.Set[one.key]; again || one.key == "signIn" && one.text[0] == '{' && c.Name != mainBranch {
			continue
		}
		c.Set[one.key] = one.text
		flags = append(flags, "--"+one.flag+"="+one.value)
	}
	if len(flags) == 0 {
		c.Set["poll"] = "slow"
		flags = []string{"--poll=slow"}
	}
	return flags
}

// mistakes makes something wrong of what is typed.
func (k *keeping) mistakes(c *oracle.Configuring) []string {
	k.m.day.meet("config.yaml: wrong input")
	if c.Do == "use" || c.Do == "remove" || k.r.IntN(3) == 0 {
		c.Name, c.Bad = pick(k.r, []string{"nosuch", "a b", "-", "CITY"}), true
		if c.Do == "add" {
			c.Name = "a b"
		}
		return nil
	}
	c.Bad = true
	secret := "Proxy-word-4711"
	k.m.day.oracle.Secrets.Add("password of a proxy", secret)
	return []string{pick(k.r, []string{"--proxy=ftp://x:1", "--proxy=http://u:" + secret + "@h:1", "--sign-in=keyring=x", "--sign-in=file", "--alarms=loud", "--poll=never", "--url=http://far.example.org/x/admin",
		"--sign-in=environment=a b", "--client-cert=/c.pem", "--no-such-flag"})}
}

// runs runs a command on the file, at times while another program writes it, or holds its lock.
func (k *keeping) runs(c *oracle.Configuring, args []string) {
	c.Form, c.Before = pick(k.r, []string{"json", "table"}), k.config()
	meanwhile := k.m.day.plan.others && k.r.IntN(2) == 0
	r := k.m.begin()
	if meanwhile {
		other := pick(k.r, [][]string{{"site", "add", fmt.Sprint("theirs", len(k.m.runs)), "--url", "https://theirs.example.org/x/admin"}, {"site", "edit", c.Name, "--poll", "normal"}})
		once := sync.OnceFunc(func() {
			second := k.m.begin()
			second.command("", other...)
			second.end()
			c.Hurt = second.hurt() // one without locks is in the way of the other
			c.Before = k.config()
			k.m.day.meet("config.yaml: another program writes it meanwhile")
		})
		r.disk = k.m.disk.Program(append(k.m.day.plan.diskFaults(slices.Index(k.m.runs, r)+1, r), memdisk.Fault{Path: pick(k.r, []string{".config.yaml.lock", ".config.yaml[0-9]*"}), Nth: 1, Then: once})...)
	}
	p := r.command("", append(args, "-o", c.Form)...)
	r.end()
	c.Code, c.Out, c.Err, c.Is, c.Durable = p.code, p.out, p.err, k.config(), string(k.m.disk.Durable()[configPath])
	c.Hurt = c.Hurt || r.hurt()
	c.Beside = map[string]fs.FileMode{}
	for path, mode := range k.m.disk.Modes() {
		if filepath.Dir(path) == filepath.Dir(configPath) && !mode.IsDir() {
			c.Beside[path] = mode
		}
	}
	k.m.day.oracle.Configures(*c)
	what := map[bool]string{true: "done", false: "fails"}[p.code == 0]
	if c.Hurt && p.code != 0 {
		what = map[bool]string{true: "stays, and the disk fails", false: "is there, and the disk fails"}[c.Is == c.Before]
	}
	k.m.day.meet("config.yaml: " + c.Do + " " + what)
	if oracle.ConfigOf(c.Is) == nil && k.r.IntN(3) == 0 { // a person mends it
		_ = k.writes(strings.ReplaceAll(c.Is, oracle.UnknownKey, "user"))
	}
}

// lists prints what the file has.
func (k *keeping) lists() { k.runs(&oracle.Configuring{Do: "list"}, []string{"site", "list"}) }

// named are the names of the file by which a site can be reached, and where its token comes from.
func (k *keeping) named() (now *oracle.Config, name, site, address string) {
	now = oracle.ConfigOf(k.config())
	if now == nil {
		return nil, "", "", ""
	}
	var names []string
	for _, n := range now.Names {
		if strings.Contains(fmt.Sprint(now.Sites[n]["url"]), "127.0.0.1") && now.Sites[n]["insecure"] == nil {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return nil, "", "", ""
	}
	name = pick(k.r, names)
	if strings.Contains(fmt.Sprint(now.Sites[name]["url"]), ":7443") {
		return now, name, mainBranch, "127.0.0.1:7443"
	}
	return now, name, "harbour", "127.0.0.1:7444"
}

// password is that of the administrator of a site.
func (k *keeping) password(site string) string {
	if site == mainBranch {
		return k.m.site.password.Reveal()
	}
	return k.m.fleet[0].server.Users()[0].Password
}

// judged runs a command about a sign-in.
func (k *keeping) judged(s oracle.Signing, in string, args ...string) {
	k.mu.Lock()
	k.answers, k.asked = nil, 0
	k.mu.Unlock()
	s.Form = pick(k.r, []string{"json", "table"})
	r := k.m.begin()
	s.Keyring = k.ringIs()
	s.Before = maps.Clone(k.ring.held)
	r.gives = s.Do == "token"
	p := r.command(in, append(args, "-o", s.Form)...)
	r.end()
	s.Hurt, s.Killed = r.hurt(), r.dead.Load()
	s.After, s.Code, s.Out, s.Err = maps.Clone(k.ring.held), p.code, p.out, p.err
	s.Calm = s.Calm && k.m.day.calm()
	k.mu.Lock()
	s.Issued, s.Asked = k.answers, k.asked
	k.mu.Unlock()
	if len(s.File) > 0 {
		path := s.File
		s.File = k.tokens.read(path)
		if one, there := k.tokens.all()[path]; there {
			s.Mode = uint32(one.mode.Perm())
		}
	}
	k.m.day.oracle.Signs(s)
	k.m.day.meet("sign-in: " + s.Do + map[bool]string{true: " done", false: " fails"}[s.Code == 0])
}

// signs signs in or out, or gets a token, at times with what is wrong.
func (k *keeping) signs() {
	now, name, site, address := k.named()
	if now == nil {
		return
	}
	s := oracle.Signing{Do: pick(k.r, []string{"login", "login", "login", "logout", "token"}), Address: address, User: "admin", Kind: now.SignIn(name), Calm: true, Right: true}
	args := []string{s.Do, "--site", name}
	if s.Do == "logout" {
		k.judged(s, "", args...)
		return
	}
	args = append(args, "--user", "admin")
	if s.Password = k.password(site); k.r.IntN(4) == 0 {
		s.Password, s.Right = pick(k.r, []string{"wrong-word-" + site, s.Password + "x"}), false
		k.m.day.oracle.Secrets.Add("wrong password", s.Password)
	}
	in := s.Password + pick(k.r, []string{"\n", "\r\n", ""})
	switch {
	case s.Do == "token" && k.r.IntN(2) == 0:
		s.File = name + ".token"
		s.FileWas = k.tokens.read(s.File)
		if args = append(args, "--out", k.tokens.in(s.File)); s.FileWas != "" && k.r.IntN(2) == 0 {
			args = append(args, "--force")
		} else {
			s.Exists = s.FileWas != ""
		}
	case s.Do == "login" && k.r.IntN(3) == 0:
		s.Password, s.Given = "", k.token(site)
		if s.Right = k.r.IntN(4) > 0; !s.Right {
			s.Given = "wrong" + site + "0123456789abcdef"
			k.m.day.oracle.Secrets.Add("wrong token", s.Given)
			k.issue[s.Given] = site
		}
		in, args = s.Given+"\n", []string{s.Do, "--site", name, "--with-token"}
	}
	k.mu.Lock()
	k.passwords[site][s.Password] = true
	k.mu.Unlock()
	k.judged(s, in, args...)
}

// token is one that a person has got elsewhere.
func (k *keeping) token(site string) string {
	if site != mainBranch {
		return k.m.fleet[0].token
	}
	token := k.m.site.signIn().Reveal()
	k.issues(token)
	return token
}

// uses runs commands by what is kept.
func (k *keeping) uses() {
	now, name, site, address := k.named()
	if now == nil {
		return
	}
	s := oracle.Signing{Do: pick(k.r, []string{"whoami", "whoami", "service"}), Address: address, User: "admin", Kind: now.SignIn(name), Calm: true}
	args := []string{"whoami", "--site", name}
	if s.Do == "service" {
		args = []string{"service", "list", "--site", name}
	}
	switch file := k.tokens.in(name + ".token"); {
	case k.tokens.read(name+".token") != "" && k.r.IntN(2) == 0:
		s.Kind, args = "file", append(args, "--token-file", file)
		token := strings.TrimSpace(k.tokens.read(name + ".token"))
		s.Right, s.Calm = true, k.issue[token] == site && time.Since(k.given[token]) < 4*time.Minute
	case s.Kind == "keyring":
		for key, text := range k.ring.held {
			var held struct{ Password, Token string }
			if strings.Contains(key, address) && json.Unmarshal([]byte(text), &held) == nil {
				s.Right, s.Calm = true, held.Password != "" || time.Since(k.given[held.Token]) < 4*time.Minute
			}
		}
	case s.Kind == "environment":
		s.Right = true
	}
	if s.Kind == "environment" && site != mainBranch { // of another site
		return
	}
	k.judged(s, "", args...)
}

// metKeeping is what such days meet, besides their oddities.
var metKeeping = []string{
	"config.yaml: add done", "config.yaml: add fails", "config.yaml: edit done", "config.yaml: edit fails", "config.yaml: remove done", "config.yaml: remove fails",
	"config.yaml: use done", "config.yaml: use fails", "config.yaml: list done", "config.yaml: list fails", "config.yaml: wrong input", "config.yaml: has what it may not have",
	"config.yaml: has the ends of lines of Windows", "config.yaml: another program writes it meanwhile", "config.yaml: edit stays, and the disk fails",
	"config.yaml: edit is there, and the disk fails", "sign-in: login done", "sign-in: login fails", "sign-in: logout done", "sign-in: logout fails", "sign-in: token done",
	"sign-in: token fails", "sign-in: whoami done", "sign-in: whoami fails", "sign-in: service done", "sign-in: service fails",
}

// ofKeeping are days on which somebody else has config.yaml open, too, its disk fails, or the keyring of the machine does not do what it
// should.
var ofKeeping = append([]Trouble{
	oddity{"somebody else changes config.yaml meanwhile", func(p *plan) { p.others = true }},
	configFault(memdisk.OpWrite, memdisk.Torn), configFault(memdisk.OpWrite, memdisk.Full), configFault(memdisk.OpSync, memdisk.FailedSync), configFault(memdisk.OpRename, memdisk.ReadOnly),
	configFault(memdisk.OpRename, memdisk.KillBefore), configFault(memdisk.OpRename, memdisk.KillAfter), configFault(memdisk.OpLock, memdisk.Held),
}, ringOddities()...)

// ringOddities are those of the keyring.
func ringOddities() (all []Trouble) {
	for _, how := range []string{"absent", "refusing", "locked", "silent"} {
		all = append(all, oddity{"its keyring is " + how, func(p *plan) { p.keyring = how }})
	}
	return all
}

// configFault is a disk that fails wherever config.yaml is written, for one program in three.
func configFault(op memdisk.Op, kind memdisk.Kind) oddity {
	return oddity{"config.yaml, " + string(op) + ": " + kind.String(), func(p *plan) {
		for n := range 12 {
			p.disk = append(p.disk, diskFault{run: 1 + 3*n, power: kind == memdisk.KillBefore && n%2 == 0, fault: memdisk.Fault{Op: op, Path: ".config.yaml*", Nth: 1, For: 1, Kind: kind}},
				diskFault{run: 1 + 3*n, fault: memdisk.Fault{Op: op, Path: "config.yaml", Nth: 1, For: 1, Kind: kind}})
		}
	}}
}
