package placement_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/nodesource"
	rules "geodeck/adminapi/placement"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/placement"
	"geodeck/ui/widget/rows"
)

var cities = adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}

// host is what is around the tab.
type host struct {
	services []adminapi.ServiceRef
	reviewed editing.Edit
}

func (h *host) Compare(string, document.Review) tea.Cmd    { return nil }
func (h *host) StopComparing()                             {}
func (h *host) Services() (services []adminapi.ServiceRef) { return h.services }

func (h *host) Review(edit editing.Edit, _ *document.Document) tea.Cmd {
	h.reviewed = edit
	return nil
}

// part is a tab with what the view around it does.
type part struct{ *placement.Tab }

func (p part) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case views.Retry:
		return msg.Do()
	case cluster.NodesMsg:
		return tea.Batch(p.Nodes.Update(msg), p.NodesChanged())
	case cluster.PodsRead:
		cmd := p.Pods.Update(msg)
		p.PodsChanged()
		return cmd
	}
	return p.Tab.Update(msg)
}

func (p part) Commands() []views.Command {
	back := func() tea.Cmd { p.Back(); return nil }
	return append(slices.Clone(p.Tab.Commands()), editor.BackRow(nil, func() bool { return !p.CapturesText() }, back))
}

// screen is a tab under test.
type screen struct {
	part
	*uitest.Part
	t       testing.TB
	env     *views.Env
	host    *host
	options options
}

// options are what a screen is opened with.
type options struct {
	site    operation.Site
	service adminapi.ServiceRef
	nodes   nodesource.Source
}

// healthy is a site of a scenario with its nodes, and the sample service.
func healthy(t testing.TB, scenario simulator.Scenario) options {
	t.Helper()
	sim := uitest.NewSite(t, scenario)
	site, _ := sim.Counted(t)
	return options{site: site, service: cities, nodes: nodesource.Source{Demo: sim.Server.Nodes}}
}

// open shows the rules of the sample service.
func open(t testing.TB, scenario string, faults ...simulator.Fault) *screen {
	t.Helper()
	return openOn(t, healthy(t, uitest.Scenario(t, scenario, faults...)))
}

func openOn(t testing.TB, o options) *screen {
	t.Helper()
	env := uitest.Env(t, o.site, uitest.Theme())
	env.Nodes = o.nodes
	base := views.NewBase(env)
	t.Cleanup(base.Scope.Close)
	inks := rows.NewInks(env.Theme)
	pods := &cluster.Pods{Base: base, Changed: func(adminapi.ServiceRef, availability.Snapshot, bool) tea.Cmd { return nil }}
	shared := placement.Shared{Nodes: cluster.NewNodes(base), Deployments: cluster.NewDeployments(), Pods: pods, Drafts: editor.NewDrafts(base)}
	around := &host{}
	root, err := o.site.Client.Services.Folder(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append([]string{""}, root.Folders...) {
		folder, err := o.site.Client.Services.Folder(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		around.services = append(around.services, folder.Services...)
	}
	p := part{placement.New(base, &inks, o.service, around, shared)}
	s := &screen{p, uitest.NewPart(t, p, 120, 35), t, env, around, o}
	s.drain(shared.Drafts.Load(), s.Shown())
	return s
}

// drain runs commands with all that follows from them.
func (s *screen) drain(cmds ...tea.Cmd) (up []tea.Msg) {
	s.t.Helper()
	for _, cmd := range cmds {
		up = append(up, uitest.Drain(s.t, s.part, cmd)...)
	}
	return up
}

// do runs a command without what follows from it.
func (s *screen) do(id, argument string) tea.Cmd { return views.Invoke(s.part, id, argument) }

// answer gives keys to the dialog that was opened.
func (s *screen) answer(up []tea.Msg, keys ...tea.KeyMsg) []tea.Msg {
	s.t.Helper()
	return s.drain(uitest.AnswerOnly(s.t, up, keys...))
}

// preset takes a preset by how far down it stands, and its words as they are offered.
func (s *screen) preset(down int) {
	s.t.Helper()
	up := s.answer(s.Press("services.presets"), uitest.Keys(strings.Repeat("down ", down)+"enter")...)
	if _, asks := up[0].(views.Open); asks {
		s.answer(up, uitest.Keys("enter enter")...)
	}
}

// changed fails unless the rules differ from those of the site, or not.
func (s *screen) changed(want bool) {
	s.t.Helper()
	if s.Differs() != want {
		s.t.Fatalf("the rules differ: %t\n%s", !want, s.Draw())
	}
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRulesAreCopiedFromTheOneServiceThatIsNamed(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	for typed, want := range map[string]string{
		"utilities":         "3 services match: Utilities/Geometry.GeometryServer, Utilities/PrintingTools.GPServer, Utilities/Symbols.GPServer",
		"SampleWorldCities": "No other service has that name",
	} {
		if s.Tells(s.Invoke("services.copy-rules", typed), want); s.Differs() {
			t.Errorf("%s: something is copied", typed)
		}
	}
	s.Tells(s.Invoke("services.copy-rules", " geometry "), "Copied from Utilities/Geometry.GeometryServer")
}

func TestThePageOfPodsTakesThePlaceOfTheRules(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	uitest.Run(s.part, s.do("services.pods", ""), 2)
	s.Shows("Pods")
	s.Hides("whose pool is gis")
	uitest.Pure(t, s.part)
	if !s.PodsInFront() || !s.Back() || s.PodsInFront() {
		t.Error("it does not go back to the rules")
	}
}

func TestADeploymentThatIsSharedIsMarkedAndOneThatIsNotToldIsNot(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.Shows("iqszeqagcu27jztyox0rr  Shared ", "Shared: other services run in these pods and move too.")
	if notes := strings.Join(s.Notes(), " "); strings.Contains(notes, "is not known") {
		t.Errorf("the notes are %q", notes)
	}
	sim := uitest.NewSite(t, uitest.Scenario(t, "healthy"))
	site := sim.As(t, sim.Server.Users()[1])
	site.Memory.Journal = uitest.Journal(t, sim.Steps)
	other := openOn(t, options{site: site, service: cities})
	other.Shows("whose pool is gis")
	if notes := strings.Join(other.Notes(), " "); !strings.Contains(notes, "shared or not: unknown") {
		t.Errorf("the notes are %q", notes)
	}
	other.Hides("Shared")
}

func TestAPolicyThatCannotBeReadIsShownAndNotEdited(t *testing.T) {
	t.Parallel()
	scenario := uitest.Scenario(t, "healthy")
	line := `{"key":"pool","operator":"Exists","values":[]}`
	scenario.Placement.Policies = map[string]string{"SampleWorldCities.MapServer": `{"tolerations":[],"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":` +
		`{"nodeSelectorTerms":[{"matchExpressions":[` + strings.Repeat(line+",", 1000) + line + `]}]}}}`}
	s := openOn(t, healthy(t, scenario))
	s.Shows("but not edit them", "more than 1000 lines", "placementPolicy")
	for _, key := range []string{"services.write", "services.editor"} {
		s.Tells(s.Press(key), "It can only be viewed here.")
	}
	if told := s.Press("P C"); len(told) > 0 {
		t.Errorf("sent up %v", told)
	}
	s.Press("rows.filter")
	s.Type("operator")
	s.Press("enter")
	s.Shows("operator")
	s.Press("esc")
	if s.Shows("not edit them"); s.Back() {
		t.Error("something is left to go back from")
	}
}

func TestRulesAreBuiltWithTheKeysOfTheBuilder(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.Press("down down down space")
	s.changed(true)
	s.Shows("whose pool is not gis")
	s.Press("rules.undo")
	s.changed(false)
}

func TestRulesThatArriveWhileARowIsTypedIntoLeaveIt(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	coming := s.do("services.copy-rules", "Utilities/Geometry.GeometryServer")
	s.Press("down rules.add")
	s.Type("zone")
	s.Tells(s.drain(coming), "Rules unchanged: finish what you type first")
	s.Shows("zone", "of a label of the nodes")
	if !s.CapturesText() {
		t.Error("the row is left")
	}
}

func TestCopiedRulesGoToTheDeploymentThatTheyWereAskedFor(t *testing.T) {
	t.Parallel()
	o := healthy(t, uitest.Scenario(t, "healthy"))
	o.service = adminapi.ServiceRef{Folder: "System", Name: "SpatialAnalysisTools", Type: "GPServer"}
	s := openOn(t, o)
	coming := s.do("services.copy-rules", "SampleWorldCities.MapServer")
	s.Press("rows.bottom")
	s.drain(coming)
	s.Press("services.write")
	before, errBefore := rules.FromDocument(s.host.reviewed.Base)
	after, errAfter := rules.FromDocument(s.host.reviewed.Edited)
	if errBefore != nil || errAfter != nil || len(before.Items()) != 2 {
		t.Fatal(errBefore, errAfter, before.Items())
	}
	for i, changed := range []bool{true, false} {
		was, now := rules.Sentence(before.Items()[i]), rules.Sentence(after.Items()[i])
		if changed != strings.Contains(now, "whose pool is gis") || changed == (was == now) {
			t.Errorf("deployment %d: %q became %q", i, was, now)
		}
	}
}

func TestOneJudgementIsWorkedOutAtATimeAndTheNewestIsShown(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.Press("down down down")
	first := s.do("rules.turn", "")
	if n := begun(s.do("rules.turn", "")); n != 0 {
		t.Errorf("%d judgements or saves begin while one is under way", n)
	}
	if n := begun(first); n != 2 {
		t.Errorf("%d works begin with the first change, want its judgement and its save", n)
	}
	s.drain(first)
	s.Shows("5 of 14 nodes take these pods; room is not counted ·")
}

// begun runs a command without its replies and counts these: judgements and saves.
func begun(cmd tea.Cmd) (n int) {
	if cmd == nil {
		return 0
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			n += begun(c)
		}
	case views.Reply:
		if _, of := msg.Msg.(views.Retry); of {
			n++
		}
	}
	return n
}

func TestAPresetReplacesTheAffinityAndIsTakenBack(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.preset(1)
	s.changed(true)
	s.Shows("topology.kubernetes.io/zone")
	s.Press("rules.undo")
	s.changed(false)
	s.preset(5)
	s.Shows("may run on any node")
}

func TestTheRulesOfAnotherServiceAreCopiedAndNothingIsSent(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	up := s.Invoke("services.copy-rules", "")
	s.answer(up, append(uitest.Text("Geometry.G"), uitest.Key("enter"))...)
	s.changed(true)
	s.Hides("whose pool is gis")
	s.Press("rules.undo")
	s.Shows("whose pool is gis")
	s.Tells(s.Invoke("services.copy-rules", "nobody"), "No other service")
	s.Asks(s.Invoke("services.copy-rules", ""), "CityBuildings_26.MapServer", " more")
	s.answer(s.Invoke("services.copy-rules", ""), uitest.Keys("g e o m tab enter")...)
	s.changed(true)
	s.Press("rules.undo")
	told := uitest.NoticeText(t, s.Invoke("services.copy-rules", "Cit"))
	if like := strings.Count(told, "Cit"); like < 3 || !strings.Contains(told, strconv.Itoa(like)+" services match") {
		t.Errorf("told %q", told)
	}
	if told := uitest.NoticeText(t, s.Invoke("services.copy-rules", "Server")); strings.Count(told, "Server") != 10 || !strings.HasSuffix(told, " more.") {
		t.Errorf("told %q", told)
	}
}

func TestATooOldSiteAndAMissingPrivilegeAreExplained(t *testing.T) {
	t.Parallel()
	s := open(t, "old")
	s.Shows("rules of placement need 11.2 or later; this site is 10.9.1")
	s = open(t, "healthy", simulator.Fault{Path: "admin/services/SampleWorldCities.MapServer/placementPolicy", Method: "GET", What: "status", Status: 403})
	s.Shows("Press R to refresh")
}

func TestBrokenRulesFromAnEditorAreKeptAndShown(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	editor := simtest.Script(t, "editor.sh", `echo '{"placementPolicy": 3}' > "$1"`)
	s.env.Getenv = func(name string) string { return map[string]string{"VISUAL": editor}[name] }
	s.Press("services.editor")
	s.Shows("Not valid JSON. Your text is kept.", "must be a list")
	s = openOn(t, s.options)
	s.Shows("Its text is broken")
}

func TestPodsAreShownWithoutAnEdit(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.drain(s.do("services.pods", ""))
	s.Shows(": 3 of 3 ready", "All 3 pods answer", "The last 8 reads are the same: no longer refreshing", "R   refresh")
	s.Hides("answer since", "change")
	s.Press("services.pods-again")
	s.Shows("The last 8 reads are the same")
	s.Press("esc")
	s.Shows("whose pool is gis")
}
