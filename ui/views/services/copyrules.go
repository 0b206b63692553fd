package services

import (
	"context"
	"errors"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// otherPaths completes the name of a service to copy from.
func (p *placing) otherPaths() (paths []string) {
	for _, path := range p.m.paths() {
		if path != p.target.Service.Path() {
			paths = append(paths, path)
		}
	}
	return paths
}

// copyFrom copies the rules of a service, and asks of which where none is named.
func (p *placing) copyFrom(path string) tea.Cmd {
	switch {
	case !p.editable() || len(p.builder.Policy().Items()) == 0:
		return nil
	case path == "":
		return p.askCopy()
	}
	service, err := p.other(path)
	if err != nil {
		return views.Tell(views.Warning, sentence(err))
	}
	return p.readOther(service, p.aim())
}

func (p *placing) askCopy() tea.Cmd {
	return views.Send(views.Open{Dialog: views.NewPrompt(p.m.env.Theme, views.Ask{
		ID: "services.copy-rules", Title: "Copy the rules of which service?",
		Note:    "Its name or a part of it, such as Utilities/Geometry. They replace those of the deployment under the cursor; nothing is sent.",
		Choices: p.otherPaths,
		Check: func(typed string) error {
			_, err := p.other(typed)
			return err
		},
		Then: func(typed string) tea.Cmd {
			return p.m.scope.Do("copy from", func(context.Context) tea.Msg { return copyChosen{p, typed} })
		},
	})})
}

type copyChosen struct {
	of    *placing
	typed string
}

func (r copyChosen) apply(*Model) tea.Cmd { return r.of.copyFrom(strings.TrimSpace(r.typed)) }

// mostLike is how many services are named where a name fits several.
const mostLike = 10

// other finds another service by its path, or by a part of it that no other has.
func (p *placing) other(typed string) (adminapi.ServiceRef, error) {
	typed = strings.ToLower(strings.TrimSpace(typed))
	var like []string
	for _, path := range p.otherPaths() {
		if typed != "" && strings.Contains(strings.ToLower(path), typed) {
			like = append(like, path)
		}
		if strings.EqualFold(path, typed) {
			like = []string{path}
			break
		}
	}
	switch {
	case len(like) == 1:
		service, _, _ := p.m.catalog.byPath(like[0])
		return service, nil
	case len(like) == 0:
		return adminapi.ServiceRef{}, errors.New("no other service in the list is called so")
	}
	said := strings.Join(like[:min(mostLike, len(like))], ", ")
	if more := len(like) - mostLike; more > 0 {
		said += " and " + strconv.Itoa(more) + " more"
	}
	return adminapi.ServiceRef{}, errors.New(plain.Line(plain.Plural(len(like), "service") + " are called so: " + said))
}

// otherRead is the policy of another service.
type otherRead struct {
	into    aim
	service adminapi.ServiceRef
	policy  placement.Policy
	err     error
}

func (p *placing) readOther(service adminapi.ServiceRef, into aim) tea.Cmd {
	site := p.m.env.Site
	return p.m.scope.Do("copy rules", func(ctx context.Context) tea.Msg {
		r := otherRead{into: into, service: service}
		var read operation.Content
		if read, r.err = site.ReadContent(ctx, operation.PlacementOf(service)); r.err == nil {
			r.policy, r.err = placement.Parse(read.Document.Bytes())
		}
		return r
	})
}

func (r otherRead) apply(m *Model) tea.Cmd {
	p, path := r.into.of, plain.Line(r.service.Path())
	switch {
	case !p.isOpen():
		return nil
	case errors.Is(r.err, adminapi.KindSignIn):
		return m.scope.RetryAfterSignIn(r.err, "copy rules", func() tea.Cmd { return p.readOther(r.service, r.into) })
	case r.err != nil:
		return views.Send(views.Notice{Level: views.Failure, Text: "The rules of " + path + " were not copied: " + r.err.Error(), Err: r.err})
	case len(r.policy.Items()) == 0:
		return views.Tell(views.Warning, path+" has no deployment, and so no rules to copy.")
	}
	m.deployments.Note(r.service.Path(), r.policy)
	p.tellShared()
	return r.into.replace("Copied from "+path, func(policy placement.Policy, item int) (placement.Policy, error) {
		return policy.CopyRules(item, r.policy, sameKind(r.policy, policy.Items()[item].DeploymentType))
	})
}

// sameKind is the first deployment of a type; where none is of it, the first of all.
func sameKind(policy placement.Policy, kind string) int {
	for i, item := range policy.Items() {
		if item.DeploymentType == kind {
			return i
		}
	}
	return 0
}
