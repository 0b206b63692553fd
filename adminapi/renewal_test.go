package adminapi_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/secrets"
)

// timed is a client of a site that takes every token, in virtual time.
func timed(t *testing.T, life time.Duration, renew func(context.Context, secrets.Secret) (adminapi.Token, error), failed func(error)) (c *adminapi.Client, used func() []string) {
	t.Helper()
	var mu sync.Mutex
	var seen []string
	c = newClient(t, "https://gis.example", func(cfg *adminapi.Config) {
		cfg.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, r.Header.Get("Authorization"))
			return fixed(200, []byte(`{"jobs":[]}`))(r)
		})
		cfg.Token = adminapi.Token{Value: "old-token"}
		if life > 0 {
			cfg.Token.Expires = adminapi.MillisOf(time.Now().Add(life))
		}
		cfg.Renew, cfg.RenewEarly, cfg.RenewFailed = renew, true, failed
	})
	return c, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(seen)
	}
}

func TestATokenIsRenewedBeforeItEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ life, keeps, renews time.Duration }{
		"five minutes before":       {time.Hour, 54 * time.Minute, 2 * time.Minute},
		"half of a short life":      {4 * time.Minute, time.Minute, time.Minute + time.Second},
		"not where no end is known": {0, 1000 * time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				client, used := timed(t, c.life, func(context.Context, secrets.Secret) (adminapi.Token, error) {
					asked++
					return adminapi.Token{Value: "new-token"}, nil
				}, func(err error) { t.Error(err) })
				want := []string{"Bearer old-token"}
				time.Sleep(c.keeps)
				_, err := client.Jobs.IDs(t.Context())
				if c.renews > 0 {
					time.Sleep(c.renews)
					_, err = client.Jobs.IDs(t.Context())
					want = append(want, "Bearer new-token")
				}
				check(t, "tokens", used(), want, err)
				check(t, "renewals", asked, len(want)-1, nil)
			})
		})
	}
}

// Only who starts a renewal waits for it, and not for long, while the old token still does.
func TestASlowRenewalHoldsNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, used := timed(t, 4*time.Minute, func(context.Context, secrets.Secret) (adminapi.Token, error) {
			time.Sleep(40 * time.Second)
			return adminapi.Token{Value: "new-token"}, nil
		}, nil)
		time.Sleep(3 * time.Minute)
		took := make(chan time.Duration, 3)
		for range 3 {
			go func() {
				began := time.Now()
				if _, err := client.Jobs.IDs(t.Context()); err != nil {
					t.Error(err)
				}
				took <- time.Since(began)
			}()
		}
		got := []time.Duration{<-took, <-took, <-took}
		check(t, "waits", got, []time.Duration{0, 0, 5 * time.Second}, nil)
		time.Sleep(35 * time.Second)
		synctest.Wait()
		_, err := client.Jobs.IDs(t.Context())
		check(t, "tokens", used(), []string{"Bearer old-token", "Bearer old-token", "Bearer old-token", "Bearer new-token"}, err)
	})
}

func TestATokenThatHasEndedIsNotSentWhileAnotherComes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, used := timed(t, 4*time.Minute, func(context.Context, secrets.Secret) (adminapi.Token, error) {
			time.Sleep(20 * time.Second)
			return adminapi.Token{Value: "new-token"}, nil
		}, nil)
		time.Sleep(time.Hour)
		_, err := client.Jobs.IDs(t.Context())
		check(t, "tokens", used(), []string{"Bearer new-token"}, err)
	})
}

func TestARenewalThatFailsIsToldOnceAndTriedAgainAfterPauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked, broken := 0, true
		var told []error
		client, _ := timed(t, time.Hour, func(context.Context, secrets.Secret) (adminapi.Token, error) {
			if asked++; broken {
				return adminapi.Token{}, errors.New("no way")
			}
			return adminapi.Token{Value: secrets.Secret("token-of-" + time.Now().Format(time.TimeOnly)), Expires: adminapi.MillisOf(time.Now().Add(time.Hour))}, nil
		}, func(err error) { told = append(told, err) })
		minutes := func(n int) {
			for range n * 60 {
				time.Sleep(time.Second)
				if _, err := client.Jobs.IDs(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
		}
		minutes(59)
		if asked < 3 || asked > 6 || len(told) != 1 {
			t.Errorf("%d attempts in 4 minutes, told %v", asked, told)
		}
		broken = false
		minutes(3)
		broken = true
		minutes(57)
		if len(told) != 2 {
			t.Errorf("a later failure is told %d times", len(told)-1)
		}
	})
}
