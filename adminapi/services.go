package adminapi

import (
	"context"

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
func (c *Client) Folder(ctx context.Context, name string) (Folder, error) { panic("contract only") }

// ServiceDefinition reads the full definition of a service, byte for byte as
// the server sent it.
func (c *Client) ServiceDefinition(ctx context.Context, s ServiceRef) (jsontext.Value, error) {
	panic("contract only")
}
