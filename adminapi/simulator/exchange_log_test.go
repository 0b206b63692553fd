package simulator_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

// exchanges is what a site has written of its exchanges.
type exchanges struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (e *exchanges) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.Write(p)
}

func (e *exchanges) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.String()
}

// withRecord starts a site that writes its exchanges.
func withRecord(t *testing.T, scenario, user string) (*site, *exchanges) {
	t.Helper()
	log := &exchanges{}
	s := startOn(t, simulator.Options{Scenario: builtIn(t, scenario), Clock: simtest.NewManualClock(noon), Wall: func() time.Time { return noon }, Exchanges: log}, user)
	return s, log
}

// TestARecordIsAScriptThatAnotherSiteFollows holds the form, and that nothing but secrets
// is lost.
func TestARecordIsAScriptThatAnotherSiteFollows(t *testing.T) {
	t.Parallel()
	s, log := withRecord(t, "healthy", "admin")
	s.get("/mode")
	s.get("/healthCheck/suites", "f", "pjson")
	s.get("/healthCheck/suites", "f", "html")
	s.get("/jobs/unknown")
	job := s.checkHealth("a name = with & all %41 \t in it")
	s.get(job)
	s.get("/healthCheck/reports/query", "num", "1000", "runResult", "passed,failed")
	definition := s.get("/services/SampleWorldCities.MapServer").body
	s.post("/services/SampleWorldCities.MapServer/edit", "service", definition, "async", "true")
	s.post("/mode/update", "isReadOnly", "true", "message", `"quoted"`)
	s.get("/services/System")
	s.send(http.MethodPost, "/healthCheck/run", url.Values{"token": {s.token}}, values([]string{"suiteIds", "BSHC-001"}))
	script := log.String()
	if n := strings.Count(script, "\nHTTP "); n != 13 {
		t.Errorf("%d exchanges", n)
	}
	if err := playScript(t, "scenario: healthy\nuser: admin\n"+withoutTimes.ReplaceAllString(script, "<number>"), &sync.Map{}); err != nil {
		t.Errorf("%v\n%s", err, script)
	}
}

// withoutTimes finds the times of the answer of a sign-in, which follow the machine's clock.
var withoutTimes = regexp.MustCompile(`\b17\d{11}\b`)

func TestARecordHoldsNoSecret(t *testing.T) {
	t.Parallel()
	s, log := withRecord(t, "healthy", "")
	n := 0
	var canaries []string
	canary := func() string {
		n++
		sum := sha256.Sum256([]byte{byte(n)})
		canaries = append(canaries, base64.StdEncoding.EncodeToString(sum[:18])) // no two have a part in common
		return canaries[n-1]
	}
	send := func(method, target, contentType, body string, headers ...string) string {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if contentType != "" {
			r.Header.Set("Content-Type", contentType)
		}
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		answer, err := s.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		return string(text)
	}
	const form = "application/x-www-form-urlencoded"
	mode := s.server.URL() + "/mode?f=json"
	get := func(target string, headers ...string) string { return send("GET", target, "", "", headers...) }

	// In the query, however it is spelled and escaped.
	for _, name := range []string{"token", "Token", "access_token", "refresh_token", "password", "code", "client_secret", "code_verifier"} {
		get(mode + "&" + name + "=" + url.QueryEscape(canary()))
	}
	get(mode + "&redirect_uri=" + url.QueryEscape("https://x.example.org/?a=b&code="+url.QueryEscape(canary())))
	get(mode + "&token=" + canary() + "%zz")
	get(s.server.URL() + "/mode?token=" + url.QueryEscape(canary())) // a page
	// In headers.
	for _, name := range []string{"Authorization", "X-Esri-Authorization", "Proxy-Authorization"} {
		get(mode, name, "Bearer "+canary())
		get(mode, name, "bEARER   "+canary())
		get(mode, name, "Basic "+base64.StdEncoding.EncodeToString([]byte("admin:"+canary())))
		get(mode, name, canary())
		get(mode, name, "Digest username=x, response="+canary())
	}
	get(mode, "Cookie", "a="+canary()+"; agwtoken="+canary(), "Referer", "https://x.example.org/?token="+canary())
	// In bodies.
	for _, name := range []string{"token", "TOKEN", "password", "passcode", "licenseFile", "refresh_token", "code", "client_secret", "assertion", "apiKey"} {
		send("POST", s.server.URL()+"/mode/update", form, name+"="+url.QueryEscape(canary())+"&f=json")
	}
	send("POST", s.server.URL()+"/system/tasks/createTask", form, url.Values{"parameters": {`{"a":[{"Passcode":"` + canary() + `","credentials":{"user":["` + canary() + `"]}}]}`}}.Encode())
	// In settings, also where they are no JSON, or secrets stand in texts of them.
	for _, settings := range []string{
		` {"passcode":"%"}`, "\ufeff{\"password\":\"%\"}", `{"provider":{"credential":{"type":"ACCESS-KEY","secret":{"accessKey":"%","secretKey":"%"}}}}`,
		`{'credential': {'secretKey': '%'}}`, `{"secret":{"accessKey":"%","secretKey":"%"}`, `{"a":"x {\"password\":\"%\"}"}`, "password: %",
		`{"accountKey":"%","storageAccountKey":"%","sharedKey":"%","pwd":"%","pass":"%","sas":"%"}`, `{"x":"AccountName=x;AccountKey=%;y"}`,
		`{"url":"https://x.example.org/c?sv=1&sig=%"}`, `{"url":"https://joe:%@x.example.org/"}`, "-----BEGIN PRIVATE KEY-----\n%\n-----END PRIVATE KEY-----",
		strings.Repeat("[", 10_050) + `{"password":"%"}` + strings.Repeat("]", 10_050), `Authorization: Basic %`,
	} {
		for strings.Contains(settings, "%") {
			settings = strings.Replace(settings, "%", strings.ReplaceAll(canary(), "/", "_"), 1)
		}
		send("POST", s.server.URL()+"/system/disasterrecovery/stores/register", form, url.Values{"settings": {settings}, "f": {"json"}}.Encode())
	}
	get(s.server.URL() + "/mode;token=" + url.PathEscape(canary()))
	send("POST", mode, "application/json", `{"token":"`+canary()+`"}`)
	send("POST", mode, "text/plain", canary())
	var parts bytes.Buffer
	w := multipart.NewWriter(&parts)
	_ = w.WriteField("token", canary())
	_ = w.WriteField("upgradeSettings", `{"userInputs":[{"id":"x","password":"`+canary()+`"}]}`)
	for _, name := range []string{"licenseFile", "itemFile"} {
		file, _ := w.CreateFormFile(name, "licence.json")
		_, _ = io.WriteString(file, `{"authorization":"`+canary()+`"}`)
	}
	_ = w.Close()
	send("POST", s.server.URL()+"/system/upgrades/upgrade", w.FormDataContentType(), parts.String())
	// In a field of no secret name beside it.
	echoed := canary()
	send("POST", s.server.URL()+"/mode/update", form, url.Values{"isReadOnly": {strings.ToLower(echoed)}, "token": {echoed}}.Encode())
	// In answers: a new token, and errors that repeat what was sent.
	signIn := url.Values{"username": {"admin"}, "password": {password(t, s.server, "admin")}, "client": {"requestip"}, "f": {"json"}}
	issued := send("POST", s.server.TokenURL(), form, signIn.Encode())
	var signedIn struct{ Token string }
	if err := json.Unmarshal([]byte(issued), &signedIn); err != nil || signedIn.Token == "" {
		t.Fatal(issued, err)
	}
	token := signedIn.Token
	canaries = append(canaries, token, signIn.Get("password"))
	get(mode + "&token=" + token)
	for _, said := range []string{token, strings.ToUpper(token), signIn.Get("password")} {
		send("POST", s.server.URL()+"/mode/update", form, url.Values{"isReadOnly": {said}, "f": {"json"}, "token": {token}}.Encode())
		send("POST", s.server.URL()+"/mode/update", form, url.Values{"isReadOnly": {said}, "token": {token}}.Encode())
		get(s.server.URL() + "/jobs/" + said + "?f=json&token=" + token)
	}

	// In a sign-in by the browser's way: codes, tokens, and a page with the code in it.
	context := strings.TrimSuffix(s.server.URL(), "/admin")
	var begun struct {
		State string `json:"oauth_state"`
	}
	authorize := get(context + "/sharing/rest/oauth2/authorize?response_type=code&client_id=pythonapi&redirect_uri=urn%3Aietf%3Awg%3Aoauth%3A2.0%3Aoob&f=json")
	if err := json.Unmarshal([]byte(authorize), &begun); err != nil || begun.State == "" {
		t.Fatal(authorize, err)
	}
	granted, err := s.client.PostForm(context+"/sharing/oauth2/signin", url.Values{"oauth_state": {begun.State}, "username": {"admin"}, "password": {signIn.Get("password")}, "f": {"json"}})
	if err != nil {
		t.Fatal(err)
	}
	defer granted.Body.Close()
	approval, err := granted.Location()
	if err != nil {
		t.Fatal(err)
	}
	get(approval.String())
	code := approval.Query().Get("code")
	exchanged := send("POST", context+"/sharing/rest/oauth2/token", form, url.Values{"grant_type": {"authorization_code"}, "client_id": {"pythonapi"}, "code": {code}, "redirect_uri": {"urn:ietf:wg:oauth:2.0:oob"}}.Encode())
	var tokens struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	if err := json.Unmarshal([]byte(exchanged), &tokens); err != nil || code == "" || tokens.Access == "" || tokens.Refresh == "" {
		t.Fatal(exchanged, err)
	}
	send("POST", context+"/sharing/rest/oauth2/token", form, url.Values{"grant_type": {"refresh_token"}, "client_id": {"pythonapi"}, "refresh_token": {tokens.Refresh}}.Encode())
	canaries = append(canaries, code, tokens.Access, tokens.Refresh)

	text := log.String()
	for _, secret := range canaries {
		half := secret[:len(secret)-4]
		for _, form := range []string{half, strings.ToUpper(half), strings.ToLower(half), url.QueryEscape(half), base64.StdEncoding.EncodeToString([]byte("admin:" + secret))[:20]} {
			if at := strings.Index(text, form); at >= 0 {
				t.Errorf("%s: %s", secret, text[max(0, at-150):at+60])
			}
		}
	}
	for _, wanted := range []string{
		"token={token}\n", "Authorization: Bearer {token}\n", "Authorization: Basic {credentials}\n", "Cookie: {cookie}\n", "password={password}\n",
		"licenseFile=@licence.json (", `"token": "<text>"`, "# A body of ", "refresh_token={refresh_token}",
	} {
		if !strings.Contains(text, wanted) {
			t.Errorf("the record lacks %q", wanted)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestExchangesThatRunAtOnceAreWrittenOneByOne(t *testing.T) {
	t.Parallel()
	s, log := withRecord(t, "healthy", "admin")
	var callers sync.WaitGroup
	for i := range 8 {
		callers.Go(func() {
			for n := range 20 {
				s.get("/jobs/j-" + fmt.Sprint(i) + "-" + fmt.Sprint(n))
			}
		})
	}
	callers.Wait()
	steps, err := parseScript(log.String())
	if err != nil || len(steps) != 161 {
		t.Fatal(len(steps), err)
	}
	seen := map[string]bool{}
	for _, step := range steps[1:] {
		name := strings.TrimSuffix(strings.TrimPrefix(step.path, "/admin/jobs/"), "?f=json")
		if seen[name] || !strings.Contains(step.answer, "there is no job "+name) {
			t.Errorf("%s: %s", step.path, step.answer)
		}
		seen[name] = true
	}
}

func TestWhatIsCutOffIsWrittenAsFarAsItWent(t *testing.T) {
	t.Parallel()
	s, log := withRecord(t, "healthy", "")
	address, err := url.Parse(s.server.URL())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", address.Host)
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(conn, "POST %s/mode/update?f=json HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 500\r\n\r\nisReadOnly=true&token=half-of-a-tok", address.Path)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.(*net.TCPConn).CloseWrite()
	_, _ = io.Copy(io.Discard, conn)
	_ = conn.Close()
	if err := s.server.Close(); err != nil {
		t.Fatal(err)
	}
	if text := log.String(); !strings.Contains(text, "isReadOnly=true\ntoken={token}\n# The body ended early.\n") || strings.Contains(text, "half-of") {
		t.Error(text)
	}
}

func TestAnAnswerThatGoesWrongIsWrittenAsItWent(t *testing.T) {
	t.Parallel()
	for what, wanted := range map[string]string{
		"close": "# There was no answer.\n", "reset": "# There was no answer.\n", "cut": "# The body ended after 10 of 21 bytes.\n...\n",
		"headers": "# The body ended after 0 of 21 bytes.\n...\n", "half": "# A body of 10 bytes.\n...\n", "html": "HTTP 503\nContent-Type: text/html; charset=utf-8\n# A body of ", "empty": "HTTP 200\n\n",
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			log := &exchanges{}
			scenario := simulator.Scenario{Name: "faulty", Faults: []simulator.Fault{{Path: "admin/mode", What: what}}}
			s := startOn(t, simulator.Options{Scenario: scenario, Clock: simtest.NewManualClock(noon), Exchanges: log}, "admin")
			r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.server.URL()+"/mode?f=json", nil)
			_, _, _ = s.roundTrip(r)
			if err := s.server.Close(); err != nil {
				t.Fatal(err)
			}
			if text := log.String(); !strings.Contains(text, wanted) {
				t.Error(text)
			}
		})
	}
}

func TestLongBodiesAndControlCharactersAreWrittenSafely(t *testing.T) {
	t.Parallel()
	s, log := withRecord(t, "hostile", "admin")
	s.post("/mode/update", "isReadOnly", "\x1b[2J\u202e\xff\nnext", "message", strings.Repeat("long ", 20_000), "more", strings.Repeat("x", 300_000))
	s.get("/services")
	text := log.String()
	for _, wanted := range []string{`isReadOnly="\u001b[2J\u202e\ufffd\nnext"`, "message=(100000 bytes)\n", "# The form has ", "is left out.\n"} {
		if !strings.Contains(text, wanted) {
			t.Errorf("%q is missing", wanted)
		}
	}
	if strings.ContainsAny(text, "\x1b\u202e\u009b\r\x00") || len(text) > 200_000 {
		t.Errorf("%d bytes: %.2000q", len(text), text)
	}
}

// TestDeepJSONDoesNotFillTheDisk holds that the record of an answer is not much longer than
// the answer.
func TestDeepJSONDoesNotFillTheDisk(t *testing.T) {
	t.Parallel()
	log := &exchanges{}
	s := startOn(t, simulator.Options{Clock: simtest.NewSteppedClock(noon), Exchanges: log}, "admin")
	const path = "/services/SampleWorldCities.MapServer"
	definition := strings.TrimSpace(s.get(path).body)
	deep := definition[:len(definition)-1] + `,"deep":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}"
	s.post(path+"/edit", "service", deep).is("{\"status\":\"success\"}\n")
	if body := s.get(path).body; !strings.Contains(body, `"deep":`) {
		t.Fatal(body)
	}
	if err := s.server.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(log.String()); n > 100_000 {
		t.Errorf("%d bytes", n)
	}
}
