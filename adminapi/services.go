package adminapi

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

// Folder is one folder of services.
type Folder struct {
	Name        string       `json:"folderName"` // "/" for the root
	Description string       `json:"description"`
	Folders     []string     `json:"folders"` // of the root only
	Services    []ServiceRef `json:"services"`
	Unknown     Unknown      `json:",embed"`
}

// ServiceRef names a service in a folder.
type ServiceRef struct {
	ID          string  `json:"id"`
	Folder      string  `json:"folderName"` // empty for the root
	Name        string  `json:"serviceName"`
	Type        string  `json:"type"` // such as MapServer
	Description string  `json:"description"`
	Unknown     Unknown `json:",embed"`
}

// Path returns the service's path below services/, as the API spells it.
func (s ServiceRef) Path() string {
	path := s.Name + "." + s.Type
	if s.Folder != "" && s.Folder != "/" {
		path = s.Folder + "/" + path
	}
	return path
}

// Folder reads one folder of services; "" and "/" are the root.
func (c *Client) Folder(ctx context.Context, name string) (Folder, error) {
	k := call{operation: opFolder, method: http.MethodGet, path: []string{"services"}}
	if name != "" && name != "/" {
		k.path = append(k.path, name)
	}
	var folder Folder
	err := c.read(ctx, k, &folder, func() string {
		if folder.Name == "" && folder.Services == nil && folder.Folders == nil {
			return "folder"
		}
		return ""
	})
	return folder, err
}

// ServiceDefinition reads the full definition of a service, byte for byte as
// the server sent it.
func (c *Client) ServiceDefinition(ctx context.Context, s ServiceRef) (jsontext.Value, error) {
	k := call{operation: opService, method: http.MethodGet, path: s.segments()}
	var given struct {
		Name string `json:"serviceName"`
	}
	a, e := c.fetch(ctx, k)
	if e == nil {
		e = a.explain(k, a.decode(&given, func() string {
			if given.Name == "" {
				return "serviceName"
			}
			return ""
		}))
	}
	if e != nil {
		return nil, e
	}
	return a.body, nil
}

// segments returns the service's place in segments of the path.
func (s ServiceRef) segments() []string {
	if s.Name == "" || s.Type == "" {
		return []string{"services", ""} // refused before it is sent
	}
	if s.Folder == "" || s.Folder == "/" {
		return []string{"services", s.Name + "." + s.Type}
	}
	return []string{"services", s.Folder, s.Name + "." + s.Type}
}
