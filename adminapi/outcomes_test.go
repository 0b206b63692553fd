package adminapi_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator/simtest"
)

var aRun = adminapi.HealthRun{SuiteIDs: []string{"BSHC-001"}, Name: "nightly"}

// roundTripper is a caller's own transport of a type that nobody knows.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// transports are the ways in which a write can leave.
func transports(t *testing.T) map[string]func(*adminapi.Config) {
	own, wrapped := &http.Transport{}, &http.Transport{}
	t.Cleanup(own.CloseIdleConnections)
	t.Cleanup(wrapped.CloseIdleConnections)
	return map[string]func(*adminapi.Config){
		"built in": func(*adminapi.Config) {},
		"caller's": func(c *adminapi.Config) { c.Transport = own },
		"caller's, own type": func(c *adminapi.Config) {
			c.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
				if r.GetBody != nil {
					t.Error("a transport could send the body again")
				}
				return wrapped.RoundTrip(r)
			})
		},
	}
}

// otherProtocol is the answer of a server that goes on in another protocol.
const otherProtocol = "HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"

// A write arrives once at the most, whatever the server does, and its outcome
// is only as good as the evidence.
func TestAHealthRunIsSentOnceAndItsOutcomeFollowsFromTheAnswer(t *testing.T) {
	t.Parallel()
	const page = "<html><head><title>Bad\nGateway</title></head></html>"
	cases := []evidence{
		{"accepted", reply(200, `{"jobid":"j1","status":"SUBMITTED"}`), adminapi.OutcomeDone, 0, "j1"},
		{"a job that is a step", reply(200, `{"jobid":"..","status":"SUBMITTED"}`), adminapi.OutcomeUnknown, adminapi.KindServer, ""},
		{"accepted with 202", reply(202, `{"jobID":"j1","jobStatus":"SUBMITTED"}`), adminapi.OutcomeDone, 0, "j1"},
		{"report at once", reply(200, `{"statusURL":"/ctx/admin/healthCheck/reports/abc"}`), adminapi.OutcomeDone, 0, ""},
		{"closed before the headers", breakOff(""), adminapi.OutcomeUnknown, adminapi.KindUnreachable, ""},
		{"closed within the headers", breakOff("HTTP/1.1 200 OK\r\nContent-"), adminapi.OutcomeUnknown, adminapi.KindUnreachable, ""},
		{"closed after the headers", breakOff("HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n"), adminapi.OutcomeUnknown, adminapi.KindUnreachable, ""},
		{"closed in mid-body", breakOff("HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{\"jobid\":\"j1\""), adminapi.OutcomeUnknown, adminapi.KindUnreachable, ""},
		{"closed in mid-body without a length", breakOff("HTTP/1.0 200 OK\r\n\r\n{\"jobid\":\"j1\""), adminapi.OutcomeUnknown, adminapi.KindNotJSON, ""},
		{"not HTTP", breakOff("SSH-2.0-OpenSSH_9.7\r\n\r\n"), adminapi.OutcomeUnknown, adminapi.KindUnreachable, ""},
		{"never answered", keepSilent, adminapi.OutcomeUnknown, adminapi.KindUnreachable, ""},
		{"empty answer", reply(200, ""), adminapi.OutcomeUnknown, adminapi.KindNotJSON, ""},
		{"page with 200", reply(200, page), adminapi.OutcomeUnknown, adminapi.KindNotJSON, ""},
		{"half a JSON text", reply(200, `{"jobid":"j1",`), adminapi.OutcomeUnknown, adminapi.KindNotJSON, ""},
		{"JSON of another shape", reply(200, `{"jobs":[]}`), adminapi.OutcomeUnknown, adminapi.KindNotJSON, ""},
		{"a list", reply(200, `["j1"]`), adminapi.OutcomeUnknown, adminapi.KindNotJSON, ""},
		{"a job and an error", reply(200, `{"jobid":"j1","status":"SUBMITTED","error":{"code":500}}`), adminapi.OutcomeUnknown, adminapi.KindNotJSON, ""},
		{"redirected", breakOff("HTTP/1.1 307 X\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"), adminapi.OutcomeUnknown, adminapi.KindNotJSON, ""},
		{"500 without a word of the platform", reply(500, "oops"), adminapi.OutcomeUnknown, adminapi.KindServer, ""},
		{"502 page", reply(502, page), adminapi.OutcomeUnknown, adminapi.KindNotJSON, ""},
		{"502 in the platform's form", reply(502, recorded(t, "error_400_portal")), adminapi.OutcomeUnknown, adminapi.KindInvalid, ""},
		{"503", reply(503, ""), adminapi.OutcomeUnknown, adminapi.KindServer, ""},
		{"504", reply(504, ""), adminapi.OutcomeUnknown, adminapi.KindServer, ""},
		{"500 in the platform's form", reply(500, recorded(t, "error_500_SIBLING_server_admin_start")), adminapi.OutcomeUnknown, adminapi.KindServer, ""},
		{"500 within a 200", reply(200, recorded(t, "error_500_SIBLING_server_admin_start")), adminapi.OutcomeUnknown, adminapi.KindServer, ""},
		{"504 within a 200", reply(200, `{"error":{"code":504,"message":"Timed out; the run is in progress","details":[]}}`), adminapi.OutcomeUnknown, adminapi.KindBusy, ""},
		{"an error without a code", reply(200, `{"status":"error","messages":["It went wrong."]}`), adminapi.OutcomeUnknown, adminapi.KindServer, ""},
		{"408", reply(408, ""), adminapi.OutcomeUnknown, adminapi.KindInvalid, ""},
		{"429", reply(429, ""), adminapi.OutcomeUnknown, adminapi.KindBusy, ""},
		{"429 within a 200", reply(200, `{"error":{"code":429,"message":"Too many requests","details":[]}}`), adminapi.OutcomeUnknown, adminapi.KindBusy, ""},
		{"500 around a 400", reply(500, recorded(t, "error_400_portal")), adminapi.OutcomeRefused, adminapi.KindInvalid, ""},
		{"400 around a 500", reply(400, recorded(t, "error_500_SIBLING_server_admin_start")), adminapi.OutcomeUnknown, adminapi.KindServer, ""},
		{"500 in words of read-only mode", reply(200, `{"error":{"code":500,"message":"The site is in read-only mode.","details":[]}}`), adminapi.OutcomeUnknown, adminapi.KindReadOnly, ""},
		{"words of read-only mode without a code", reply(200, `{"status":"error","messages":["The site is in read-only mode."]}`), adminapi.OutcomeRefused, adminapi.KindReadOnly, ""},
		{"words of something that runs without a code", reply(200, `{"status":"error","messages":["Another operation is in progress."]}`), adminapi.OutcomeRefused, adminapi.KindBusy, ""},
		{"words of read-only mode in the details alone", reply(200, `{"status":"error","messages":["It went wrong.","read-only"]}`), adminapi.OutcomeUnknown, adminapi.KindReadOnly, ""},
		{"500 in words of something that runs", reply(200, `{"error":{"code":500,"message":"Another operation is in progress.","details":[]}}`), adminapi.OutcomeUnknown, adminapi.KindBusy, ""},
		{"408 within a 200, in words of something that runs", reply(200, `{"error":{"code":408,"message":"Timed out; the run is in progress","details":[]}}`), adminapi.OutcomeUnknown, adminapi.KindBusy, ""},
		{"500 around a code alone", reply(500, `{"code":403}`), adminapi.OutcomeRefused, adminapi.KindPrivilege, ""},
		{"500 around messages alone", reply(500, `{"messages":["The site is in read-only mode."]}`), adminapi.OutcomeUnknown, adminapi.KindReadOnly, ""},
		{"401 around a 500", reply(401, recorded(t, "error_500_SIBLING_server_admin_start")), adminapi.OutcomeUnknown, adminapi.KindSignIn, ""},
		{"another protocol", breakOff(otherProtocol), adminapi.OutcomeUnknown, adminapi.KindServer, ""},
		{"no token, by its messageCode", reply(200, `{"error":{"code":500,"messageCode":"GWM_0003","message":"Token required","details":[]}}`), adminapi.OutcomeRefused, adminapi.KindSignIn, ""},
		{"read-only mode, from a gateway", reply(503, `{"error":{"code":503,"message":"The site is in read-only mode.","details":[]}}`), adminapi.OutcomeUnknown, adminapi.KindReadOnly, ""},
		{"405", reply(405, ""), adminapi.OutcomeRefused, adminapi.KindInvalid, ""},
		{"409", reply(409, ""), adminapi.OutcomeRefused, adminapi.KindBusy, ""},
		{"413", reply(413, ""), adminapi.OutcomeRefused, adminapi.KindTooLarge, ""},
		{"415", reply(415, ""), adminapi.OutcomeRefused, adminapi.KindInvalid, ""},
		{"no privilege within a 200", reply(200, recorded(t, "error_403_portal")), adminapi.OutcomeRefused, adminapi.KindPrivilege, ""},
		{"token refused", reply(200, recorded(t, "error_498_portal")), adminapi.OutcomeRefused, adminapi.KindSignIn, ""},
		{"bare 403", reply(403, ""), adminapi.OutcomeRefused, adminapi.KindPrivilege, ""},
		{"400 page", reply(400, page), adminapi.OutcomeRefused, adminapi.KindNotJSON, ""},
		{"401 page", reply(401, page), adminapi.OutcomeRefused, adminapi.KindSignIn, ""},
	}
	wantOutcomes(t, cases, func(ctx context.Context, c *adminapi.Client) (string, adminapi.Outcome, error) {
		accepted, outcome, err := c.Health.Start(ctx, aRun)
		return accepted.JobID, outcome, err
	})
}

// The server drops a kept connection at the moment of the write: a transport
// that may repeat by itself would send it twice here.
func TestAReusedConnectionThatIsClosedPostsAWriteOnce(t *testing.T) {
	t.Parallel()
	for via, transport := range transports(t) {
		t.Run(via, func(t *testing.T) {
			s := rawServe(t, func(x exchange) bool {
				if x.nth > 1 {
					return false
				}
				x.reply(200, `{"jobs":[],"jobid":"j1","status":"SUBMITTED"}`)
				return true
			})
			client := newClient(t, s.base(), transport)
			if _, err := client.Jobs.IDs(t.Context()); err != nil {
				t.Fatal(err)
			}
			for i := range int32(2) {
				_, outcome, err := client.Health.Start(t.Context(), aRun)
				want := adminapi.OutcomeDone // on a connection of its own
				if via == "caller's, own type" && i == 0 {
					want = adminapi.OutcomeUnknown
				}
				if outcome != want {
					t.Errorf("outcome %v (%v), want %v", outcome, err, want)
				}
				if n := s.posts.Load(); n != i+1 {
					t.Errorf("%d requests arrived, want %d", n, i+1)
				}
			}
		})
	}
}

// HTTP/2 has streams that break and connections that are ended on top.
func TestAReusedHTTP2ConnectionThatBreaksPostsAWriteOnce(t *testing.T) {
	t.Parallel()
	var posts atomic.Int32
	s, ca := serveTLS(t, func(s *httptest.Server) {
		s.EnableHTTP2 = true
		answer := s.Config.Handler
		s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ProtoMajor != 2 {
				t.Errorf("it came by %s", r.Proto)
			}
			if r.Method == http.MethodPost {
				_, _ = io.Copy(io.Discard, r.Body)
				if posts.Add(1)%2 == 1 {
					panic(http.ErrAbortHandler) // resets the stream
				}
				w.Header().Set("Connection", "close") // ends the connection after the answer
			}
			answer.ServeHTTP(w, r)
		})
	})
	c := newClient(t, s.URL, withTLS(t, adminapi.TLS{CA: ca}))
	for n, want := range []adminapi.Outcome{adminapi.OutcomeUnknown, adminapi.OutcomeDone, adminapi.OutcomeUnknown, adminapi.OutcomeDone} {
		if _, err := c.Jobs.IDs(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, outcome, err := c.Health.Start(t.Context(), aRun); outcome != want || posts.Load() != int32(n+1) {
			t.Errorf("outcome %v (%v), want %v; %d requests arrived, want %d", outcome, err, want, posts.Load(), n+1)
		}
	}
}

func TestARefusedConnectionOrAFailedHandshakeSendsNoWrite(t *testing.T) {
	t.Parallel()
	closed, release, err := simtest.ClosedPort()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	secure, _ := serveTLS(t, func(*httptest.Server) {})
	noName := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.DNSError{Err: "no such host", Name: "gis.example", IsNotFound: true}
	}}
	cases := []struct {
		name, base, says string
		transport        http.RoundTripper
	}{
		{"refused", "http://" + closed + "/admin", "refused", nil},
		{"refused, own type of transport", "http://" + closed + "/admin", "refused", roundTripper((&http.Transport{}).RoundTrip)},
		{"certificate not trusted", secure.URL + "/admin", "--ca FILE", nil},
		{"name not known", "https://gis.example/admin", "gis.example is unknown", noName},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			client := newClient(t, c.base, func(cfg *adminapi.Config) { cfg.Transport = c.transport })
			for what, write := range map[string]func() (adminapi.Outcome, error){
				"before the version is known": func() (adminapi.Outcome, error) {
					_, outcome, err := client.Health.Start(t.Context(), aRun)
					return outcome, err
				},
				"itself": func() (adminapi.Outcome, error) { return client.Health.Delete(t.Context(), "a") }, // needs no version
			} {
				outcome, err := write()
				e := wantKind(t, err, adminapi.KindUnreachable)
				if outcome != adminapi.OutcomeNotSent || !strings.Contains(e.Error(), c.says) {
					t.Errorf("%s: outcome %v, %v", what, outcome, err)
				}
			}
		})
	}
}

// A record of TLS that breaks after the request was read says as little of the write as a connection that ends.
func TestAWriteWhoseAnswerBreaksTheEncryptionIsOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	const alert = "\x15\x03\x03\x00\x02\x02\x28" // a handshake failure, in plain
	for name, answer := range map[string]string{"a plain alert": alert, "plain text": "HTTP/1.1 200 OK\r\n\r\n", "a record of noise": "\x17\x03\x03\x00\x20" + strings.Repeat("x", 32)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var posts atomic.Int32
			s, ca := serveTLS(t, func(s *httptest.Server) {
				reads := s.Config.Handler
				s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method != http.MethodPost {
						reads.ServeHTTP(w, r)
						return
					}
					_, _ = io.Copy(io.Discard, r.Body)
					posts.Add(1)
					conn, _, err := http.NewResponseController(w).Hijack()
					if err != nil {
						t.Error(err)
						return
					}
					defer conn.Close()
					_, _ = io.WriteString(conn.(*tls.Conn).NetConn(), answer)
				})
			})
			_, outcome, err := newClient(t, s.URL, withTLS(t, adminapi.TLS{CA: ca})).Health.Start(t.Context(), aRun)
			if wantKind(t, err, adminapi.KindUnreachable); outcome != adminapi.OutcomeUnknown || posts.Load() != 1 {
				t.Errorf("outcome %v (%v), %d requests arrived", outcome, err, posts.Load())
			}
		})
	}
}

func TestATransportWithoutTracesLeavesTheOutcomeUnknown(t *testing.T) {
	t.Parallel()
	silent := roundTripper(func(*http.Request) (*http.Response, error) { return nil, errors.New("something broke") })
	outcome, err := newClient(t, "https://gis.example", func(c *adminapi.Config) { c.Transport = silent }).Health.Delete(t.Context(), "a")
	if e := wantKind(t, err, adminapi.KindUnreachable); !strings.Contains(e.Error(), "something broke") {
		t.Error(e)
	}
	check(t, "outcome", outcome, adminapi.OutcomeUnknown, nil)
}

// overdue is a context whose deadline passes when done is closed.
type overdue struct {
	context.Context
	done <-chan struct{}
}

func (o overdue) Done() <-chan struct{} { return o.done }

func (o overdue) Err() error {
	select {
	case <-o.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func TestCancellingAWrite(t *testing.T) {
	t.Parallel()
	t.Run("before it is sent", func(t *testing.T) {
		s := rawServe(t, func(exchange) bool { return false })
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, outcome, err := newClient(t, s.base()).Health.Start(ctx, aRun)
		wantKind(t, err, adminapi.KindCancelled)
		if outcome != adminapi.OutcomeNotSent || !errors.Is(err, context.Canceled) || s.posts.Load() != 0 {
			t.Errorf("outcome %v, %v, %d arrived", outcome, err, s.posts.Load())
		}
	})
	t.Run("after it has arrived", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := rawServe(t, func(x exchange) bool { cancel(); <-x.done; return false })
		_, outcome, err := newClient(t, s.base()).Health.Start(ctx, aRun)
		wantKind(t, err, adminapi.KindCancelled)
		if outcome != adminapi.OutcomeUnknown || !errors.Is(err, context.Canceled) {
			t.Errorf("outcome %v, %v", outcome, err)
		}
	})
	t.Run("the caller's time runs out", func(t *testing.T) {
		s := rawServe(t, keepSilent)
		_, outcome, err := newClient(t, s.base()).Health.Start(overdue{t.Context(), s.arrived}, aRun)
		wantKind(t, err, adminapi.KindUnreachable)
		if outcome != adminapi.OutcomeUnknown || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("outcome %v, %v", outcome, err)
		}
	})
}

// A site answers the deletion of one report with nothing, and so does what stands between: it says nothing of the outcome.
func TestAnEmptyAnswerLeavesADeletionOpen(t *testing.T) {
	t.Parallel()
	empty := rawServe(t, func(x exchange) bool { x.reply(200, ""); return true })
	cut := rawServe(t, breakOff("HTTP/1.0 200 OK\r\n\r\n"))
	packedCut := rawServe(t, breakOff("HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n"))
	other := rawServe(t, breakOff(otherProtocol))
	cases := []struct {
		name  string
		site  *rawSite
		ids   []string
		empty bool
	}{
		{"one", empty, []string{"a"}, true},
		{"two", empty, []string{"a", "b"}, false},
		{"one, the answer may be cut off", cut, []string{"a"}, true},
		{"one, the answer may be cut off before it is unpacked", packedCut, []string{"a"}, true},
		{"one, another protocol", other, []string{"a"}, false},
		{"one, but it says something else", rawServe(t, reply(200, `{"jobs":[]}`)), []string{"a"}, false},
	}
	for _, c := range cases {
		outcome, err := newClient(t, c.site.base()).Health.Delete(t.Context(), c.ids...)
		if outcome != adminapi.OutcomeUnknown || adminapi.IsAnswer(err) || errors.Is(err, adminapi.ErrEmptyAnswer) != c.empty {
			t.Errorf("%s: outcome %v (%v)", c.name, outcome, err)
		}
	}
}

func TestInvalidRunsAndIDsAreNotSent(t *testing.T) {
	t.Parallel()
	s := rawServe(t, func(exchange) bool { return false })
	c := newClient(t, s.base())
	runs := []adminapi.HealthRun{
		{Name: "n"}, {SuiteIDs: []string{"a"}}, {SuiteIDs: []string{"a"}, Name: " \t"}, {SuiteIDs: []string{"a"}, Name: "a\x1b[2J"},
		{SuiteIDs: []string{""}, Name: "n"}, {SuiteIDs: []string{"a,b"}, Name: "n"}, {SuiteIDs: []string{"a\n"}, Name: "n"},
	}
	for _, run := range runs {
		_, outcome, err := c.Health.Start(t.Context(), run)
		wantKind(t, err, adminapi.KindInvalid)
		if outcome != adminapi.OutcomeNotSent {
			t.Errorf("%q: %v", run, outcome)
		}
	}
	for _, id := range []string{"", ".", "..", "a\x00b", "a\u0085", "\xff", strings.Repeat("x", 1<<20)} {
		_, err := c.Jobs.Get(t.Context(), id)
		wantKind(t, err, adminapi.KindInvalid)
		_, err = c.Services.Definition(t.Context(), adminapi.ServiceRef{Folder: id, Name: id, Type: id})
		wantKind(t, err, adminapi.KindInvalid)
		outcome, err := c.Health.Delete(t.Context(), id)
		wantKind(t, err, adminapi.KindInvalid)
		if outcome != adminapi.OutcomeNotSent {
			t.Errorf("delete %q: %v", fmt.Sprintf("%.20q", id), outcome)
		}
	}
	if n := s.posts.Load(); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
}

func TestReportsAreDeletedByTheirIDsInOneRequest(t *testing.T) {
	t.Parallel()
	var sent []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		sent = append(sent, r.URL.EscapedPath()+" "+r.PostForm.Get("runIds"))
		says(200, `{"success":true}`)(w, r)
	})
	c := s.client(t)
	for _, ids := range [][]string{{"a"}, {"a", "b/c", "d"}} {
		outcome, err := c.Health.Delete(t.Context(), ids...)
		check(t, "outcome", outcome, adminapi.OutcomeDone, err)
	}
	check(t, "requests", sent, []string{"/ctx/admin/healthCheck/reports/a/delete ", "/ctx/admin/healthCheck/reports/delete a,b/c,d"}, nil)
}
