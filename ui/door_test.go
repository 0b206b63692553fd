package ui_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator"
	"geodeck/ui"
	"geodeck/ui/uitest"
)

// answering is a site that has one answer to everything.
type answering struct {
	status int
	body   string
}

func (a answering) RoundTrip(*http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	w.WriteHeader(a.status)
	_, _ = w.WriteString(a.body)
	return w.Result(), nil
}

// withoutToken opens the dashboard on whatever answers through the transport.
func withoutToken(t *testing.T, line http.RoundTripper) *driver {
	t.Helper()
	clock := simulator.NewSteppedClock(uitest.Start)
	client, err := adminapi.New(adminapi.Config{Base: "https://gis.example.org/geodeck/admin", Clock: clock, Transport: line})
	if err != nil {
		t.Fatal(err)
	}
	_, maker := fake("alpha", "Alpha")
	return start(t, ui.Options{Site: operation.Site{Client: client, Clock: clock}, Clock: clock}, 120, 40, maker)
}

func TestNoPasswordIsAskedForWhereNoPlatformAnswers(t *testing.T) {
	gone := &away{}
	gone.gone.Store(true)
	for name, c := range map[string]struct {
		line         http.RoundTripper
		says, advice string
	}{
		"nothing answers":       {gone, "no route to host", "Check the address, the network"},
		"a page of a portal":    {answering{200, "<html><title>Welcome</title></html>"}, "web page", "administrative root"},
		"nothing at that place": {answering{404, ""}, "Not Found", "administrative root"},
	} {
		t.Run(name, func(t *testing.T) {
			d := withoutToken(t, c.line)
			d.see("error: ")
			d.see("not signed in")
			d.keys("!")
			d.see(c.says)
			d.see(c.advice)
			if strings.Contains(d.model.View(), "Sign in to") {
				t.Errorf("a sign-in is asked for\n%s", d.model.View())
			}
		})
	}
}

func TestASiteThatTellsItsVersionToEverybodyAsksForASignIn(t *testing.T) {
	d := withoutToken(t, answering{200, `{"fullVersion":"11.5.0.6745","currentVersion":"11.5"}`})
	d.see("Sign in to gis.example.org")
	d.see("11.5.0.6745")
	d.see("not signed in")
}

func TestARefusedTokenIsNoSignIn(t *testing.T) {
	site := uitest.NewSite(t, simulator.Scenario{})
	client, err := adminapi.New(adminapi.Config{Base: site.Server.URL(), Clock: site.Steps, Transport: transport(t), Token: adminapi.Token{Value: "old"}})
	if err != nil {
		t.Fatal(err)
	}
	_, maker := fake("alpha", "Alpha")
	d := start(t, ui.Options{Site: operation.Site{Client: client, Clock: site.Steps}, Clock: site.Steps}, 80, 24, maker)
	d.see("Sign in to")
	d.see("not signed in")
	d.keys("esc")
	d.see("this is alpha")
	d.see("not signed in")
}
