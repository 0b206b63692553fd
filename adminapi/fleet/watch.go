package fleet

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/parallel"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
)

const (
	// Pause is the time between two reads of a site that answers.
	Pause = 30 * time.Second
	// patience is how long one read of a site may take as a whole; a slow one gets twice that.
	patience = 10 * time.Second
	// maxPause is the longest pause after reads that failed.
	maxPause = 5 * time.Minute
	// requests is how many requests of a site are under way at a time.
	requests = 2
	// maxLarge is how many sites are asked for what may be megabytes at a time, and
	// maxAwaited how long a site awaits its turn for that: then it goes on without, as the
	// others may hang.
	maxLarge   = 8
	maxAwaited = 500 * time.Millisecond
	// logBudget bounds the memory for the log of a running upgrade.
	logBudget progress.Budget = 4 << 20
)

// Fleet reads sites beside each other.
type Fleet struct {
	clock adminapi.Clock
	large chan struct{} // holds a value for each site that is asked for what may be large
}

// New returns a fleet on a clock, which says how old things are. Nothing is sent yet.
func New(clock adminapi.Clock) *Fleet {
	return &Fleet{clock: clock, large: make(chan struct{}, maxLarge)}
}

// turn waits until few others read what may be large, but not for long.
func (f *Fleet) turn(ctx context.Context) (done func()) {
	await := time.NewTimer(maxAwaited)
	defer await.Stop()
	select {
	case f.large <- struct{}{}:
		return func() { <-f.large }
	case <-await.C:
	case <-ctx.Done():
	}
	return func() {}
}

// Read reads each site once, all at the same time. report is called with each row as soon as
// it is known, never twice at a time; it may be nil. The rows are sorted. The error is that of
// ctx where it was cancelled; at its deadline, sites that have not answered are unreachable.
func (f *Fleet) Read(ctx context.Context, entries []Entry, report func(Row)) ([]Row, error) {
	var (
		all  parallel.Group
		mu   sync.Mutex
		rows []Row
	)
	for _, entry := range entries {
		all.Go(func() {
			watch := f.Watch(entry)
			defer watch.Close()
			step, _ := watch.Next(ctx)
			mu.Lock()
			defer mu.Unlock()
			rows = append(rows, step.Value)
			if report != nil && !cancelled(ctx) {
				report(step.Value)
			}
		})
	}
	all.Wait()
	WorstFirst(rows)
	if cancelled(ctx) {
		return rows, ctx.Err()
	}
	return rows, nil
}

// cancelled reports whether a context has ended otherwise than by its deadline.
func cancelled(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded)
}

// Watch reads one site repeatedly: a [polling.Poller] that never ends. It belongs to one
// goroutine at a time.
type Watch struct {
	fleet    *Fleet
	entry    Entry
	conn     *Connection
	row      Row
	failures int // in a row

	upgrades *adminapi.UpgradeReader
	merger   *progress.Merger // of an upgrade that runs or has failed; nil while none does
	page     adminapi.ReportPage
}

// Watch returns the watch of a site. Nothing is sent yet.
func (f *Fleet) Watch(entry Entry) *Watch {
	return &Watch{fleet: f, entry: entry, row: entry.Row()}
}

// Row returns the entry as a row of which nothing is known yet.
func (e Entry) Row() Row {
	return Row{Name: e.Name, Address: e.Address, Production: e.Production, Locked: e.Locked, Place: e.Place,
		MaxAge: cmp.Or(e.MaxAge, DefaultMaxAge)}
}

// Close closes the connections that nobody else uses. Nothing may be under way.
func (w *Watch) Close() {
	if w.conn != nil && !w.conn.Shared {
		w.conn.Site.Client.CloseIdleConnections()
	}
}

// Next reads the site once. The error is that of ctx, where it was cancelled.
func (w *Watch) Next(ctx context.Context) (polling.Step[Row], error) {
	limit := patience
	if w.entry.Slow {
		limit *= 2
	}
	limited, end := context.WithTimeout(ctx, limit)
	defer end()
	err := w.read(limited)
	if cancelled(ctx) {
		return polling.Step[Row]{Value: w.row}, ctx.Err()
	}
	w.Close()
	return polling.Step[Row]{Value: w.row, Wait: w.note(err), Unreachable: err}, nil
}

// note keeps how a read ended, and returns the pause after it.
func (w *Watch) note(err error) time.Duration {
	pause := adminapi.Backoff{First: Pause, Max: maxPause, Factor: 2}
	if w.entry.Slow {
		pause.First *= 2
	}
	now := w.fleet.clock.Now()
	switch {
	case err == nil:
		w.row.Since, w.row.Updated = time.Time{}, now
	case w.row.Err == nil, adminapi.UnreachableText(w.row.Err) != adminapi.UnreachableText(err):
		w.row.Since = now
	}
	if w.row.Err = err; err == nil && w.row.SignIn == SignedIn {
		w.failures = 0
		return pause.First
	}
	w.failures++
	return pause.Pause(w.failures, nil)
}

// read connects, reads the root, and where that answers the rest: a site that is dead costs
// one connection.
func (w *Watch) read(ctx context.Context) error {
	if w.conn == nil {
		conn, err := w.entry.Open(ctx)
		if err != nil {
			return &OpenError{err}
		}
		w.conn, w.upgrades = &conn, conn.Site.Client.Upgrades.NewReader()
	}
	client := w.conn.Site.Client
	root, err := client.Root(ctx)
	if !client.Session.Token().Known() && w.conn.SignIn != nil && (err == nil || errors.Is(err, adminapi.KindSignIn)) {
		if w.row.TokenErr = w.conn.SignIn(ctx); err != nil && client.Session.Token().Known() {
			root, err = client.Root(ctx)
		}
	}
	w.row.Ahead, _ = client.ServerTime()
	if err != nil {
		return w.signIn(err)
	}
	w.row.Version = plain.Clip(plain.Line(root.FullVersion), 40)
	if !client.Session.Token().Known() {
		w.row.SignIn, w.row.Expires = w.missing(), 0
		return nil
	}
	w.row.TokenErr = nil
	if err := w.signIn(w.parts(ctx)); err != nil {
		return err
	}
	w.row.SignIn, w.row.Expires = SignedIn, client.Session.Token().Expires
	return nil
}

// signIn keeps what an error says about the sign-in.
func (w *Watch) signIn(err error) error {
	switch {
	case !errors.Is(err, adminapi.KindSignIn):
	case !w.conn.Site.Client.Session.Token().Known():
		w.row.SignIn, w.row.Expires = w.missing(), 0
	default:
		w.row.SignIn, w.row.Expires = SignInRefused, 0
	}
	return err
}

// missing is the sign-in without a token.
func (w *Watch) missing() SignIn {
	if w.conn.Kept {
		return SignInNeeded
	}
	return SignInNotKept
}

// parts reads everything but the root. What the site refuses to this user, or is too old for,
// is not known then; anything else fails the read.
func (w *Watch) parts(ctx context.Context) error {
	client := w.conn.Site.Client
	var (
		mode       adminapi.Mode
		newest     *Health
		upgrade    *Upgrade
		errs       [3]error
		sideBySide = parallel.Group{Limit: requests}
	)
	sideBySide.Go(func() { upgrade, errs[0] = w.readUpgrade(ctx) })
	sideBySide.Go(func() { newest, errs[1] = w.readHealth(ctx) })
	sideBySide.Go(func() { mode, errs[2] = client.Mode(ctx) })
	sideBySide.Wait()
	w.row.Ahead, _ = client.ServerTime()
	if errs[0] == nil {
		w.row.Upgrade = upgrade
	}
	if errs[1] == nil || !w.row.upgrades() { // an upgrade closes resources for a while
		w.row.Health, w.row.HealthErr = newest, errs[1]
	}
	if errs[2] == nil {
		w.row.ReadOnly, w.row.ModeRead = mode.ReadOnly, true
	}
	w.row.ModeErr = errs[2]
	if w.row.PartErr = errs[0]; w.row.PartErr == nil {
		w.row.PartErr = errs[2]
	}
	for _, err := range errs {
		if err != nil && !partial(err) {
			return err
		}
	}
	return nil
}

func (r Row) upgrades() bool { return r.Upgrade != nil && r.Upgrade.Meaning == progress.StateRunning }

// partial reports whether an error is about a part of what is read, not about the site.
func partial(err error) bool {
	return slices.ContainsFunc([]adminapi.Kind{
		adminapi.KindPrivilege, adminapi.KindVersionTooOld, adminapi.KindNotFound, adminapi.KindBusy, adminapi.KindInvalid, adminapi.KindTooLarge,
	}, func(kind adminapi.Kind) bool { return errors.Is(err, kind) })
}

// readHealth finds the newest report that has ended. While the number of reports and the first
// of the list are as they were, so is the newest.
func (w *Watch) readHealth(ctx context.Context) (*Health, error) {
	site := w.conn.Site
	page, err := site.Client.Health.Reports(ctx, adminapi.ReportQuery{Num: 1})
	if err != nil {
		return nil, err
	}
	if same(page, w.page) && w.row.Health != nil {
		return w.row.Health, nil
	}
	all := page.Runs
	if !page.Last() {
		done := w.fleet.turn(ctx)
		all, err = site.Reports().All(ctx)
		done()
		if err != nil {
			return nil, err
		}
	}
	w.page = page
	return newestOf(all), nil
}

func same(a, b adminapi.ReportPage) bool {
	return a.Total == b.Total && slices.EqualFunc(a.Runs, b.Runs, func(a, b adminapi.ReportSummary) bool {
		return a.ID == b.ID && a.EndTime == b.EndTime && a.Result == b.Result && a.State == b.State
	})
}

// newestOf returns the newest report that has ended, nil for none.
func newestOf(all []adminapi.ReportSummary) *Health {
	var newest *Health
	for _, s := range all {
		verdict := health.JudgeWhole(s.Result, s.State)
		if verdict == health.Running || newest != nil && newest.Started >= s.StartTime {
			continue
		}
		newest = &Health{ID: s.ID, Name: plain.Clip(plain.Line(s.Name), 60), Verdict: verdict, Started: s.StartTime, Ended: s.EndTime}
	}
	return newest
}

// readUpgrade reads the upgrade: nil where none runs and the last one has not failed. Only
// the messages of one that runs or has failed are kept.
func (w *Watch) readUpgrade(ctx context.Context) (*Upgrade, error) {
	defer w.fleet.turn(ctx)()
	status, continues, err := w.upgrades.Read(ctx)
	if err != nil {
		return nil, err
	}
	meaning := progress.StateOf(status)
	if meaning == progress.StateIdle || meaning == progress.StateSucceeded {
		w.merger = nil
		return nil, nil
	}
	switch {
	case w.merger == nil && continues: // its beginning was not kept
		w.upgrades = w.conn.Site.Client.Upgrades.NewReader()
		if status, _, err = w.upgrades.Read(ctx); err != nil {
			return nil, err
		}
		meaning = progress.StateOf(status)
		fallthrough
	case w.merger == nil:
		w.merger = progress.NewMerger(logBudget)
		w.merger.Merge(status.Messages)
	case continues:
		w.merger.Extend(status.Messages)
	default:
		w.merger.Merge(status.Messages)
	}
	ahead, _ := w.conn.Site.Client.ServerTime()
	return upgradeOf(progress.Of(w.merger.Log(), meaning), adminapi.MillisOf(w.fleet.clock.Now().Add(ahead))), nil
}

// upgradeOf returns what a row has of an upgrade. now is by the site's clock.
func upgradeOf(p progress.Progress, now adminapi.Millis) *Upgrade {
	u := &Upgrade{
		Meaning: p.Meaning, Phase: p.Current, From: p.From, To: p.To, Began: p.Began, Last: p.Last,
	}
	if !p.RolledBack {
		u.Done, u.Total = p.Done, p.Total
	}
	if stopped := p.StoppedIn(); stopped != "" {
		u.Phase = stopped
	}
	if stall, stalls := p.Stalled(progress.UsualTimes{}, now); stalls {
		u.Stalled, u.Quiet = true, stall.Quiet
	}
	return u
}

// NewestReport fetches the newest health report of a site that has ended, over a connection of
// its own; nil where there is none.
func (e Entry) NewestReport(ctx context.Context) (*adminapi.Report, error) {
	conn, err := e.Open(ctx)
	if err != nil {
		return nil, &OpenError{err}
	}
	client := conn.Site.Client
	if !conn.Shared {
		defer client.CloseIdleConnections()
	}
	if !client.Session.Token().Known() && conn.SignIn != nil {
		if _, err := client.Root(ctx); err != nil && !errors.Is(err, adminapi.KindSignIn) {
			return nil, err
		}
		if err := conn.SignIn(ctx); err != nil {
			return nil, err
		}
	}
	return conn.Site.Reports().Newest(ctx)
}
