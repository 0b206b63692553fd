package adminapi_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"geodeck/adminapi"
)

// reading is a transport that counts what the bodies hold that are being read, and
// holds the large ones up at a point until a test lets them go on.
type reading struct {
	http.RoundTripper
	came chan struct{} // gets one with each body that comes to the point
	goOn chan struct{} // closed to let them go on

	mu     sync.Mutex
	at     int  // bytes of a body; 0 for none
	passes bool // nobody waits there
	held   int  // bytes of the bodies that are being read
	most   int  // of them at a time
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
	r.held += n
	r.read += n
	r.most = max(r.most, r.held)
	there, passes := r.at > 0 && before < r.at && b.read >= r.at, r.passes
	r.mu.Unlock()
	if there {
		r.came <- struct{}{}
	}
	if there && !passes {
		<-r.goOn
	}
	return n, err
}

func (b *readBody) Close() error {
	b.of.mu.Lock()
	b.of.held -= b.read
	b.read = 0
	b.of.mu.Unlock()
	return b.ReadCloser.Close()
}

// largeAnswers serves texts of so many MiB between a head and a tail, of a length that is
// told or not, and small lists of jobs.
func largeAnswers(t *testing.T, head string, size int, tail string, told bool, at int) (*adminapi.Client, *reading) {
	t.Helper()
	filling := strings.Repeat("x", 1<<20)
	s := serve(t, func(w http.ResponseWriter, q *http.Request) {
		if strings.HasSuffix(q.URL.Path, "/jobs") {
			says(http.StatusOK, `{"jobs":["a"]}`)(w, q)
			return
		}
		if told {
			w.Header().Set("Content-Length", fmt.Sprint(len(head)+size<<20+len(tail)))
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

func TestConcurrentAnswersShareABudgetOfMemory(t *testing.T) {
	for _, told := range []bool{true, false} {
		t.Run(fmt.Sprintf("length told %v", told), func(t *testing.T) {
			const answers, size, head, tail = 5, 30, "<html>", "</html>" // a page is read like any answer, and not decoded
			client, r := largeAnswers(t, head, size, tail, told, 0)
			var all sync.WaitGroup
			for range answers {
				all.Go(func() {
					_, err := client.ServiceDefinition(t.Context(), aService)
					if e := wantKind(t, err, adminapi.KindNotJSON); !strings.Contains(e.Message, "web page") {
						t.Error(e)
					}
				})
			}
			all.Wait()
			check(t, "bytes read", r.read, answers*(len(head)+size<<20+len(tail)), nil)
			if most := r.most >> 20; most > 128+answers+1 {
				t.Errorf("%d MiB were held at a time", most)
			}
		})
	}
}

func TestASmallAnswerDoesNotWaitForLargeOnes(t *testing.T) {
	t.Parallel()
	client, r := largeAnswers(t, `{"serviceName":"a","description":"`, 3, `"}`, false, 2<<20)
	var large sync.WaitGroup
	for range 2 { // of a length that is not told: they take all the room
		large.Go(func() {
			if _, err := client.ServiceDefinition(t.Context(), aService); err != nil {
				t.Error(err)
			}
		})
	}
	<-r.came
	<-r.came
	for range 3 {
		if jobs, err := client.JobIDs(t.Context()); err != nil || len(jobs) != 1 {
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
		_, err := client.ServiceDefinition(ctx, aService)
		given <- err
	}()
	<-r.came
	cancel()
	wantKind(t, <-given, adminapi.KindCancelled)
	close(r.goOn)
	large.Wait()
	if _, err := client.ServiceDefinition(t.Context(), aService); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
