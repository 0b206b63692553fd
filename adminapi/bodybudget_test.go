package adminapi_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"geodeck/adminapi"
)

// reading is a transport that counts what is read of bodies, and holds the large ones up
// at a point until a test lets them go on.
type reading struct {
	http.RoundTripper
	came chan struct{} // gets one with each body that comes to the point
	goOn chan struct{} // closed to let them go on

	mu     sync.Mutex
	at     int  // bytes of a body
	passes bool // nobody waits there
	read   int  // bytes of all bodies
}

func (r *reading) RoundTrip(q *http.Request) (*http.Response, error) {
	resp, err := r.RoundTripper.RoundTrip(q)
	if err == nil {
		resp.Body = &readBody{ReadCloser: resp.Body, of: r}
	}
	return resp, err
}

type readBody struct {
	io.ReadCloser
	of   *reading
	read int
}

func (b *readBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	before := b.read
	b.read += n
	r := b.of
	r.mu.Lock()
	r.read += n
	there, passes := before < r.at && b.read >= r.at, r.passes
	r.mu.Unlock()
	if there {
		r.came <- struct{}{}
	}
	if there && !passes {
		<-r.goOn
	}
	return n, err
}

// largeAnswers serves texts of so many MiB between a head and a tail, of a length that is
// not told, and small lists of jobs.
func largeAnswers(t *testing.T, head string, size int, tail string, at int) (*adminapi.Client, *reading) {
	t.Helper()
	filling := strings.Repeat("x", 1<<20)
	s := serve(t, func(w http.ResponseWriter, q *http.Request) {
		if strings.HasSuffix(q.URL.Path, "/jobs") {
			says(http.StatusOK, `{"jobs":["a"]}`)(w, q)
			return
		}
		_, _ = io.WriteString(w, head)
		for range size {
			_, _ = io.WriteString(w, filling)
		}
		_, _ = io.WriteString(w, tail)
	})
	transport, err := adminapi.NewTransport(adminapi.TLS{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(transport.CloseIdleConnections)
	r := &reading{RoundTripper: transport, at: at, goOn: make(chan struct{}), came: make(chan struct{}, 100)}
	return s.client(t, func(c *adminapi.Config) { c.Transport = r }), r
}

var aService = adminapi.ServiceRef{Name: "a", Type: "MapServer"}

// Of 128 MiB, 1 MiB of each answer does not count. One of a length that is not told takes
// the room of the largest.
func TestConcurrentAnswersShareABudgetOfMemory(t *testing.T) {
	page := "<html>" + strings.Repeat("x", 30<<20) // is read like any answer, and not decoded
	for length, want := range map[int64]int{int64(len(page)): 4, -1: 2} {
		t.Run(fmt.Sprintf("length %d", length), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const answers = 5
				r := &reading{at: 2 << 20, goOn: make(chan struct{}), came: make(chan struct{}, answers)}
				r.RoundTripper = roundTripper(func(q *http.Request) (*http.Response, error) {
					resp, err := fixed(http.StatusOK, nil)(q)
					resp.Body, resp.ContentLength = io.NopCloser(strings.NewReader(page)), length
					return resp, err
				})
				client := newClient(t, "https://gis.example", func(c *adminapi.Config) { c.Transport = r })
				for range answers {
					go func() {
						_, err := client.Services.Definition(t.Context(), aService)
						if e := wantKind(t, err, adminapi.KindNotJSON); !strings.Contains(e.Message, "web page") {
							t.Error(e)
						}
					}()
				}
				synctest.Wait()
				check(t, "answers that are read at a time", len(r.came), want, nil)
				close(r.goOn)
				synctest.Wait()
				check(t, "bytes read", r.read, answers*len(page), nil)
			})
		})
	}
}

func TestASmallAnswerDoesNotWaitForLargeOnes(t *testing.T) {
	t.Parallel()
	client, r := largeAnswers(t, `{"serviceName":"a","description":"`, 3, `"}`, 2<<20)
	var large sync.WaitGroup
	for range 2 { // of a length that is not told: they take all the room
		large.Go(func() {
			if _, err := client.Services.Definition(t.Context(), aService); err != nil {
				t.Error(err)
			}
		})
	}
	<-r.came
	<-r.came
	for range 3 {
		if jobs, err := client.Jobs.IDs(t.Context()); err != nil || len(jobs) != 1 {
			t.Errorf("jobs %v, %v", jobs, err)
		}
	}
	// One more large one waits, and can be given up.
	ctx, cancel := context.WithCancel(t.Context())
	given := make(chan error, 1)
	r.mu.Lock()
	r.at, r.passes = 1<<20, true
	r.mu.Unlock()
	go func() {
		_, err := client.Services.Definition(ctx, aService)
		given <- err
	}()
	<-r.came
	cancel()
	wantKind(t, <-given, adminapi.KindCancelled)
	close(r.goOn)
	large.Wait()
	if _, err := client.Services.Definition(t.Context(), aService); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
