package simulator

import (
	"encoding/json"
	"slices"
	"strings"
)

// The folders that every site has.
var folderNames = []string{"System", "Utilities", "Hosted"}

// service is one GIS service. Its definition is made when somebody first reads
// it: thousands of them cost nothing before.
type service struct {
	id, folder, name, kind string
	deploymentID           string
	description            string
	definition             json.RawMessage // nil until read
}

type services struct {
	list   []*service // by folder and name
	byPath map[string]*service
}

func serviceRoutes(w *world) []route {
	return []route{
		get("/services", "Services", w.showRoot),
		get("/services/{first}", "Services", w.showFolderOrService),
		get("/services/{folder}/{service}", "Service", w.showService),
	}
}

// path is the service's path below services/.
func (s *service) path() string {
	path := s.name + "." + s.kind
	if s.folder != "" {
		path = s.folder + "/" + path
	}
	return path
}

type folderBody struct {
	IsDefault   bool         `json:"isDefault"`
	Folders     []string     `json:"folders,omitempty"`
	Description string       `json:"description"`
	ID          string       `json:"id"`
	FolderName  string       `json:"folderName"`
	Services    []serviceRef `json:"services"`
}

type serviceRef struct {
	Description string `json:"description"`
	ID          string `json:"id"`
	FolderName  string `json:"folderName"`
	ServiceName string `json:"serviceName"`
	Type        string `json:"type"`
}

func (s *services) refs(folder string) []serviceRef {
	refs := []serviceRef{}
	for _, item := range s.list {
		if item.folder == folder {
			refs = append(refs, serviceRef{item.description, item.id, item.folder, item.name, item.kind})
		}
	}
	return refs
}

func (w *world) showRoot(*request) (answer, error) {
	return answer{body: folderBody{Folders: folderNames, Description: "Root folder", FolderName: "/", Services: w.services.refs("")}}, nil
}

// showFolderOrService tells the two apart by the type at a service's end.
func (w *world) showFolderOrService(q *request) (answer, error) {
	name := q.vars["first"]
	if slices.Contains(folderNames, name) {
		return answer{body: folderBody{IsDefault: name == "System", Description: name + " services", ID: "folder-" + strings.ToLower(name),
			FolderName: name, Services: w.services.refs(name)}}, nil
	}
	return w.definitionOf(name)
}

func (w *world) showService(q *request) (answer, error) {
	return w.definitionOf(q.vars["folder"] + "/" + q.vars["service"])
}

func (w *world) definitionOf(path string) (answer, error) {
	s := w.services.byPath[path]
	if s == nil {
		return answer{}, notFound("no such service", "there is no folder or service "+path)
	}
	if s.definition == nil {
		text, err := marshal(w.newDefinition(s), false)
		if err != nil {
			return answer{}, err
		}
		s.definition = text
	}
	return answer{body: s.definition}, nil
}
