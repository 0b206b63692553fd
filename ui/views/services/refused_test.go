package services_test

import (
	"testing"

	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services"
)

// withoutSite is the view without a site.
func withoutSite(t testing.TB) *screen {
	t.Helper()
	env := uitest.Env(t, operation.Site{}, uitest.Theme())
	env.Offline = true
	s := &screen{t: t, env: env, Model: services.New(env)}
	s.Screen = uitest.NewScreen(t, s.Model, 120, 35)
	s.Start()
	return s
}

func TestKeysThatCannotWorkSayWhy(t *testing.T) {
	t.Parallel()
	const folder, unmatched, unlisted = "Move to a service first.", "No service matches.", "No service is listed."
	for name, c := range map[string]struct {
		scenario string // none for no site
		route    func(*screen)
		says     map[string]string // by keys
	}{
		"a folder": {"no-node", func(s *screen) { s.Press("rows.top") }, map[string]string{
			"services.edit-outside": folder, "services.copy": folder, "services.switch": "Folders cannot be started or stopped.", "services.batch": "Mark services with space first."}},
		"nothing matches": {"healthy", func(s *screen) { s.Press("rows.filter"); s.Type("xyz"); s.Press("enter") }, map[string]string{
			"enter": unmatched, "services.edit-outside": unmatched, "services.copy": unmatched}},
		"no site": {"", func(*screen) {}, map[string]string{
			"enter": unlisted, "services.edit-outside": unlisted, "services.copy": unlisted, "services.refresh": "No site to read from."}},
		"a definition": {"healthy", func(s *screen) { s.cities() }, map[string]string{
			"services.many": "Edit, then press w: M is in the review."}},
		"an empty history": {"edit-elses", func(s *screen) { s.cities().Press("tab tab") }, map[string]string{
			"enter": "There is no older version.", "services.restore": "There is no older version.", "services.compare": "There is no older version.", "services.json": "There is no older version."}},
		"a history without a match": {"healthy", func(s *screen) { sentOnce(s).Press("tab tab rows.filter"); s.Type("xyz"); s.Press("enter") }, map[string]string{
			"enter": "No version matches."}},
		"a review": {"healthy", routes["review"], map[string]string{
			"services.explain-change": "Nothing has gone wrong.", "services.many": "Mark other services in the list first (space). Your edit is saved."}},
		"a review of several": {"healthy", several, map[string]string{
			"services.many": "This plan already covers all marked services."}},
		"a result of several": {"healthy", func(s *screen) { several(s); s.Answer(s.Press("w"), "y") }, map[string]string{
			"services.many": "Every service has the change.", "services.explain-change": "Nothing has gone wrong."}},
		"keys to confirm": {"healthy", routes["lost"], map[string]string{
			"services.send": "1 danger to accept: press n, then space."}},
		"a site that takes no changes": {"readonly", routes["review"], map[string]string{
			"services.send": "The site is in read-only mode: it takes no changes. The site says: Maintenance of the stores until further notice."}},
		"what others changed alone": {"edit-elses", routes["result"], map[string]string{
			"space": "Nothing is in conflict.", "services.choose-edit": "Nothing is in conflict.", "services.next-conflict": "Nothing is in conflict.", "services.previous-conflict": "Nothing is in conflict."}},
		"a policy without deployments": {"healthy", func(s *screen) {
			s.editor(`echo '{"placementPolicy": []}' > "$1"`)
			s.rules().Press("services.editor")
		}, map[string]string{
			"services.presets": "The policy names no deployment."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withoutSite
			if c.scenario != "" {
				s = func(t testing.TB) *screen { return open(t, c.scenario) }
			}
			for keys, says := range c.says {
				on := s(t)
				c.route(on)
				if row, ok := views.Pressed(on.Commands(), uitest.Keys(keys)[0].String()); !ok {
					t.Errorf("%s is no key", keys)
				} else if text := uitest.NoticeText(t, on.drain(row.Do(""))); text != says {
					t.Errorf("%s says %q, not %q", keys, text, says)
				}
			}
		})
	}
}

// several leads to the review of a change of several services.
func several(s *screen) {
	s.Press("space space space space rows.top enter")
	s.set("maxUsageTime", "700")
	s.Press("services.write services.many")
}

// A reason would be about what is not open.
func TestCommandsOfWhatIsNotOpenAreNotPossible(t *testing.T) {
	t.Parallel()
	for id, says := range map[string]string{
		"services.send":    `"send reviewed change" is not possible right now.`,
		"services.write":   `"write changes" is not possible right now.`,
		"services.restore": "is not possible right now.",
		"rules.delete":     `"delete the rule" is not possible right now.`,
		"services.choose":  "is not possible right now.",
		"services.unmark":  "Nothing is marked.",
	} {
		s := open(t, "healthy")
		s.Tells(s.Invoke(id, ""), says)
	}
}
