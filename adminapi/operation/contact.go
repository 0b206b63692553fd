package operation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// ContactLimit is how long an address is tried that is no site yet.
const ContactLimit = 8 * time.Second

// Contact is what came back from an address that is no site yet.
type Contact struct {
	Platform bool   // a platform answers there
	Sentence string // what came back, and what to do where that is no platform
}

// TryContact reads the administrative root of a client's address once, in [ContactLimit] at most.
func TryContact(ctx context.Context, client *adminapi.Client) Contact {
	ctx, cancel := context.WithTimeout(ctx, ContactLimit)
	defer cancel()
	root, err := client.Reach(ctx)
	switch api, _ := errors.AsType[*adminapi.Error](err); {
	case err == nil && root.FullVersion != "":
		return Contact{true, "A platform of version " + plain.Line(root.FullVersion) + " answers there."}
	case err == nil, errors.Is(err, adminapi.KindSignIn) && api != nil && api.Code != 0:
		return Contact{true, "A platform answers there."}
	case errors.Is(err, adminapi.KindSignIn): // of a proxy, or of any other host
		return Contact{false, "Something there asks for a sign-in. It does not show whether it is a platform."}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return Contact{false, fmt.Sprintf("Nothing answered within %s. Check the address, the network and HTTPS_PROXY.", ContactLimit)}
	case NoPlatform(err):
		return Contact{false, "Something answers there, but no platform. " + Advice(err)}
	case api != nil && api.Explicit && api.Code != 0:
		return Contact{true, "A platform answers there, with an error: " + plain.Clip(api.Message, 100)}
	}
	return Contact{false, strings.TrimSpace(plain.Capital(strings.TrimSuffix(err.Error(), ".")) + ". " + Advice(err))}
}
