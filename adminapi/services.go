package adminapi

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/plain"
)

// Folder is one folder of services.
type Folder struct {
	Name        string       `json:"folderName"` // "/" for the root
	Description string       `json:"description"`
	Folders     []string     `json:"folders"` // only of the root
	Services    []ServiceRef `json:"services"`
	Unknown     Unknown      `json:",embed"`
}

// ServiceRef identifies a service.
type ServiceRef struct {
	ID          string  `json:"id"`
	Folder      string  `json:"folderName"` // empty for the root
	Name        string  `json:"serviceName"`
	Type        string  `json:"type"` // such as MapServer
	Description string  `json:"description"`
	Unknown     Unknown `json:",embed"`
}

// Path returns the service's path below services/, as the API writes it.
func (s ServiceRef) Path() string {
	path := s.Name + "." + s.Type
	if s.Folder != "" && s.Folder != "/" {
		path = s.Folder + "/" + path
	}
	return path
}

// Services are the services of a site, by folder.
type Services struct{ client *Client }

// The operations of this file, with the privilege and the version that they require.
var (
	opFolder           = operation{name: "read a folder of services"}
	opService          = operation{name: "read the definition of a service"}
	opServiceStatus    = operation{name: "read the state of a service"}
	opScaling          = operation{name: "read how many pods a service may have"}
	opEditService      = operation{name: "edit the service", privilege: ToEdit, since: VersionEdit, writes: WriteDefinition, pjson: true}
	opStartService     = operation{name: "start the service", writes: WriteStart}
	opStopService      = operation{name: "stop the service", writes: WriteStop}
	opPlacement        = placementOperation("read where the pods of the service run")
	opEditPlacement    = placementOperation("edit where the pods of the service run").writing(WriteRules).inContract()
	opDeployments      = operation{name: "list the deployments", privilege: ToSeeDeployments}
	opDeployment       = operation{name: "read a deployment", privilege: ToSeeDeployments}
	opDeploymentStatus = operation{name: "read how many pods of a deployment are ready", privilege: ToSeeDeployments}
)

func placementOperation(name string) operation {
	return operation{name: name, privilege: ToPlace, since: VersionPlacement, needs: "rules of placement need"}
}

// Folder fetches one folder of services; "" and "/" are the root.
func (s Services) Folder(ctx context.Context, name string) (Folder, error) {
	k := opFolder.at("services")
	if name != "" && name != "/" {
		k.path = append(k.path, name)
	}
	return readAs(ctx, s.client, k, "folder", func(f *Folder) bool { return f.Name != "" || f.Services != nil || f.Folders != nil })
}

// Definition fetches the definition of a service, byte for byte as the server sent
// it.
func (s Services) Definition(ctx context.Context, service ServiceRef) (jsontext.Value, error) {
	type named struct {
		Name string `json:"serviceName"`
	}
	k := opService.of(service)
	_, raw, err := readRaw(ctx, s.client, k, "serviceName", func(n *named) bool { return n.Name != "" })
	return raw, err
}

// segments returns the path of a service in segments.
func (s ServiceRef) segments() []string {
	if s.Name == "" || s.Type == "" {
		return []string{"services", ""} // refused before it is sent
	}
	if s.Folder == "" || s.Folder == "/" {
		return []string{"services", s.Name + "." + s.Type}
	}
	return []string{"services", s.Folder, s.Name + "." + s.Type}
}

// ParseServicePath parses [FOLDER/]NAME.TYPE as people type it and [ServiceRef.Path]
// returns it. The type follows the last dot. The error is of [KindInvalid].
func ParseServicePath(text string) (ServiceRef, error) {
	var s ServiceRef
	path := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "/"))
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
			Message: "use Folder/Name.MapServer, or Name.MapServer in the root folder, not " + plain.Clip(plain.Line(text), 60)}
	}
	for _, segment := range s.segments()[1:] {
		if e := checkSegment(segment); e != nil {
			e.Operation = "name a service"
			return ServiceRef{}, e
		}
	}
	return s, nil
}

// ServiceStatus is the configured and the actual state of a service, in the site's words:
// see the Service constants.
type ServiceStatus struct {
	Configured string  `json:"configuredState"`
	RealTime   string  `json:"realTimeState"`
	Unknown    Unknown `json:",embed"`
}

// The known states.
const (
	ServiceStarted = "STARTED"
	ServiceStopped = "STOPPED"
)

// Running reports whether the service runs at present.
func (s ServiceStatus) Running() bool { return s.RealTime == ServiceStarted }

// Settled reports whether the service is in its configured state. It is not while it starts,
// stops or restarts, or if it cannot start.
func (s ServiceStatus) Settled() bool { return s.RealTime != "" && s.RealTime == s.Configured }

// Down reports whether the service is stopped although it should run.
func (s ServiceStatus) Down() bool {
	return s.RealTime == ServiceStopped && s.Configured == ServiceStarted
}

// Status fetches the state of a service.
func (s Services) Status(ctx context.Context, service ServiceRef) (ServiceStatus, error) {
	k := opServiceStatus.of(service, "status").masked()
	return readAs(ctx, s.client, k, "state of the service", func(s *ServiceStatus) bool { return s.Configured != "" || s.RealTime != "" })
}

// Scaling is how many pods a deployment of a service may have.
type Scaling struct {
	DeploymentID string  `json:"deploymentId"`
	Type         string  `json:"deploymentType"`
	Replicas     Range   `json:"replicas"`
	Unknown      Unknown `json:",embed"`
}

// Range is the least and the most pods of a deployment.
type Range struct {
	Min  int    `json:"min"`
	Max  int    `json:"max"`
	Mode string `json:"scalingMode"` // manual or auto
}

// Scaling fetches how many pods each deployment of a service may have, its own first.
func (s Services) Scaling(ctx context.Context, service ServiceRef) ([]Scaling, error) {
	return readList[Scaling](ctx, s.client, opScaling.of(service, "scaling"), "scalingSpec")
}

// SwitchService starts a service, or stops it, which disconnects its users. It is sent with
// [Client.Change]; async is as in [EditService].
func SwitchService(s ServiceRef, start, async bool) Call {
	o, verb := opStopService, "stop"
	if start {
		o, verb = opStartService, "start"
	}
	k := o.of(s, verb)
	k.fields = url.Values{asyncField: {strconv.FormatBool(async)}}
	if !async {
		k.timeout = SyncTime
	}
	return k
}

// DeploymentStatus is the state of the pods of a deployment. A number that the server
// leaves out is 0, as in Kubernetes.
type DeploymentStatus struct {
	ID            string  `json:"id"`
	Name          string  `json:"name"`
	State         string  `json:"currentState"`           // the site's word, such as STARTED
	ReadyReplicas int     `json:"readyReplicas"`          // pods that are ready
	TotalReplicas int     `json:"totalReplicas"`          // pods that are wanted
	ResourceKind  string  `json:"kubernetesResourceKind"` // such as Deployment
	ResourceName  string  `json:"kubernetesResourceName"`
	Unknown       Unknown `json:",embed"`
}

// AllReady reports whether all wanted pods are ready. It is false where none is wanted: the
// service is stopped.
func (s DeploymentStatus) AllReady() bool {
	return s.TotalReplicas > 0 && s.ReadyReplicas >= s.TotalReplicas
}

// Deployment holds the pods of one or several services.
type Deployment struct {
	ID       string  `json:"deploymentId"`
	Name     string  `json:"name"`
	Type     string  `json:"type"`
	Provider string  `json:"provider"` // such as DMaps
	Mode     string  `json:"mode"`     // Shared if several services run in it, Dedicated, or another word of the site
	Unknown  Unknown `json:",embed"`
}

// DeploymentName is what a deployment is called wherever it is named: by its name, which need not
// be unique, and its id, which is part of the names of its pods. The text is as the site sent it.
func DeploymentName(name, id string) string {
	if name == id {
		return id
	}
	return strings.TrimSpace(name + " " + id)
}

// Shared reports whether several services run in the deployment. It is false if the mode is
// not known.
func (d Deployment) Shared() bool { return strings.EqualFold(d.Mode, "shared") }

// Deployments are what runs the pods of a site, of services and of the platform itself.
type Deployments struct{ client *Client }

// Get fetches a deployment. It requires the role of the default administrator.
func (d Deployments) Get(ctx context.Context, id string) (Deployment, error) {
	k := opDeployment.at("system", "deployments", id)
	deployment, err := readAs(ctx, d.client, k, "deployment", func(d *Deployment) bool { return d.ID != "" || d.Name != "" || d.Mode != "" })
	if err == nil {
		deployment.ID = cmp.Or(deployment.ID, id)
	}
	return deployment, err
}

// List fetches all deployments, in the server's order. It requires the role of the
// default administrator.
func (d Deployments) List(ctx context.Context) ([]Deployment, error) {
	return readList[Deployment](ctx, d.client, opDeployments.at("system", "deployments"), "deployments")
}

// Status fetches how many pods of a deployment are ready. It requires the role of
// the default administrator.
func (d Deployments) Status(ctx context.Context, id string) (DeploymentStatus, error) {
	k := opDeploymentStatus.at("system", "deployments", id, "status").masked()
	status, err := readAs(ctx, d.client, k, "status of the deployment", func(s *DeploymentStatus) bool { return s.State != "" || s.TotalReplicas != 0 })
	if err == nil {
		status.ID = cmp.Or(status.ID, id)
	}
	return status, err
}

// EditService replaces the whole definition of a service. The bytes are sent as they are:
// members that they lack are deleted, and the service may restart. The definition must be
// a JSON object in valid UTF-8, without duplicate names, and must not name another service;
// otherwise it is not sent ([KindInvalid]).
//
// It is sent with [Client.Change]. With async that returns at once with a job, to be read with
// [Jobs.Get]. Without async it returns when the edit is done, after up to ten minutes unless
// its context ends before. A site may answer with a job or without in both cases: see
// [Accepted.Finished]. A site before [VersionAsync] is not sent the parameter, and runs the edit
// as without; the version is fetched first.
func EditService(s ServiceRef, definition jsontext.Value, async bool) Call {
	k := opEditService.of(s, "edit")
	k.invalid = checkDefinition(s, definition)
	k.fields = url.Values{"service": {string(definition)}, asyncField: {strconv.FormatBool(async)}}
	if async {
		k.extra = slowLineTime(len(definition))
	} else {
		k.timeout = SyncTime
	}
	return k
}

// slowLineTime is how long a slow line takes for a number of bytes.
func slowLineTime(bytes int) time.Duration {
	return time.Duration(bytes) * time.Second / slowestLine
}

// checkDefinition returns an error for a definition that no site can accept or that is
// that of another service: an edit cannot be undone.
func checkDefinition(s ServiceRef, definition jsontext.Value) *Error {
	if e := checkObject("definition", definition); e != nil {
		return e
	}
	var given struct {
		Name *string `json:"serviceName"`
		Type *string `json:"type"`
	}
	// Only members with exactly these names count.
	if err := json.Unmarshal(definition, &given); err != nil {
		return invalid("serviceName and type of a definition must be strings")
	}
	if given.Name != nil && !strings.EqualFold(*given.Name, s.Name) {
		return wrongService("serviceName", *given.Name, s.Name)
	}
	if given.Type != nil && !strings.EqualFold(*given.Type, s.Type) {
		return wrongService("type", *given.Type, s.Type)
	}
	return nil
}

func checkObject(what string, value jsontext.Value) *Error {
	switch {
	case value.Kind() != jsontext.KindBeginObject:
		return invalid("the " + what + " is not a JSON object")
	case !value.IsValid():
		return invalid("the " + what + " is invalid JSON or repeats a key")
	}
	return nil
}

func wrongService(member, given, wanted string) *Error {
	return invalid("the definition belongs to another service: its " + member + " is " + shortened(given) + ", not " + wanted)
}

// Change sends an edit, a start or a stop of a service, once.
func (c *Client) Change(ctx context.Context, k Call) (Accepted, Outcome, error) {
	return submit(ctx, c, k, func(a answer) (Accepted, *Error) {
		accepted, e := a.accepted()
		switch {
		case accepted.JobID != "":
			return accepted, nil
		case e != nil && e.Err == ErrJobID:
		case a.succeeded() == nil && !a.holdsError():
			return Accepted{Status: "success"}, nil
		case e == nil:
			e = notJSON("the answer names no job", nil)
		}
		return Accepted{}, e
	})
}

// Finished reports whether the operation was done when it was answered, so that there is no
// job to wait for.
func (a Accepted) Finished() bool { return a.JobID == "" }

// Placement fetches on which nodes the pods of a service may run, byte for byte as
// the server sent it: an object with the list placementPolicy, which has one element for
// each deployment. It requires a site of 11.2.
func (s Services) Placement(ctx context.Context, service ServiceRef) (jsontext.Value, error) {
	k := opPlacement.of(service, "placementPolicy")
	_, raw, err := readRaw(ctx, s.client, k, "list placementPolicy", (*placementPolicy).holdsList)
	return raw, err
}

// placementPolicy is the part of a placement policy that is checked.
type placementPolicy struct {
	Policy jsontext.Value `json:"placementPolicy"`
}

func (p *placementPolicy) holdsList() bool { return p.Policy.Kind() == jsontext.KindBeginArray }

// EditServicePlacement sets on which nodes the pods of a service may run. The policy is
// sent as it is. It must be an object with the list placementPolicy, in valid UTF-8 and
// without duplicate names; otherwise it is not sent ([KindInvalid]). Pods move, and wait
// if no node accepts them: the site does not check this. It requires a site of 11.2.
//
// It is sent with [Client.Change], which returns when the edit is done, after up to ten minutes
// unless its context ends before. A site may still answer with a job, see [Accepted.Finished].
// The answer does not mean that the pods run again: see [Deployments.Status].
func EditServicePlacement(s ServiceRef, policy jsontext.Value) Call {
	k := opEditPlacement.of(s, "placementPolicy", "edit")
	k.invalid, k.timeout = checkPlacement(policy), SyncTime
	k.fields = url.Values{"servicePlacementPolicy": {string(policy)}, asyncField: {"false"}}
	return k
}

// checkPlacement returns an error for a policy that no site can accept. It does not check
// the rules.
func checkPlacement(policy jsontext.Value) *Error {
	if e := checkObject("placement policy", policy); e != nil {
		return e
	}
	var given placementPolicy
	if json.Unmarshal(policy, &given) != nil || !given.holdsList() {
		return invalid("the placement policy has no list placementPolicy")
	}
	return nil
}
