package simulator_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestALostAnswerToAnUpgradeIsLostInItsWay(t *testing.T) {
	for name, c := range map[string]struct {
		status   int
		readable string // of the body
		begun    bool
	}{
		"before-headers": {0, "", true},
		"after-headers":  {200, "", true},
		"mid-body":       {200, `{`, true},
		"silent":         {0, "", true},
		"502":            {502, "<html>", true},
		"not-performed":  {0, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, builtIn(t, "answer-lost-"+name))
			s.signIn("admin")
			status, body, err := s.lost(newForm(t, "versionManifest", named(patch6805), "upgradeSettings", "{}"))
			if status != c.status || !strings.HasPrefix(body, c.readable) || err == nil && status != 502 {
				t.Errorf("HTTP %d, %q, %v", status, body, err)
			}
			want := "no_upgrade"
			if c.begun {
				want = "in_progress"
			}
			if state, _ := s.log(); state != want {
				t.Errorf("afterwards %s, want %s", state, want)
			}
			if !c.begun {
				started(t, s.upgradeTo(patch6805, "{}"))
			}
		})
	}
}

// lost posts an upgrade and waits for its answer until nothing more comes.
func (s *site) lost(f *form) (status int, body string, err error) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	r := s.request("/system/upgrades/upgrade", f).WithContext(ctx)
	r.Close = true
	if strings.Contains(s.t.Name(), "silent") {
		go func() {
			for s.stateQuietly(ctx) == "no_upgrade" { // until the work is done
			}
			cancel()
		}()
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text), err
}

// stateQuietly reads the state of upgrades from beside the test.
func (s *site) stateQuietly(ctx context.Context) string {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.server.URL()+"/system/upgrades?f=json", nil)
	if err != nil {
		return err.Error()
	}
	r.Header.Set("Referer", referer)
	r.Header.Set("Authorization", "Bearer "+s.token)
	answer, err := s.client.Do(r)
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	if strings.Contains(string(text), "no_upgrade") {
		return "no_upgrade"
	}
	return "begun"
}
