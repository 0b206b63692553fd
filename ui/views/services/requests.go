package services

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/ui/views"
)

// reply is a message of this view's own requests; it knows what it changes.
type reply interface{ apply(*Model) tea.Cmd }

// rest is how long the cursor stays on something before it is read.
const rest = 80 * time.Millisecond

// folderRead is one folder.
type folderRead struct {
	name   string
	folder adminapi.Folder
	err    error
}

// readFolders reads the root and then each folder in turn.
func (m *Model) readFolders() tea.Cmd {
	m.catalog.Loading, m.catalog.unread = true, nil
	return m.scope.Do("folder", m.askFolder(""))
}

func (m *Model) askFolder(name string) func(context.Context) tea.Msg {
	client := m.env.Site.Client
	return func(ctx context.Context) tea.Msg {
		folder, err := client.Folder(ctx, name)
		return folderRead{name, folder, err}
	}
}

func (r folderRead) apply(m *Model) tea.Cmd {
	c := &m.catalog
	if r.err != nil {
		return m.folderFailed(r)
	}
	c.Succeeded(m.env.Clock.Now())
	c.take(r.name, r.folder)
	m.showCatalog()
	return tea.Batch(m.nextFolder(), m.follow(), m.openWanted())
}

// nextFolder goes on with the folders that were not read yet.
func (m *Model) nextFolder() tea.Cmd {
	c := &m.catalog
	if c.Loading = len(c.unread) > 0; !c.Loading {
		return nil
	}
	name := c.unread[0]
	c.unread = c.unread[1:]
	return m.scope.Do("folder", m.askFolder(name))
}

// folderFailed asks again where that can help. A folder that cannot be read does
// not hide the others.
func (m *Model) folderFailed(r folderRead) tea.Cmd {
	c := &m.catalog
	if errors.Is(r.err, adminapi.KindCancelled) {
		return nil
	}
	if wait := c.Failed(m.env.Clock.Now(), r.err); wait > 0 {
		return m.scope.After(m.env.Clock, wait, "folder", m.askFolder(r.name))
	}
	switch at := c.find(r.name); {
	case errors.Is(r.err, adminapi.KindSignIn):
		return m.scope.RetryAfterSignIn(r.err, "folders", m.readFolders)
	case r.name == "" && !c.Updated.IsZero():
		return views.Send(views.Notice{Level: views.Failure, Text: r.err.Error(), Err: r.err})
	case r.name == "" || at < 0:
		return nil
	default:
		c.folders[at].problem, c.folders[at].read, c.Err = r.err, true, nil
	}
	m.showCatalog()
	return tea.Batch(m.nextFolder(), m.openWanted())
}

// draftsRead are the edits that go on.
type draftsRead struct {
	of  map[string]journal.Draft // by target: this program's, else the newest
	err error
}

func (m *Model) readDrafts() tea.Cmd {
	site := m.env.Site
	return m.scope.Do("drafts", func(context.Context) tea.Msg {
		r := draftsRead{of: map[string]journal.Draft{}}
		for _, part := range []operation.Part{operation.Definition, operation.Placement} {
			drafts, err := site.EditDrafts(part)
			r.err = errors.Join(r.err, err)
			for _, d := range drafts {
				if _, newer := r.of[part.Of(d.Key)]; d.Mine || !newer {
					r.of[part.Of(d.Key)] = d
				}
			}
		}
		return r
	})
}

func (r draftsRead) apply(m *Model) tea.Cmd {
	if r.err != nil {
		return views.Send(views.Notice{Level: views.Warning, Text: "The drafts on this machine cannot be listed: " + r.err.Error(), Err: r.err})
	}
	m.catalog.drafts = r.of
	m.catalog.list.Redraw()
	return nil
}

// modeRead says whether the site takes changes. Where that cannot be read the site
// will say so itself.
type modeRead struct{ mode adminapi.Mode }

func (m *Model) readMode() tea.Cmd {
	client := m.env.Site.Client
	return m.scope.Do("mode", func(ctx context.Context) tea.Msg {
		mode, err := client.Mode(ctx)
		if err != nil {
			return nil
		}
		return modeRead{mode}
	})
}

func (r modeRead) apply(m *Model) tea.Cmd {
	m.mode = r.mode
	m.place()
	return nil
}

// rested says that the cursor of the list has come to rest.
type rested struct{ key rowKey }

// follow reads, once the cursor rests, what the rows on the screen show.
func (m *Model) follow() tea.Cmd {
	key, ok := m.catalog.list.Key()
	if !ok && !m.sweeping() {
		m.scope.Forget("rest")
		return nil
	}
	return m.scope.After(m.env.Clock, rest, "rest", func(context.Context) tea.Msg { return rested{key} })
}

func (r rested) apply(m *Model) tea.Cmd {
	if key, _ := m.catalog.list.Key(); key != r.key {
		return nil
	}
	return tea.Batch(m.wantStates(), m.wantDetail())
}
