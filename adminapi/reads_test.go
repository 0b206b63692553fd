package adminapi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/secrets"
)

func TestAReadIsRetriedThreeTimesWithGrowingPauses(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name     string
		status   int // 0: the connection breaks
		failures int32
		requests int32
		good     bool
	}{
		{"502 once", 502, 1, 2, true},
		{"503 three times", 503, 3, 4, true},
		{"504 for good", 504, 99, 4, false},
		{"broken connections", 0, 2, 3, true},
		{"500 is an answer", 500, 99, 1, false},
		{"404 is an answer", 404, 99, 1, false},
		{"429 is an answer", 429, 99, 1, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var requests atomic.Int32
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				switch n := requests.Add(1); {
				case n > c.failures:
					says(http.StatusOK, `{"jobs":[]}`)(w, r)
				case c.status == 0:
					panic(http.ErrAbortHandler)
				default:
					w.WriteHeader(c.status)
				}
			})
			_, err := s.client(t).Jobs.IDs(t.Context())
			if (err == nil) != c.good || requests.Load() != c.requests {
				t.Errorf("%v after %d requests, want %d", err, requests.Load(), c.requests)
			}
			pauses := s.clock.pauses
			if len(pauses) != int(c.requests)-1 {
				t.Fatalf("%d pauses: %v", len(pauses), pauses)
			}
			for i, pause := range pauses {
				if least := 200 * time.Millisecond << i; pause < least || pause > 3*least+time.Millisecond {
					t.Errorf("pause %d is %v", i, pause)
				}
			}
		})
	}
}

func TestARequestThatTimedOutIsNotRetried(t *testing.T) {
	t.Parallel()
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	_, err := s.client(t, func(c *adminapi.Config) { c.Timeout = 30 * time.Millisecond }).Jobs.IDs(t.Context())
	e := wantKind(t, err, adminapi.KindUnreachable)
	if e.Message != "no answer within 30 ms" || !errors.Is(err, context.DeadlineExceeded) || len(s.clock.pauses) != 0 {
		t.Errorf("%v after %d pauses", err, len(s.clock.pauses))
	}
}

func TestCancellingEndsTheRetries(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { cancel(); w.WriteHeader(http.StatusBadGateway) })
	_, err := s.client(t).Jobs.IDs(ctx)
	wantKind(t, err, adminapi.KindCancelled)
}

func TestAResourceThatRefusesGETIsReadByPOST(t *testing.T) {
	t.Parallel()
	var methods []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		methods = append(methods, r.Method)
		if r.Method == http.MethodGet {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		if r.PostFormValue("token") != canary || r.PostFormValue("f") != "json" || r.URL.RawQuery != "" {
			t.Errorf("form %v, query %q", r.PostForm, r.URL.RawQuery)
		}
		says(http.StatusOK, recorded(t, "upgrades_resource_success_PARTIAL"))(w, r)
	})
	status, err := s.client(t, func(c *adminapi.Config) { c.ReadOnly = true }).Upgrades.Status(t.Context())
	check(t, "status", status.State, adminapi.UpgradeSuccess, err)
	check(t, "methods", methods, []string{"GET", "POST"}, nil)
}

// tokens serves a site that takes one token only.
func tokens(t *testing.T, good string, seen *[]string) *site {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		token := r.Header.Get("Authorization")
		if r.Method == http.MethodPost {
			token = "Bearer " + r.PostFormValue("token")
		}
		*seen = append(*seen, token)
		if token != "Bearer "+good {
			says(http.StatusOK, recorded(t, "error_498_portal"))(w, r)
			return
		}
		says(http.StatusOK, `{"jobs":[],"jobid":"j1","status":"SUBMITTED"}`)(w, r)
	})
}

func TestARefusedTokenIsRenewedOnce(t *testing.T) {
	t.Parallel()
	renewal := func(value secrets.Secret, asked *int) func(*adminapi.Config) {
		return func(c *adminapi.Config) {
			c.Renew = func(context.Context, secrets.Secret) (adminapi.Token, error) {
				*asked++
				return adminapi.Token{Value: value + "\n"}, nil
			}
		}
	}
	t.Run("a read is repeated with the new one", func(t *testing.T) {
		var seen []string
		asked := 0
		c := tokens(t, "fresh-token", &seen).client(t, renewal("fresh-token", &asked))
		_, err := c.Jobs.IDs(t.Context())
		check(t, "tokens", seen, []string{"Bearer " + canary, "Bearer fresh-token"}, err)
		check(t, "asked", asked, 1, nil)
	})
	t.Run("not where somebody has set another one meanwhile", func(t *testing.T) {
		var c *adminapi.Client
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "Bearer fresh-token" {
				says(http.StatusOK, `{"jobs":[]}`)(w, r)
				return
			}
			c.Session.SetToken(adminapi.Token{Value: "fresh-token"})
			says(http.StatusOK, recorded(t, "error_498_portal"))(w, r)
		})
		asked := 0
		c = s.client(t, renewal("other-token", &asked))
		_, err := c.Jobs.IDs(t.Context())
		check(t, "asked", asked, 0, err)
	})
	t.Run("not where it is the same", func(t *testing.T) {
		var seen []string
		asked := 0
		_, err := tokens(t, "fresh-token", &seen).client(t, renewal(canary, &asked)).Jobs.IDs(t.Context())
		wantKind(t, err, adminapi.KindSignIn)
		check(t, "requests and renewals", []int{len(seen), asked}, []int{1, 1}, nil)
	})
	t.Run("not for ever", func(t *testing.T) {
		var seen []string
		asked := 0
		_, err := tokens(t, "fresh-token", &seen).client(t, renewal("wrong-token", &asked)).Jobs.IDs(t.Context())
		wantKind(t, err, adminapi.KindSignIn)
		check(t, "requests and renewals", []int{len(seen), asked}, []int{2, 1}, nil)
	})
	t.Run("a write is not sent again, the next request has the new one", func(t *testing.T) {
		var seen []string
		asked := 0
		c := tokens(t, "fresh-token", &seen).client(t, renewal("fresh-token", &asked))
		_, outcome, err := c.Health.Start(t.Context(), aRun)
		wantKind(t, err, adminapi.KindSignIn)
		check(t, "outcome", outcome, adminapi.OutcomeRefused, nil)
		_, outcome, err = c.Health.Start(t.Context(), aRun)
		check(t, "outcome", outcome, adminapi.OutcomeDone, err)
		check(t, "tokens", seen, []string{"Bearer " + canary, "Bearer fresh-token"}, nil)
	})
}

func TestAnInvalidTokenIsNotSent(t *testing.T) {
	t.Parallel()
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s arrived", r.URL) })
	c := s.client(t)
	for _, token := range []secrets.Secret{"two\nlines", "a tokén", "a-to\x7fken"} {
		c.Session.SetToken(adminapi.Token{Value: token})
		_, err := c.Jobs.IDs(t.Context())
		wantKind(t, err, adminapi.KindSignIn)
		_, outcome, err := c.Health.Start(t.Context(), aRun)
		wantKind(t, err, adminapi.KindSignIn)
		check(t, "outcome", outcome, adminapi.OutcomeNotSent, nil)
	}
}

func TestSigningIn(t *testing.T) {
	t.Parallel()
	var forms []map[string][]string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		forms = append(forms, mustForm(t, string(body)))
		if r.Method != http.MethodPost || r.URL.RawQuery != "" || r.URL.Path != "/ctx/sharing/rest/generateToken" || r.Header.Get("Authorization") != "" {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		if forms[len(forms)-1]["password"][0] != "right" {
			says(200, `{"error":{"code":400,"message":"Unable to generate token.","details":["Invalid username or password."]}}`)(w, r)
			return
		}
		says(200, `{"token":"given-token","expires":"1763700000000","ssl":true}`)(w, r)
	})
	c := s.client(t)
	_, err := c.Session.SignIn(t.Context(), "admin", "wrong", time.Hour)
	wantKind(t, err, adminapi.KindSignIn)
	token, err := c.Session.SignIn(t.Context(), "admin", "right", 90*time.Second)
	check(t, "expires", token.Expires, adminapi.Millis(1763700000000), err)
	check(t, "in use", c.Session.Token().Value.Reveal(), "given-token", nil)
	want := map[string][]string{
		"f": {"json"}, "username": {"admin"}, "password": {"right"}, "client": {"referer"}, "referer": {"geodeck"}, "expiration": {"2"},
	}
	check(t, "form", forms[1], want, nil)
}

func TestTheServersClockIsCompared(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", "Fri, 20 Nov 2026 12:03:00 GMT")
		says(200, `{"jobs":[]}`)(w, r)
	})
	c := s.client(t)
	if _, known := c.ServerTime(); known {
		t.Error("known before the first answer")
	}
	_, err := c.Jobs.IDs(t.Context())
	ahead, known := c.ServerTime()
	check(t, "ahead", ahead, 3*time.Minute, err)
	check(t, "known", known, true, nil)
}

// Somebody who waits for another request's renewal can still give up.
func TestWaitingForARenewalEndsWithTheContext(t *testing.T) {
	t.Parallel()
	refusal := []byte(recorded(t, "error_498_portal"))
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, "https://gis.example", func(c *adminapi.Config) {
			c.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
				if r.Header.Get("Authorization") == "Bearer fresh-token" {
					return fixed(200, []byte(`{"jobs":[]}`))(r)
				}
				return fixed(200, refusal)(r)
			})
			c.Renew = func(context.Context, secrets.Secret) (adminapi.Token, error) {
				time.Sleep(time.Hour)
				return adminapi.Token{Value: "fresh-token"}, nil
			}
		})
		first := make(chan error)
		go func() {
			_, err := c.Jobs.IDs(t.Context())
			first <- err
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := c.Mode(ctx)
		wantKind(t, err, adminapi.KindSignIn)
		if err := <-first; err != nil {
			t.Error(err)
		}
	})
}

// Whoever watches an upgrade, signs in or changes something waits behind no list.
func TestEightReadsAreUnderWayAtMostAndNoQueueOfThemHoldsUpAWatchOrAWrite(t *testing.T) {
	var now, most atomic.Int32
	hang, hung := make(chan struct{}), make(chan struct{}, 100)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		for before := most.Load(); n > before && !most.CompareAndSwap(before, n); before = most.Load() {
		}
		defer now.Add(-1)
		switch path.Base(r.URL.Path) {
		case "jobs":
			hung <- struct{}{}
			<-hang
			says(http.StatusOK, `{"jobs":[]}`)(w, r)
		case "generateToken":
			says(http.StatusOK, `{"token":"t2","expires":0}`)(w, r)
		case "upgrades":
			says(http.StatusOK, `{"status":{"state":"in_progress","messages":[]}}`)(w, r)
		default:
			says(http.StatusOK, `{"status":"success"}`)(w, r)
		}
	})
	client := s.client(t)
	if _, err := client.Root(t.Context()); err != nil {
		t.Fatal(err)
	}
	var lists sync.WaitGroup
	for range 40 {
		lists.Go(func() {
			if _, err := client.Jobs.IDs(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	for range 7 {
		<-hung
	}
	if _, err := client.Upgrades.Status(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := client.Session.SignIn(t.Context(), "u", "p", 0); err != nil {
		t.Error(err)
	}
	stop := adminapi.SwitchService(adminapi.ServiceRef{Name: "Roads", Type: "MapServer"}, false, false)
	if _, outcome, err := client.Change(t.Context(), stop); outcome != adminapi.OutcomeDone {
		t.Error(outcome, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := client.Jobs.IDs(ended); !errors.Is(err, adminapi.KindCancelled) {
		t.Errorf("a read whose time is over waits on: %v", err)
	}
	close(hang)
	lists.Wait()
	if most.Load() != 8 {
		t.Errorf("%d reads were under way at a time", most.Load())
	}
}

// pausing cancels what waits for a pause.
type pausing struct {
	steppedClock
	cancel context.CancelFunc
}

func (c *pausing) Sleep(ctx context.Context, _ time.Duration) error {
	c.cancel()
	return ctx.Err()
}

func TestWhoGivesUpInAPauseIsToldWhyTheAttemptBeforeFailed(t *testing.T) {
	t.Parallel()
	asked := 0
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { asked++; says(503, `<html>`)(w, r) })
	ctx, cancel := context.WithCancel(t.Context())
	c := s.client(t, func(c *adminapi.Config) { c.Clock = &pausing{cancel: cancel} })
	_, err := c.Jobs.IDs(ctx)
	e := wantKind(t, err, adminapi.KindCancelled)
	if !errors.Is(err, context.Canceled) || e.Earlier == nil || e.Earlier.Status != 503 || e.Path == "" || e.Operation == "" || asked != 1 {
		t.Errorf("after %d requests: %+v", asked, e)
	}
}

func TestWhatGoesAwayByItselfIsNotAboutTheRequest(t *testing.T) {
	t.Parallel()
	passes := []adminapi.Kind{adminapi.KindUnreachable, adminapi.KindNotJSON, adminapi.KindServer, adminapi.KindBusy}
	for kind := adminapi.Kind(0); kind.String() != "unknown"; kind++ {
		err := fmt.Errorf("of a fetch: %w", &adminapi.Error{Kind: kind, Explicit: kind == adminapi.KindBusy})
		check(t, kind.String(), []bool{adminapi.IsTransient(err), adminapi.IsAnswer(err)}, []bool{slices.Contains(passes, kind), kind == adminapi.KindBusy}, nil)
	}
	other := errors.New("the disk is full")
	check(t, "another error", []bool{adminapi.IsTransient(other), adminapi.IsAnswer(other)}, []bool{false, false}, nil)
}

func TestAFolderIsReadAtItsNameAndTheRootAtNone(t *testing.T) {
	t.Parallel()
	var paths []string
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.EscapedPath())
		says(200, `{"folderName":"x","services":[]}`)(w, r)
	}).client(t)
	for _, name := range []string{"", "/", "My Maps", "a/b"} {
		if _, err := c.Services.Folder(t.Context(), name); err != nil {
			t.Error(err)
		}
	}
	check(t, "paths", paths, []string{"/ctx/admin/services", "/ctx/admin/services", "/ctx/admin/services/My%20Maps", "/ctx/admin/services/a%2Fb"}, nil)
}
