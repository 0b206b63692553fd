package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest/sweep/oracle"
)

// site is the simulated platform at the other end of connections in memory. It keeps the
// ledger: every write that reached the platform, and what that truly answered.
type site struct {
	day      *Day
	server   *simulator.Server
	direct   http.Handler   // the platform without the faults in front of it
	front    http.Handler   // the same, as the programs reach it
	token    adminapi.Token // of the second administrator
	root     string
	password secrets.Secret // of the first one, and as the platform has it where it knows no letters such as these
	plain    secrets.Secret
	arrivals chan net.Conn
	closed   chan struct{}
	close    sync.Once

	mu     sync.Mutex
	came   map[string]int // how often each request came, whatever became of it
	before map[string]int // how often each came before the first write
	asked  map[string]int // how often it came through the faults

	leaving int // requests that change something and have left a program

	posts  []*post
	turns  []*turn
	from   map[string]*run // the program at the other end of a connection
	tokens []string        // that were issued to programs

	notTaken map[string]time.Time // when the token of a program was refused last

	theirs  atomic.Pointer[string]            // the job of a health check from another machine
	instead atomic.Pointer[instead]           // of the answers to reads at a path
	reports atomic.Pointer[map[string][]byte] // what is read in place of reports, by their paths

	hidden  map[string]bool // the paths that no program can read
	changed atomic.Int32    // how many writes of programs have come that change something
}

// post is a write that reached the platform.
type post struct {
	write    *oracle.Write
	run      *run
	path     string // below /geodeck/admin
	fields   url.Values
	at       time.Time // by true time
	answer   string
	accepted bool
}

// turn is something that happens at a request, before the platform handles it or after that
// and before the answer is sent.
type turn struct {
	request string // such as "POST /services/Roads.MapServer/edit"
	nth     int    // from 1
	after   bool
	name    string
	do      func(*run)
	done    bool
}

func newSite(d *Day, scenario simulator.Scenario) (*site, error) {
	s := &site{day: d, arrivals: make(chan net.Conn), closed: make(chan struct{}), came: map[string]int{}, asked: map[string]int{}, from: map[string]*run{}, notTaken: map[string]time.Time{}}
	return s, s.starts(scenario)
}

// starts starts the platform.
func (s *site) starts(scenario simulator.Scenario) error {
	d := s.day
	o := simulator.Options{
		Scenario: scenario, Clock: adminapi.SystemClock{}, Wall: time.Now, Secrets: d.reader("tokens"),
		Watch: func(direct http.Handler) http.Handler {
			direct = s.says(s.rewritten(s.failing(direct)))
			s.direct, s.front = direct, s.inFront(direct)
			return http.HandlerFunc(s.serve)
		},
	}
	s.token = o.SignIn(100 * time.Hour)
	var err error
	if s.server, err = simulator.New(o); err != nil {
		return err
	}
	s.plain = secrets.Secret(s.server.Users()[0].Password)
	if s.password = s.plain; d.plan.echo != nil {
		s.password = secrets.Secret(regexp.MustCompile(`...`).ReplaceAllString(s.plain.Reveal(), "${0}𝔎"))
	}
	if q := d.plan.quotes; q != nil {
		q.takesFor(s)
	} else {
		d.oracle.Secrets.Add("password", s.password.Reveal())
	}
	d.oracle.Secrets.Add("licence", licence)
	s.root = simulator.Root(s)
	return nil
}

// Accept waits for the next connection.
func (s *site) Accept() (net.Conn, error) {
	select {
	case conn := <-s.arrivals:
		return conn, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

// Close ends the waiting.
func (s *site) Close() error {
	s.close.Do(func() { close(s.closed) })
	return nil
}

// Addr is where the site is.
func (s *site) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7443} }

// toldNotTaken reports whether a program was told so within the last minute.
func (s *site) toldNotTaken(r *run) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, told := s.notTaken[r.name]
	return told && time.Since(at) < time.Minute
}

// comes counts a request; the site is locked.
func (s *site) comes(request string) {
	if s.before == nil && isWrite(request) {
		s.before = maps.Clone(s.came)
	}
	s.came[request]++
}

// launches reports whether a request for an upgrade has come, whatever became of it.
func (s *site) launches() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.came["POST /system/upgrades/upgrade"]+s.came["POST /system/upgrades/rollback"] > 0
}

// has for this request.
func (s *site) serve(w http.ResponseWriter, r *http.Request) {
	request := requestOf(r.Method, r.URL.Path)
	s.day.machine.presents(mainBranch, r)
	s.mu.Lock()
	s.asked[request]++
	nth, from := s.asked[request], s.from[r.RemoteAddr]
	s.mu.Unlock()
	from.guessed(r)
	s.happen(request, nth, false, from)
	if from.dead.Load() {
		panic(http.ErrAbortHandler)
	}
	if r.Method != http.MethodPost {
		where := below(r.URL.Path)
		if s.answersInstead(w, r) || s.hides(w, where) {
			return
		}
		escapes := s.day.plan.escapes && strings.HasPrefix(where, "/jobs/")
		if where != "/system/upgrades" && where != "/mode" && !strings.HasPrefix(where, "/services/") && !escapes {
			s.front.ServeHTTP(w, r)
			return
		}
		answered := httptest.NewRecorder()
		s.front.ServeHTTP(answered, r)
		if escapes {
			answered.Body = bytes.NewBuffer(bytes.ReplaceAll(answered.Body.Bytes(), []byte(".MapServer/"), []byte("%2EMapServer/")))
		}
		s.day.oracle.Read(from.name, where, answered.Body.String(), time.Now())
		hand(w, answered)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the request was cut off
	}
	if strings.HasSuffix(r.URL.Path, "/generateToken") {
		body = bytes.ReplaceAll(body, []byte(url.QueryEscape(s.password.Reveal())), []byte(url.QueryEscape(s.plain.Reveal())))
	}
	whole := r.WithContext(context.WithoutCancel(r.Context())) // what the platform begins it ends, whoever listens
	whole.Body = io.NopCloser(bytes.NewReader(body))
	fields, files := fieldsOf(r, body)
	p := &post{run: from, path: below(r.URL.Path), fields: fields, at: time.Now()}
	p.write = &oracle.Write{Program: from.name, Path: p.path, Fields: p.fields, Files: files, At: p.at, Intent: s.day.machine.intent(p),
		Locked: s.day.plan.locked, Named: from.opens.Load(), Keys: from.keysOf()}
	durable := own(s.day.machine.disk.Durable())
	s.day.oracle.Arrives(p.write, durable)
	s.day.oracle.Lands(oracle.Landed{Program: from.name, Site: mainBranch, Path: p.path, Text: p.fields.Get("service")})
	s.day.machine.confirmedIsSo(p)
	if s.day.machine.early == nil && p.write.Changes() {
		s.day.machine.early = durable
	}
	answered := httptest.NewRecorder()
	took := s.takes(p, answered, whole)
	if p.answer == "" {
		p.answer = answered.Body.String()
	}
	p.accepted = answered.Code == http.StatusOK && p.write.Worded == nil && (!refused(answered.Body.Bytes()) || isDeletion(p) && answered.Body.Len() == 0) || took || s.day.plan.late.takes()
	s.day.oracle.Answered(p.write, p.answer, p.accepted)
	s.keepToken(answered.Body.Bytes())
	s.day.machine.gives(mainBranch, answered.Body.Bytes())
	s.keepUpload(p, files)
	s.mu.Lock()
	s.posts = append(s.posts, p)
	s.mu.Unlock()
	s.day.log("the site: POST %s → %d %.120s", p.path, answered.Code, answered.Body.String())
	s.happen(request, nth, true, from)
	if from.dead.Load() {
		panic(http.ErrAbortHandler)
	}
	hand(w, answered)
}

// hand hands an answer of the platform on.
func hand(w http.ResponseWriter, answered *httptest.ResponseRecorder) {
	for name, values := range answered.Header() {
		w.Header()[name] = values
	}
	w.Header().Del("Content-Length") // of what it was before
	w.WriteHeader(answered.Code)
	_, _ = w.Write(answered.Body.Bytes())
}

// takes lets the platform answer a write, or lose its answer. It reports whether it has taken one that it answers with an
// error, the first edit without a job of such a day.
func (s *site) takes(p *post, answered *httptest.ResponseRecorder, whole *http.Request) (took bool) {
	defer func() {
		if lost := recover(); lost != nil {
			s.day.oracle.Answered(p.write, "", false)
			panic(lost)
		}
	}()
	if s.day.plan.sync != nil && p.fields.Get("async") == "false" && len(s.sent(func(p *post) bool { return p.write.Changes() })) == 0 {
		go s.front.ServeHTTP(httptest.NewRecorder(), whole)
		time.Sleep(atNoRequest)
		_, _ = answered.Write([]byte(`{"error":{"code":500,"message":"The request took too long.","details":[]}}`))
		return true
	}
	if words := s.day.plan.words; words.due(s, p) {
		p.answer, took = words.takes(s, p, answered, whole)
		return took
	}
	s.front.ServeHTTP(answered, whole)
	return false
}

// atNext lets something happen before the n-th of the requests that come from now on.
func (s *site) atNext(request string, n int, do func(*run)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns = append(s.turns, &turn{request: request, nth: s.asked[request] + n, do: do})
}

// happen lets happen what the day has for a request at this moment.
func (s *site) happen(request string, nth int, after bool, from *run) {
	s.mu.Lock()
	var due []*turn
	for _, t := range s.turns {
		if !t.done && t.request == request && t.nth == nth && t.after == after {
			t.done = true
			due = append(due, t)
		}
	}
	s.mu.Unlock()
	for _, t := range due {
		t.do(from)
	}
}

// sent returns the writes of a kind that reached the platform, in their order.
func (s *site) sent(is func(*post) bool) (posts []*post) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.posts {
		if is(p) {
			posts = append(posts, p)
		}
	}
	return posts
}

// ask asks the platform directly, as the second administrator: what comes is the truth.
func (s *site) ask(method, where string, fields url.Values) string {
	answer := s.askOnce(method, where, fields)
	if strings.Contains(answer, `"code":49`) { // none was given yet, or every token has ended
		var token struct{ Token secrets.Secret }
		form := url.Values{"username": {"admin"}, "password": {s.plain.Reveal()}, "client": {"referer"}, "referer": {"geodeck"}, "expiration": {"6000"}}
		if err := json.Unmarshal([]byte(s.askOnce(http.MethodPost, "/../sharing/rest/generateToken", form)), &token); err == nil {
			s.token.Value = token.Token
		}
		answer = s.askOnce(method, where, fields)
	}
	return answer
}

func (s *site) askOnce(method, where string, fields url.Values) string {
	return askDirectly(s.direct, s.Addr().String(), s.token.Value.Reveal(), method, where, fields)
}

// askDirectly asks a platform without what is in the way of programs. where is below the administrative root, and may have a query.
func askDirectly(direct http.Handler, host, token, method, where string, fields url.Values) string {
	where, query, _ := strings.Cut(where, "?")
	if fields == nil {
		fields, _ = url.ParseQuery(query)
	}
	fields.Set("f", "json")
	address := "http://" + host + (&url.URL{Path: path.Join("/geodeck/admin", where)}).EscapedPath()
	var body io.Reader
	if method == http.MethodGet {
		address += "?" + fields.Encode()
	} else {
		body = strings.NewReader(fields.Encode())
	}
	r := httptest.NewRequest(method, address, body)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Authorization", "Bearer "+token)
	answered := httptest.NewRecorder()
	direct.ServeHTTP(answered, r)
	return answered.Body.String()
}

// ids are the names that a site gives to jobs, uploads, reports and deployments.
var ids = regexp.MustCompile(`^([a-z]?[0-9a-f]{8}-[0-9a-f-]{27}|[a-z0-9]{10}|[a-z0-9]{21}|[a-z][a-z0-9]{20,})$`)

// requestOf names a request by its method and path, with a star for ids: the same in every
// run of a play.
func requestOf(method, where string) string {
	parts := strings.Split(below(where), "/")
	for i, part := range parts {
		if ids.MatchString(part) && strings.ContainsAny(part, "0123456789") {
			parts[i] = "*"
		}
	}
	return method + " " + strings.Join(parts, "/")
}

// below is a path below the administrative root; one elsewhere keeps its dots.
func below(p string) string {
	if rest, found := strings.CutPrefix(path.Clean(p), "/geodeck/admin"); found {
		return rest
	}
	return "/.." + strings.TrimPrefix(p, "/geodeck")
}

// fieldsOf are the parameters of a request, and its files by their parameters.
func fieldsOf(r *http.Request, body []byte) (fields url.Values, files map[string]string) {
	kind, parameters, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch kind {
	case "application/x-www-form-urlencoded":
		fields, _ = url.ParseQuery(string(body))
	case "multipart/form-data":
		form, err := multipart.NewReader(bytes.NewReader(body), parameters["boundary"]).ReadForm(int64(len(body)))
		if err != nil {
			return nil, nil
		}
		fields, files = form.Value, map[string]string{}
		for name, all := range form.File {
			if opened, err := all[0].Open(); err == nil {
				content, _ := io.ReadAll(opened)
				files[name] = string(content)
			}
		}
	}
	return fields, files
}

// keepToken makes the token of an answer a secret from then on.
func (s *site) keepToken(answer []byte) {
	var issued struct{ Token string }
	if json.Unmarshal(answer, &issued) == nil && issued.Token != "" {
		s.day.oracle.Secrets.Add("token", issued.Token)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tokens = append(s.tokens, issued.Token)
	}
}

// refused reports whether an answer is an error.
func refused(answer []byte) bool {
	var body struct {
		Error  json.RawMessage `json:"error"`
		Status json.RawMessage `json:"status"`
	}
	return json.Unmarshal(answer, &body) != nil || body.Error != nil || string(body.Status) == `"error"`
}

// upgrades is the true state of the upgrades.
func (s *site) upgrades() (status adminapi.UpgradeStatus, err error) {
	var body struct{ Status adminapi.UpgradeStatus }
	err = jsonv2.Unmarshal([]byte(s.ask(http.MethodGet, "/system/upgrades", nil)), &body, jsonv2.MatchCaseInsensitiveNames(true), jsontext.AllowInvalidUTF8(true))
	return body.Status, err
}

// began is when the newest upgrade began, also where its first message is shown no more.
func (s *site) began() adminapi.Millis {
	var told struct{ History []struct{ StartTime string } }
	if err := json.Unmarshal([]byte(s.ask(http.MethodGet, "/system/upgrades/history", nil)), &told); err != nil || len(told.History) == 0 {
		return 0
	}
	at, _ := time.Parse("2006-01-02 15:04:05.000", told.History[0].StartTime)
	return adminapi.MillisOf(at)
}
