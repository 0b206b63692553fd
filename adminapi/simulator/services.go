package simulator

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// What can be done to a service, beside reading it.
var serviceOperations = []string{"edit", "start", "stop"}

// The folders that every site has.
var folderNames = []string{"System", "Utilities", "Hosted"}

// service is one GIS service. Its definition is made when somebody first reads
// it: thousands of them cost nothing before.
type service struct {
	id, folder, name, kind string
	deploymentID           string
	description            string
	definition             []byte // as the site writes it, byte for byte; nil until read
	reads                  int    // of the definition
	policyReads            int    // of the placement policy

	stopped   bool      // configured so
	broken    string    // why it cannot start, empty where it can
	meanwhile string    // its state until it settles
	settles   time.Time // when it is what it is configured to be
	busyUntil time.Time // an operation on it goes on
}

type services struct {
	list   []*service // by folder and name
	byPath map[string]*service
	edits  int // taken so far
}

func serviceRoutes(w *world) []route {
	routes := []route{
		get("/services", "Services", w.showRoot),
		get("/services/{first}", "Services", w.showFolderOrService),
		get("/services/{folder}/{service}", "Service", w.showService),
	}
	return append(append(routes, serviceEditRoutes(w)...), serviceStateRoutes(w)...)
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
	return w.definitionOf(name, q.now)
}

func (w *world) showService(q *request) (answer, error) {
	folder, name := q.vars["folder"], q.vars["service"]
	if !slices.Contains(folderNames, folder) && slices.Contains(serviceOperations, name) {
		return answer{}, wrongMethod(q.http.Method, []string{http.MethodPost})
	}
	return w.definitionOf(folder+"/"+name, q.now)
}

func (w *world) definitionOf(path string, now time.Time) (answer, error) {
	s := w.services.byPath[path]
	if s == nil {
		return answer{}, notFound("no such service", "there is no folder or service "+path)
	}
	text, err := w.textOf(s)
	if err != nil {
		return answer{}, err
	}
	return answer{text: text}, w.wasRead(s, now)
}

// textOf returns the definition of a service, which nobody changes in place.
func (w *world) textOf(s *service) ([]byte, error) {
	if s.definition == nil {
		text, err := w.newDefinition(s)
		if err != nil {
			return nil, err
		}
		s.definition = text
	}
	return s.definition, nil
}
