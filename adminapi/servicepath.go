package adminapi

import "strings"

// ParseServicePath reads [FOLDER/]NAME.TYPE as people type it, and as
// [ServiceRef.Path] writes it. The type is what follows the last dot. The error
// is of [KindInvalid].
func ParseServicePath(text string) (ServiceRef, error) {
	var s ServiceRef
	path := strings.TrimPrefix(strings.TrimSpace(text), "/")
	if folder, rest, found := strings.Cut(path, "/"); found {
		s.Folder, path = folder, rest
		if folder == "" {
			path = "" // refused below
		}
	}
	dot := strings.LastIndex(path, ".")
	if dot > 0 {
		s.Name, s.Type = path[:dot], path[dot+1:]
	}
	if s.Name == "" || s.Type == "" || strings.Contains(path, "/") {
		return ServiceRef{}, &Error{Kind: KindInvalid, Operation: "name a service",
			Message: "a service is named such as Folder/Name.MapServer, without a folder where it is in the root"}
	}
	for _, segment := range s.segments()[1:] {
		if e := checkSegment(segment); e != nil {
			e.Operation = "name a service"
			return ServiceRef{}, e
		}
	}
	return s, nil
}
