package simulator_test

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

// raw sends a request with exactly these headers, in pairs, and this body. A header may
// be named twice. A GET with a body is what urllib sends.
func (s *site) raw(method, target, body string, headers ...string) reply {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, target, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Add(pair[0], pair[1])
	}
	if body != "" && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer, err := s.client.Transport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply{s.t, answer.StatusCode, answer.Header, string(text)}
}

// generateToken asks for a token of the administrator as programs do, in a form.
func (s *site) generateToken(params ...string) string {
	s.t.Helper()
	form := values(append(params, "username", "admin", "password", password(s.t, s.server, "admin")))
	return s.raw(http.MethodPost, s.server.TokenURL(), form.Encode()).text("token")
}

func TestATokenOfARefererPassesWithoutAReferer(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "")
	token := s.generateToken("client", "referer", "referer", "referer", "expiration", "600")
	mode := s.server.URL() + "/mode"
	// A GET whose form is in its body, and no Referer.
	s.raw(http.MethodGet, mode, "f=json", "Authorization", "Bearer "+token, "User-Agent", "Python-urllib/3.11").has("isReadOnly", false)
	s.raw(http.MethodGet, mode+"?f=json", "", "Authorization", "Bearer "+token, "Referer", "").has("isReadOnly", false)
	s.raw(http.MethodGet, mode+"?f=json", "", "Authorization", "Bearer "+token, "Referer", "referer").has("isReadOnly", false)
	s.raw(http.MethodGet, mode+"?f=json", "", "Authorization", "Bearer "+token, "Referer", "https://elsewhere.example/").refused(498, "another referer")
	for bound, passes := range map[string][]string{
		"https://a.example":  {"https://a.example", "https://a.example/x", "https://a.example:443/", "https://a.example?x", "https://a.example#x"},
		"https://b.example/": {"https://b.example/", "https://b.example/x"},
	} {
		token = s.generateToken("referer", bound)
		for _, referer := range passes {
			s.raw(http.MethodGet, mode+"?f=json&token="+token, "", "Referer", referer).has("isReadOnly", false)
		}
		s.raw(http.MethodGet, mode+"?f=json&token="+token, "", "Referer", strings.TrimSuffix(bound, "/")+".evil/").refused(498, "another referer")
	}
}

func TestAnAddressHoldsNoPassword(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "")
	form := values([]string{"username", "admin", "password", password(t, s.server, "admin"), "client", "requestip"})
	s.raw(http.MethodPost, s.server.TokenURL()+"?"+form.Encode(), "f=json").refused(400, "username")
	s.raw(http.MethodPost, s.server.TokenURL(), form.Encode()).has("ssl", false)
	asked := s.signInForm(url.Values{"response_type": {"code"}, "client_id": {"pythonapi"}, "redirect_uri": {outOfBand}})
	state := asked["oauth_state"].(string)
	got := s.raw(http.MethodPost, s.portal("/sharing/oauth2/signin?"+form.Encode()), "oauth_state="+state)
	got.has("code", "OAUTH_0015")
}

func TestTheKindOfClientMayBeLeftOut(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "")
	form := "username=admin&password=" + url.QueryEscape(password(t, s.server, "admin")) + "&referer=referer&expiration=60&f=json"
	got := s.raw(http.MethodPost, s.server.TokenURL()+"?f=json", form, "User-Agent", "python-requests/2.32")
	token := got.text("token")
	services := s.raw(http.MethodGet, s.server.URL()+"/services?f=pjson&token="+token, "")
	if services.length("folders") == 0 || services.length("services") == 0 {
		t.Errorf("services: %s", services.body)
	}
}

func TestAQueryMayHoldTheTokenOfAPost(t *testing.T) {
	t.Parallel()
	s := startOn(t, simulator.Options{Clock: simtest.NewSteppedClock(noon)}, "")
	token := s.generateToken("referer", "referer")
	service := s.server.URL() + "/services/SampleWorldCities.MapServer"
	definition := s.raw(http.MethodGet, service+"?f=json&token="+token, "").body
	edited := strings.Replace(definition, `"recycleStartTime":"05:00"`, `"recycleStartTime":"04:00"`, 1)
	if edited == definition {
		t.Fatal("the definition has no time to recycle: " + definition)
	}
	form := url.Values{"f": {"json"}, "service": {edited}}
	s.raw(http.MethodPost, service+"/edit?f=json&token="+token, form.Encode()).has("status", "success")
	s.raw(http.MethodGet, service+"?f=json&token="+token, "").has("recycleStartTime", "04:00")
	// The same parameter in both places: the form counts.
	form.Set("token", token)
	s.raw(http.MethodPost, service+"/edit?f=html&token=made-up", form.Encode()).has("status", "success")
}

func TestTheFirstPlaceOfATokenDecides(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "")
	token := s.generateToken("referer", "referer")
	const jsonForm = "application/x-www-form-urlencoded"
	part := "--b\r\nContent-Disposition: form-data; name=\"isReadOnly\"\r\n\r\nfalse\r\n--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n"
	cases := []struct {
		name, query, form, esri, standard string
		multipart                         bool
		status                            int64 // of the error; 0: accepted
	}{
		{name: "nowhere", status: 499},
		{name: "form", form: token},
		{name: "query", query: token},
		{name: "esri", esri: "Bearer " + token},
		{name: "standard", standard: "Bearer " + token},
		{name: "any case", standard: "bearer  " + token},
		{name: "form before query", form: token, query: "bad"},
		{name: "a bad form", form: "bad", query: token, esri: "Bearer " + token, standard: "Bearer " + token, status: 498},
		{name: "query before headers", query: "bad", esri: "Bearer " + token, standard: "Bearer " + token, status: 498},
		{name: "esri before standard", esri: "Bearer bad", standard: "Bearer " + token, status: 498},
		{name: "esri wins", esri: "Bearer " + token, standard: "Bearer bad"},
		{name: "the standard one is the proxy's", esri: "Bearer " + token, standard: "Basic YTpi"},
		{name: "no token in esri", esri: "Bearer ", standard: "Bearer " + token},
		{name: "only a proxy's", standard: "Basic YTpi", status: 499},
		{name: "all agree", form: token, query: token, esri: "Bearer " + token, standard: "Bearer " + token},
		{name: "multipart before query", multipart: true, form: token, query: "bad"},
		{name: "a bad multipart", multipart: true, form: "bad", query: token, status: 498},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			target, form, kind := s.server.URL()+"/mode/update?f=json", "isReadOnly=false", jsonForm
			if c.query != "" {
				target += "&token=" + c.query
			}
			if c.form != "" {
				form += "&token=" + c.form
			}
			if c.multipart {
				form, kind = part+c.form+"\r\n--b--\r\n", "multipart/form-data; boundary=b"
			}
			headers := []string{"Content-Type", kind}
			for name, value := range map[string]string{"X-Esri-Authorization": c.esri, "Authorization": c.standard} {
				if value != "" {
					headers = append(headers, name, value)
				}
			}
			got := s.raw(http.MethodPost, target, form, headers...)
			got.t = t
			if c.status != 0 {
				got.refused(c.status, "oken")
				return
			}
			got.has("status", "success")
		})
	}
}

func TestThreeAuthorizationHeadersStartOneRun(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "")
	token := "Bearer " + s.generateToken("referer", "referer")
	before := s.raw(http.MethodGet, s.server.URL()+"/jobs?f=json", "", "Authorization", token).length("jobs")
	form := "suiteIds=BSHC-001&runName=once&async=True&f=json"
	got := s.raw(http.MethodPost, s.server.URL()+"/healthCheck/run?f=json", form,
		"Authorization", "Basic YTpi", "Authorization", token, "X-Esri-Authorization", token)
	if got.text("jobid") == "" {
		t.Errorf("the run: %s", got.body)
	}
	if after := s.raw(http.MethodGet, s.server.URL()+"/jobs?f=json", "", "Authorization", token).length("jobs"); after != before+1 {
		t.Errorf("%d jobs, want %d", after, before+1)
	}
}

func TestAFlagIsReadInAnyCase(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "operator")
	for value, on := range map[string]bool{"True": true, "FALSE": false, "true": true, "False": false} {
		s.post("/mode/update", "isReadOnly", value).has("status", "success")
		s.isReadOnly(on)
	}
	for _, value := range []string{"1", "yes", "T", "true "} {
		s.post("/mode/update", "isReadOnly", value).refused(400, "true, false")
	}
}

func TestTheBodyOfAGetCounts(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "")
	token := s.generateToken("client", "requestip")
	reports := s.server.URL() + "/healthCheck/reports/query"
	s.raw(http.MethodGet, reports, "f=json&num=2&token="+token).has("num", 2)
	// Where body and query disagree, the body counts; a body that is no form is not read.
	s.raw(http.MethodGet, reports+"?num=3&f=json&token=bad", "num=2&token="+token).has("num", 2)
	s.raw(http.MethodGet, reports+"?num=3&f=json&token="+token, `{"num":2}`, "Content-Type", "application/json").has("num", 3)
	s.raw(http.MethodGet, reports+"?f=json&num=3&token="+token, "num=%zz").refused(400, "cannot be read")
}
