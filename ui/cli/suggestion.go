package cli

import (
	"context"
	"errors"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
)

// notThere explains that the site has no such service, and names the one that was likely
// meant.
func (s shared) notThere(ctx context.Context, site operation.Site, named adminapi.ServiceRef, err error) error {
	advice := "List the services: {command:service list}"
	if meant := likely(ctx, site, named); meant != "" {
		advice = "Did you mean " + meant + "?"
	}
	return badInput(advice, err)
}

// likely finds a service whose name differs in case, folder or type only: in its folder,
// then in all others. It is empty where there is none, or several.
func likely(ctx context.Context, site operation.Site, named adminapi.ServiceRef) string {
	all, err := servicesIn(ctx, site, "")
	if err != nil {
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
	return ""
}

// orNotThere is notThere for an error that says so, and the error itself for any other.
func (s shared) orNotThere(ctx context.Context, site operation.Site, named adminapi.ServiceRef, err error) error {
	if errors.Is(err, adminapi.KindNotFound) {
		return s.notThere(ctx, site, named, err)
	}
	return err
}
