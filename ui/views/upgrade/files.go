package upgrade

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
)

// fileState is what was found out about a file that somebody named.
type fileState struct {
	path string
	size int64
	err  error
}

// filesChecked is what was found out about the files of the settings, by input.
type filesChecked struct{ files map[string]fileState }

// checkFiles reads the files that were named.
func (s *settings) checkFiles() tea.Cmd {
	check := s.fileCheck()
	if check == nil {
		return nil
	}
	return s.Scope.Do("files", check)
}

// checkFilesSoon is checkFiles once typing has paused.
func (s *settings) checkFilesSoon() tea.Cmd {
	check := s.fileCheck()
	if check == nil {
		s.Scope.Forget("files")
		return nil
	}
	return s.Scope.After(s.Env.Clock, typingPause, "files", check)
}

func (s *settings) fileCheck() func(context.Context) tea.Msg {
	type named struct {
		field upgrade.Field
		path  string
	}
	var files []named
	for _, in := range s.inputs {
		if path := in.path(); in.field.Kind == upgrade.File && path != "" {
			files = append(files, named{in.field, path})
		}
	}
	if len(files) == 0 {
		return nil
	}
	return func(context.Context) tea.Msg {
		found := map[string]fileState{}
		for _, file := range files {
			found[file.field.ID] = checkFile(file.path, file.field)
		}
		return filesChecked{found}
	}
}

// checkFile reads a file and says what is wrong with it; its content goes nowhere.
func checkFile(path string, field upgrade.Field) fileState {
	state := fileState{path: path}
	var content []byte
	if field.ID == manifestID {
		content, _, state.err = operation.ReadManifestFile(path)
	} else {
		content, state.err = operation.ReadAnswerFile(path, field)
	}
	state.size = int64(len(content))
	return state
}

// planned is the request as it would be sent, and the checks of all that goes into it.
type planned struct {
	target  string
	facts   upgrade.Facts
	files   map[string]fileState
	request []upgrade.Shown
	err     error
}

// toReview checks what was filled in and leads to the review of the request.
func (s *settings) toReview() tea.Cmd {
	if s.checking {
		return nil
	}
	s.change.problem = ""
	if problems := s.change.problems(); len(problems) > 0 {
		var texts []string
		for _, p := range problems[:min(len(problems), 4)] {
			texts = append(texts, views.Sentence(p.Text))
		}
		s.change.problem = strings.Join(texts, "\n")
		return nil
	}
	s.checking = true
	site, ask, facts := s.Env.Site, s.change.ask, s.change.facts
	fields := map[string]upgrade.Field{}
	for _, in := range s.inputs {
		fields[in.field.ID] = in.field
	}
	return tea.Batch(s.draft.saveNow(), s.Scope.Do("review", func(context.Context) tea.Msg { return plan(site, ask, facts, fields) }))
}

// plan reads the files that go along and puts the request together. Nothing is sent.
func plan(site operation.Site, ask operation.UpgradeAsk, facts upgrade.Facts, fields map[string]upgrade.Field) planned {
	p := planned{target: ask.Target.ID, files: map[string]fileState{}}
	facts.Answers, facts.ToAnswer, facts.Files = ask.Answers, false, map[string]error{}
	facts.Settings = upgrade.Read(ask.Settings)
	for id, answer := range ask.Answers {
		if field, ok := fields[id]; ok && answer.Path != "" {
			p.files[id] = checkFile(answer.Path, field)
			facts.Files[id] = p.files[id].err
		}
	}
	if facts.Licence = ask.LicencePath != ""; facts.Licence {
		p.files[licenceID] = checkFile(ask.LicencePath, fields[licenceID])
		facts.LicenceErr = p.files[licenceID].err
	}
	p.facts = facts
	parts, err := site.PlanUpgradeParts(ask)
	p.request, p.err = upgrade.Describe(parts), err
	return p
}

// planned shows the request, or what is in its way.
func (s *settings) planned(p planned) tea.Cmd {
	c := s.change
	if c.ask.Target.ID != p.target {
		return nil
	}
	s.checking, s.files, c.facts = false, p.files, p.facts
	c.weigh(s.Env.Times)
	var blockers []string
	for _, check := range c.checks {
		if check.State == upgrade.CheckBlocking {
			blockers = append(blockers, strings.TrimSpace(check.Finding+" "+check.Do))
		}
	}
	switch {
	case len(blockers) > 0:
		c.problem = strings.Join(blockers, "\n")
		return nil
	case p.err != nil:
		c.problem = views.Sentence(p.err.Error())
		return nil
	}
	c.problem, c.request, c.uploads = "", p.request, nil
	for _, in := range s.inputs {
		file, ok := p.files[in.field.ID]
		if ok && in.field.Kind == upgrade.File && in.field.ID != licenceID && in.field.ID != manifestID {
			c.uploads = append(c.uploads, upload{in.field.ID, file.path, file.size})
		}
	}
	return s.host.open(reviewing)
}

// sizeOf writes a number of bytes.
func sizeOf(n int64) string {
	switch {
	case n < 1<<10:
		return plain.Plural(int(n), "byte")
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
