package services

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/ui/views"
	"geodeck/ui/views/jsonview"
)

// toNow shows what has changed from an old version to the present one.
func (h *history) toNow(b pastPart) tea.Cmd {
	site, service, title := h.m.env.Site, h.service, "from "+h.nameOf(b)+" to now"
	return h.m.scope.Do("compare", func(ctx context.Context) tea.Msg {
		old, err := site.OldContent(b.target, b.ID)
		if err != nil {
			return compared{path: service.Path(), err: err}
		}
		now, err := site.ReadContent(ctx, b.target)
		if err != nil {
			return compared{path: service.Path(), err: err}
		}
		return compared{path: service.Path(), title: title, plan: planOf(old, now.Document)}
	})
}

// markOrCompare marks the first of two, and shows how the older became the newer.
func (h *history) markOrCompare(b pastPart) tea.Cmd {
	at := slices.IndexFunc(h.past, func(o pastPart) bool { return o.key() == h.mark })
	if at < 0 || h.mark == b.key() {
		h.mark = b.key()
		if at >= 0 {
			h.mark = ""
		}
		h.lay()
		return nil
	}
	older, newer := h.past[at], b
	if older.target.Part != newer.target.Part {
		return views.Tell(views.Warning, "A definition and a placement policy cannot be compared: mark another of the same kind.")
	}
	if older.Saved.After(newer.Saved) {
		older, newer = newer, older
	}
	h.mark = ""
	h.lay()
	site, service, title := h.m.env.Site, h.service, "from "+h.nameOf(older)+" to "+h.nameOf(newer)
	return h.m.scope.Do("compare", func(context.Context) tea.Msg {
		r := compared{path: service.Path(), title: title}
		var before, after *document.Document
		if before, r.err = site.OldContent(older.target, older.ID); r.err == nil {
			if after, r.err = site.OldContent(newer.target, newer.ID); r.err == nil {
				r.plan = planOf(before, after)
			}
		}
		return r
	})
}

// restoreRead is what is needed to put an old version back.
type restoreRead struct {
	edit operation.Edit
	err  error
}

// restore leads to the review of putting an old version back.
func (h *history) restore(b pastPart) tea.Cmd {
	site, why := h.m.env.Site, "restoring the "+b.target.Part.String()+" of "+b.Saved.UTC().Format("2006-01-02 15:04:05Z")
	return h.m.scope.Do("compare", func(ctx context.Context) tea.Msg {
		old, err := site.OldContent(b.target, b.ID)
		if err != nil {
			return restoreRead{err: err}
		}
		now, err := site.ReadContent(ctx, b.target)
		if err != nil {
			return restoreRead{err: err}
		}
		return restoreRead{edit: operation.Edit{Target: b.target, Base: now.Document, Edited: old, Why: why}}
	})
}

func (r restoreRead) apply(m *Model) tea.Cmd {
	switch {
	case r.err != nil:
		return compared{path: m.openPathOrNone(), err: r.err}.apply(m)
	case m.open == nil || !sameService(m.open.service, r.edit.Service) || m.way != nil:
		return nil
	}
	return m.startWay(r.edit, titleRestore)
}

func (m *Model) openPathOrNone() string {
	if m.open == nil {
		return ""
	}
	return m.open.service.Path()
}

// oldRead is an old version to be looked at.
type oldRead struct {
	path, id string
	json     *jsonview.View
	err      error
}

func (h *history) show(b pastPart) tea.Cmd {
	site, service, look := h.m.env.Site, h.service, h.m.env.Theme
	return h.m.scope.Do("compare", func(context.Context) tea.Msg {
		old, err := site.OldContent(b.target, b.ID)
		if err != nil {
			return oldRead{path: service.Path(), err: err}
		}
		v := jsonview.New(look)
		v.Set(old.Bytes())
		return oldRead{path: service.Path(), id: b.key(), json: v}
	})
}

func (r oldRead) apply(m *Model) tea.Cmd {
	if m.open == nil || m.open.service.Path() != r.path {
		return nil
	}
	h, ok := m.open.section().(*history)
	if !ok || r.err != nil {
		return compared{path: r.path, err: r.err}.apply(m)
	}
	h.json, h.shownID = r.json, r.id
	m.place()
	return nil
}
