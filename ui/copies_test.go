package ui_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/journal/memdisk"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/adminapi/upgrade"
	"geodeck/ui"
	"geodeck/ui/cli"
	"geodeck/ui/paint"
	"geodeck/ui/uitest"
)

// arrived is a write as it came to a site: method and path, and each field, a file with its name.
type arrived struct {
	request string
	fields  []string
}

// arrivals notes the writes that come to a site.
type arrivals struct {
	mu  sync.Mutex
	all []arrived
}

func (a *arrivals) watch(site http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		segment := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
		if r.Method == http.MethodGet || slices.Contains(readsByPost, segment) {
			site.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		came := arrived{request: r.Method + " " + r.URL.EscapedPath(), fields: fieldsOf(r, body)}
		a.mu.Lock()
		a.all = append(a.all, came)
		a.mu.Unlock()
		site.ServeHTTP(w, r)
	})
}

// fieldsOf are the fields of a body in their order; whose token it was is left out.
func fieldsOf(r *http.Request, body []byte) (fields []string) {
	add := func(name, file, value string) {
		if name == "token" {
			value = "[secret]"
		}
		fields = append(fields, name+" "+file+"="+value)
	}
	copied := &http.Request{Method: r.Method, Header: r.Header, Body: io.NopCloser(bytes.NewReader(body))}
	parts, err := copied.MultipartReader()
	if err != nil {
		for pair := range strings.SplitSeq(string(body), "&") {
			name, value, _ := strings.Cut(pair, "=")
			name, _ = url.QueryUnescape(name)
			value, _ = url.QueryUnescape(value)
			add(name, "", value)
		}
		return fields
	}
	for part, err := parts.NextRawPart(); err == nil; part, err = parts.NextRawPart() {
		content, _ := io.ReadAll(part)
		file := ""
		if strings.Contains(part.Header.Get("Content-Disposition"), "; filename=") {
			file = "file " + part.FileName()
		}
		add(part.FormName(), file, string(content))
	}
	return fields
}

// twin is a site of a scenario: each is like the other, and moves by its own clock alike.
type twin struct {
	server *simulator.Server
	clock  *simtest.SteppedClock
	came   arrivals
}

func newTwin(t *testing.T, scenario string) *twin {
	t.Helper()
	x := &twin{clock: simtest.NewSteppedClock(uitest.Start)}
	var err error
	x.server, err = simulator.New(simulator.Options{Scenario: uitest.Scenario(t, scenario), Clock: x.clock, Wall: x.clock.Now, Watch: x.came.watch})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// signIn returns the token of the administrator.
func (x *twin) signIn(t *testing.T, config adminapi.Config) *adminapi.Client {
	t.Helper()
	config.Clock = x.clock
	client, err := adminapi.New(config)
	if err != nil {
		t.Fatal(err)
	}
	admin := x.server.Users()[0]
	if _, err := client.Session.SignIn(t.Context(), admin.Username, secrets.Secret(admin.Password), 12*time.Hour); err != nil {
		t.Fatal(err)
	}
	return client
}

// review is a way to a review that can be copied.
type review struct {
	name, scenario string
	leads          []string // to the review, as those of a writer
	command, json  []string // that copy it there
	then           []string // that send it there
	kind           string   // how the command begins
	says           string   // is added by who runs the command; empty for nothing
	before         []string // leads to what is sent before, on the screen in both cases
}

var (
	inDialog = [2][]string{{"ctrl+y"}, {"ctrl+o"}}
	onPage   = [2][]string{{"Y"}, {"palette", `"copy as JSON"`, "enter"}}
)

// toARecordCount leads to the review of a definition.
func toARecordCount(count string) []string {
	return []string{"view.services rows.filter", `"SampleWorld"`, "enter enter rows.filter rows.filter", `"maxRecord"`, "enter jsonedit.edit ctrl+u", `"` + count + `"`, "enter services.write"}
}

// toAPool leads to the review of rules.
func toAPool(pool string) []string {
	return []string{"view.services rows.filter", `"SampleWorld"`, "enter enter tab rows.bottom k k rules.edit tab tab ctrl+u", `"` + pool + `"`, "enter services.write"}
}

// reviews are the ways to every kind of write.
var reviews = []review{
	{"a health check", "healthy", []string{"r enter ctrl+u", `"it's by hand"`}, inDialog[0], inDialog[1], []string{"enter"}, "geodeck health run --suite", "", nil},
	{"a report that is deleted", "healthy", []string{"health.delete"}, inDialog[0], inDialog[1], []string{`"scheduled-20261118-1205"`, "enter"}, "geodeck health delete", "", nil},
	{"a service that is stopped", "healthy", []string{"view.services rows.filter", `"SampleWorld"`, "enter services.switch"}, inDialog[0], inDialog[1], []string{`"SampleWorldCities"`, "enter"}, "geodeck service stop --confirm SampleWorldCities", "", nil},
	{"a service that is started", "services-down", []string{"view.services rows.filter", `"Geometry"`, "enter j services.switch"}, inDialog[0], inDialog[1], []string{"y"}, "geodeck service start", "", nil},
	{"an upgrade", "healthy", []string{"view.upgrade enter space space enter"}, onPage[0], onPage[1], []string{"enter", `"11.5.0.6835"`, "enter"}, "geodeck upgrade start --confirm 11.5.0.6835 --accept", "", nil},
	{"a release with its licence", "healthy", []string{"view.upgrade rows.bottom enter space space enter", `"lic"`, "tab enter"}, onPage[0], onPage[1], []string{"enter", `"12.0.0.7286"`, "enter"}, "geodeck upgrade start --confirm 12.0.0.7286 --accept", "", nil},
	{"a rollback", "upgraded", []string{"view.upgrade upgrade.next-list j upgrade.rollback space space enter"}, onPage[0], onPage[1], []string{"enter", `"11.5.0.6825"`, "enter"}, "geodeck upgrade rollback --confirm 11.5.0.6825", "", nil},
	{"a manifest", "empty-manifest", []string{"view.upgrade upgrade.import", `"it's manifest.dat"`, "enter"}, inDialog[0], inDialog[1], []string{"y"}, "geodeck upgrade import-manifest", "", nil},
	{"a definition", "healthy", toARecordCount("4321"), onPage[0], onPage[1], []string{"services.send y"}, "geodeck service apply --plan", "", nil},
	{"the question about a definition", "healthy", append(toARecordCount("4321"), "services.send"), inDialog[0], inDialog[1], []string{"y"}, "geodeck service apply --plan", "", nil},
	{"a definition of 10.9.0", "oldest", toARecordCount("4321"), onPage[0], onPage[1], []string{"services.send y"}, "geodeck service apply --plan", "", nil},
	{"rules", "healthy", append(toAPool("spot"), "diff.accept"), onPage[0], onPage[1], []string{"services.send y"}, "geodeck placement apply --plan", "", nil},
	{"rules that no node meets", "healthy", append(toAPool("nowhere"), "diff.accept", `"no-node"`, "enter services.send"), inDialog[0], inDialog[1], []string{"y"}, "geodeck placement apply --plan", "", nil},
	{"a version that is restored", "healthy", []string{"quit tab tab services.restore"}, onPage[0], onPage[1], []string{"services.send y"}, "geodeck service apply --plan", "", append(toARecordCount("4321"), "services.send y")},
	{"a key that is removed", "healthy", []string{"view.services rows.filter", `"SampleWorld"`, "enter enter rows.filter rows.filter", `"maxRecord"`, "enter jsonedit.delete services.write diff.accept", `"removed-key"`, "enter"}, onPage[0], onPage[1], []string{"services.send y"}, "geodeck service apply --plan", "", nil},
	{"the same change on several services", "healthy", []string{"view.services rows.bottom space k space enter rows.filter rows.filter", `"maxIdle"`, "enter jsonedit.edit ctrl+u", `"432"`, "enter services.write services.many"}, onPage[0], onPage[1], []string{"services.send y"}, "geodeck service apply --plan", "", nil},
}

// clipboard is what a terminal was given to copy last.
type clipboard struct {
	t    *testing.T
	file *os.File
}

var copySequence = regexp.MustCompile(`\x1b\]52;c;([^\a\x1b]*)`)

func (c clipboard) text() string {
	c.t.Helper()
	written, err := os.ReadFile(c.file.Name())
	if err != nil {
		c.t.Fatal(err)
	}
	all := copySequence.FindAllSubmatch(written, -1)
	if len(all) == 0 {
		c.t.Fatal("nothing was copied")
	}
	text, err := base64.StdEncoding.DecodeString(string(all[len(all)-1][1]))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

// twinBase is the address of all twins: a plan is for one site.
const twinBase = "http://127.0.0.1:7443/geodeck/admin"

// screenTwin is a twin on the screen.
func screenTwin(t *testing.T, x *twin, folder string) (*driver, clipboard) {
	t.Helper()
	for name, content := range map[string]string{"it's manifest.dat": newManifest, "licence.json": string(simtest.Licence("12.0.0"))} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	client := x.signIn(t, adminapi.Config{Base: twinBase, Transport: inProcess{x.server}})
	site := operation.Site{Client: client, Clock: x.clock, Memory: operation.Memory{Journal: recordOf(t, x)}}
	d := start(t, ui.Options{Site: site, Clock: x.clock, Name: siteName, SiteFlags: []string{"--site", siteName}, Folder: folder,
		Nodes:    nodesource.Source{Demo: x.server.Nodes},
		Terminal: paint.NewTerminal(file, func(string) string { return "" })}, 120, 40, ui.Makers()...)
	d.settle()
	return d, clipboard{t, file}
}

// recordOf is the journal of a twin on a disk in memory: a program that another test starts has the locks
// of real files for a moment, which no time of the bubble waits for. The plans of batches are real files.
func recordOf(t *testing.T, x *twin) *journal.Journal {
	t.Helper()
	home := t.TempDir()
	record, err := journal.Open(home, twinBase, journal.WithClock(x.clock), journal.WithFiles(memdisk.New(x.clock.Now, home).Program()))
	if err == nil {
		err = os.MkdirAll(record.Folder(), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = record.Close() })
	return record
}

// rests lets what was asked for come, by the time of the bubble.
func (d *driver) rests() {
	d.t.Helper()
	time.Sleep(10 * time.Second)
	d.settle()
}

// wordsOf lets a shell read a line.
func wordsOf(t *testing.T, line string) []string {
	t.Helper()
	out, err := exec.Command("sh", "-c", `printf '%s\0' `+strings.ReplaceAll(line, " && ", " '&&' ")).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// runs runs a command line of geodeck against a twin.
func (x *twin) runs(t *testing.T, line string) {
	t.Helper()
	words := wordsOf(t, line)
	if err := x.server.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.server.Close() })
	client := x.signIn(t, adminapi.Config{Base: x.server.URL()})
	home := t.TempDir()
	config := filepath.Join(home, "config.yaml")
	if err := os.WriteFile(config, []byte("sites:\n  "+siteName+":\n    url: "+twinBase+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"GEODECK_CONFIG": config, "GEODECK_TOKEN": client.Session.Token().Value.Reveal(), "HOME": home, "XDG_STATE_HOME": filepath.Join(home, "state")}
	var out, errs bytes.Buffer
	address := strings.TrimSuffix(strings.TrimPrefix(x.server.URL(), "http://"), "/geodeck/admin")
	for len(words) > 0 {
		next := len(words)
		if i := slices.Index(words, "&&"); i >= 0 {
			next = i
		}
		code := cli.Run(context.Background(), words[1:next], cli.Process{
			In: strings.NewReader(""), Out: &out, Err: &errs, Clock: x.clock, Env: func(name string) string { return env[name] },
			Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, address)
			},
		})
		if code > 1 { // 1: what was sent has found something
			t.Fatalf("%s\nexit code %d, it says\n%s%s", line, code, out.String(), errs.String())
		}
		words = words[min(next+1, len(words)):]
	}
}

// copiedJSON is a request that was copied, as it would arrive; of files their sizes.
func copiedJSON(t *testing.T, text string) (all []arrived) {
	t.Helper()
	if !strings.HasPrefix(text, "[") {
		text = "[" + text + "]"
	}
	var requests []adminapi.Request
	if err := json.Unmarshal([]byte(text), &requests); err != nil {
		t.Fatal(err, text)
	}
	for _, r := range requests {
		a := arrived{request: r.Method + " " + r.Path}
		for _, field := range r.Fields {
			file, value := "", field.Value
			if field.File != nil {
				file, value = "file "+field.File.Name, strconv.Itoa(field.File.Size)
			}
			a.fields = append(a.fields, field.Name+" "+file+"="+value)
		}
		all = append(all, a)
	}
	return all
}

// uploadID is what no request has before its files are uploaded.
var uploadID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`)

// sized is a write with the sizes of its files in place of their content.
func sized(a arrived) arrived {
	sized := arrived{request: a.request}
	for _, field := range a.fields {
		name, value, _ := strings.Cut(field, "=")
		if strings.Contains(name, " file ") {
			value = strconv.Itoa(len(value))
		}
		sized.fields = append(sized.fields, name+"="+uploadID.ReplaceAllString(value, upgrade.UploadPending))
	}
	return sized
}

func (a arrived) equal(b arrived) bool {
	return a.request == b.request && slices.Equal(a.fields, b.fields)
}

// What a review sends, what the command does that is copied from it, and what is copied as JSON
// have the same method, path and fields.
func TestAReviewAndTheCommandCopiedFromItSendTheSame(t *testing.T) {
	t.Parallel()
	for _, r := range reviews {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			var command, asJSON string
			screen, folder := newTwin(t, r.scenario), t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				d, copied := screenTwin(t, screen, folder)
				d.does(r.before...)
				d.rests()
				screen.came.all = nil
				d.does(r.leads...)
				d.rests()
				d.does(r.command...)
				d.rests()
				command = copied.text()
				d.shows("command sent to the terminal's clipboard")
				d.does(r.json...)
				d.rests()
				asJSON = copied.text()
				d.shows("request with secrets masked sent to the terminal's clipboard")
				if len(screen.came.all) > 0 {
					t.Fatalf("copying sent %v", screen.came.all)
				}
				d.does(r.then...)
				d.rests()
				if len(screen.came.all) == 0 {
					t.Fatalf("nothing was sent; the screen is\n%s", d.model.View())
				}
			})
			if !strings.HasPrefix(command, r.kind) || !strings.Contains(command, " --site "+siteName) || strings.Contains(command, "--unlock") {
				t.Errorf("the command is %s", command)
			}
			if several := strings.Contains(command, " && "); several != (len(screen.came.all) > 1 && strings.Contains(r.name, "several")) {
				t.Errorf("%d writes by %s", len(screen.came.all), command)
			}
			line := newTwin(t, r.scenario)
			if r.before != nil {
				synctest.Test(t, func(t *testing.T) {
					d, _ := screenTwin(t, line, t.TempDir())
					d.does(r.before...)
					d.rests()
				})
				line.came.all = nil
			}
			line.runs(t, command+r.says)
			if !slices.EqualFunc(screen.came.all, line.came.all, arrived.equal) {
				t.Errorf("%s\nsent %q\nthe screen sent %q", command, line.came.all, screen.came.all)
			}
			shown := copiedJSON(t, asJSON)
			var sent []arrived // but for files that are uploaded before
			for _, came := range screen.came.all[len(screen.came.all)-min(len(shown), len(screen.came.all)):] {
				sent = append(sent, sized(came))
			}
			if !slices.EqualFunc(shown, sent, arrived.equal) {
				t.Errorf("the JSON is %q\nsent was %q", shown, sent)
			}
		})
	}
}
