package command

import (
	"context"
	"errors"
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/spelling"
	"geodeck/ui/cli/exit"
)

// ServiceNamed reads the name of a service from the command line.
func ServiceNamed(text string) (adminapi.ServiceRef, error) {
	service, err := adminapi.ParseServicePath(text)
	if err != nil {
		return service, exit.BadInput("List the services: {command:service list}", err)
	}
	return service, nil
}

// SiteOf reads the name of a service, and makes the site.
func (s Env) SiteOf(ctx context.Context, name string) (site operation.Site, service adminapi.ServiceRef, err error) {
	if service, err = ServiceNamed(name); err == nil {
		site, err = s.Session.Site(ctx)
	}
	return site, service, err
}

// ServicesIn reads the services of a folder, or without one those of all folders. With an
// error it returns what was read before.
func ServicesIn(ctx context.Context, site operation.Site, folder string) ([]adminapi.ServiceRef, error) {
	root, err := site.Client.Services.Folder(ctx, folder)
	if err != nil {
		return nil, err
	}
	services := inFolder(root.Services, folder)
	if folder != "" {
		return services, nil
	}
	for _, name := range root.Folders {
		if name == "" || name == "/" {
			continue
		}
		below, err := site.Client.Services.Folder(ctx, name)
		if err != nil {
			return services, err
		}
		services = append(services, inFolder(below.Services, name)...)
	}
	return services, nil
}

// inFolder adds the folder to services that lack it.
func inFolder(services []adminapi.ServiceRef, folder string) []adminapi.ServiceRef {
	for i := range services {
		if services[i].Folder == "" && folder != "/" {
			services[i].Folder = folder
		}
	}
	return services
}

// NotThere explains that the site has no such service, and names the one that was likely
// meant.
func (s Env) NotThere(ctx context.Context, site operation.Site, named adminapi.ServiceRef, err error) error {
	advice := "List the services: {command:service list}"
	all, unlisted := ServicesIn(ctx, site, "")
	if errors.Is(unlisted, adminapi.ErrMissing) {
		advice = unlistedServices
	} else if meant := likely(all, named); meant != "" {
		advice = spelling.Question(meant)
	}
	return exit.BadInput(advice, err)
}

// Untyped explains that a name lacks its type, and names the service that was likely meant, where the site tells.
func (s Env) Untyped(ctx context.Context, name string, wrong error) error {
	folder, base, found := strings.Cut(name, "/")
	if !found {
		folder, base = "", name
	}
	site, err := s.Session.Site(ctx)
	if err != nil || base == "" || strings.ContainsAny(base, "./") {
		return wrong
	}
	_, err = adminapi.ParseServicePath(name)
	return s.NotThere(ctx, site, adminapi.ServiceRef{Folder: folder, Name: base}, err)
}

// likely finds a service whose name differs in case, folder or type only, else the one that is spelled most
// alike. It is empty where there is none, or several of the first kind, and for one that is there: then the site means
// something else.
func likely(all []adminapi.ServiceRef, named adminapi.ServiceRef) string {
	if slices.ContainsFunc(all, func(s adminapi.ServiceRef) bool { return s.Path() == named.Path() }) {
		return ""
	}
	for _, same := range []func(adminapi.ServiceRef) bool{
		func(s adminapi.ServiceRef) bool { return strings.EqualFold(s.Path(), named.Path()) },
		func(s adminapi.ServiceRef) bool {
			return strings.EqualFold(s.Name, named.Name) && strings.EqualFold(s.Type, named.Type)
		},
		func(s adminapi.ServiceRef) bool { return strings.EqualFold(s.Name, named.Name) },
	} {
		found := ""
		for _, s := range all {
			if same(s) && found != "" {
				return ""
			} else if same(s) {
				found = s.Path()
			}
		}
		if found != "" {
			return found
		}
	}
	return spelling.Nearest(named.Path(), lists.Each(all, adminapi.ServiceRef.Path))
}

// Meant asks whether a misspelt name means one that is known; empty where none is near.
func Meant(name string, known []string) string {
	if near := spelling.Nearest(name, known); near != "" {
		return spelling.Question(plain.Line(near))
	}
	return ""
}

// OrNotThere is NotThere for an error that says so, and the error itself for any other.
func (s Env) OrNotThere(ctx context.Context, site operation.Site, named adminapi.ServiceRef, err error) error {
	if errors.Is(err, adminapi.KindNotFound) {
		return s.NotThere(ctx, site, named, err)
	}
	return err
}
