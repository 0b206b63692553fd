package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// service is one of the list of a folder.
type service struct {
	ID, FolderName, ServiceName, Type, Description string
	raw                                            any
}

func (s service) path() string {
	return strings.TrimPrefix(s.FolderName+"/"+s.ServiceName+"."+s.Type, "/")
}

// servicesIn are the services of a folder, in the order of the site; / is the root, and empty all of them.
func (d *Day) servicesIn(folder string) (all []service) {
	var root struct {
		Folders  []string
		Services []json.RawMessage
	}
	where := "/services"
	if folder != "" && folder != "/" {
		where += "/" + folder
	}
	d.into(where, &root)
	for _, raw := range root.Services {
		var one service
		_ = json.Unmarshal(raw, &one)
		_ = json.Unmarshal(raw, &one.raw)
		all = append(all, one)
	}
	if folder == "" {
		for _, name := range root.Folders {
			all = append(all, d.servicesIn(name)...)
		}
	}
	return all
}

// state is what a service should be, and what it is.
type state struct{ ConfiguredState, RealTimeState string }

func (d *Day) stateOf(service string) (s state) {
	d.into("/services/"+service+"/status", &s)
	return s
}

// text is a state in a table.
func (s state) text() string {
	switch {
	case s.RealTimeState == "STARTED" && s.ConfiguredState == "STARTED":
		return "started"
	case s.RealTimeState == "STOPPED" && s.ConfiguredState == "STARTED":
		return "stopped, should run"
	case s.RealTimeState == "STARTED" && s.ConfiguredState == "STOPPED":
		return "runs, should not"
	}
	return strings.ToLower(s.RealTimeState)
}

func (s state) fields() []field {
	return []field{{member: "configuredState", want: s.ConfiguredState, state: true}, {member: "realTimeState", want: s.RealTimeState, column: "STATE", cell: s.text(), state: true}}
}

func (d *Day) services(folder string, states bool) shown {
	t := table{member: "items", first: "SERVICE"}
	for _, one := range d.servicesIn(folder) {
		r := row{id: one.path(), key: "service", fields: []field{
			{member: "service", column: "SERVICE", want: one.path(), cell: one.path()}, {member: "id", want: one.ID}, {member: "folderName", want: one.FolderName},
			{member: "serviceName", want: one.ServiceName}, {member: "type", want: one.Type}, {member: "raw", want: one.raw},
			{member: "description", column: "DESCRIPTION", want: one.Description, cell: one.Description},
		}}
		if states {
			r.unread = "/services/" + one.path() + "/status"
			r.fields = append(r.fields, d.stateOf(one.path()).fields()...)
		}
		t.rows = append(t.rows, r)
	}
	return shown{codes: []int{0}, tables: []table{t}}
}

// pods is how the pods of a deployment are.
type pods struct {
	Name, CurrentState           string
	ReadyReplicas, TotalReplicas int
}

// podRows are the deployments of some ids. short reports whether one lacks pods.
func (d *Day) podRows(service string, ids []string) (rows []row, short bool) {
	for _, id := range ids {
		where := "/system/deployments/" + id + "/status"
		var p pods
		var raw any
		d.into(where, &p)
		d.into(where, &raw)
		ready := fmt.Sprintf("%d of %d", p.ReadyReplicas, p.TotalReplicas)
		if p.TotalReplicas == 0 {
			ready = "none (" + strings.ToLower(p.CurrentState) + ")"
		}
		short = short || p.ReadyReplicas < p.TotalReplicas
		rows = append(rows, row{id: id, key: "deploymentId", unread: where, fields: []field{
			{member: "service", want: service}, {member: "deploymentId", column: "DEPLOYMENT", want: id, cell: id},
			{member: "name", column: "NAME", want: p.Name, cell: p.Name, state: true}, {member: "state", column: "STATE", want: p.CurrentState, cell: strings.ToLower(p.CurrentState), state: true},
			{member: "ready", column: "READY", want: p.ReadyReplicas, cell: ready, state: true}, {member: "wanted", want: p.TotalReplicas, state: true}, {member: "raw", want: raw, state: true},
		}})
	}
	return rows, short
}

// deployment is how many pods one may have.
type deployment struct {
	DeploymentID, DeploymentType string
	Replicas                     struct {
		Min, Max    int
		ScalingMode string
	}
}

func (d deployment) scales() string {
	pods := fmt.Sprintf("%d pods", d.Replicas.Max)
	if d.Replicas.Max == 1 {
		pods = "1 pod"
	}
	switch {
	case d.Replicas.Min == d.Replicas.Max:
		return pods + ", fixed"
	case d.Replicas.ScalingMode == "auto":
		return fmt.Sprintf("%d to %s, automatically", d.Replicas.Min, pods)
	}
	return fmt.Sprintf("%d to %s", d.Replicas.Min, pods)
}

func (d *Day) statusOf(name string) shown {
	var told struct{ ScalingSpec []json.RawMessage }
	d.into("/services/"+name+"/scaling", &told)
	scaling := table{member: "scaling"}
	var ids []string
	of := map[string]deployment{}
	for _, raw := range told.ScalingSpec {
		var one deployment
		var all any
		_ = json.Unmarshal(raw, &one)
		_ = json.Unmarshal(raw, &all)
		ids, of[one.DeploymentID] = append(ids, one.DeploymentID), one
		scaling.rows = append(scaling.rows, row{id: one.DeploymentID, key: "deploymentId", fields: []field{
			{member: "deploymentId", want: one.DeploymentID}, {member: "deploymentType", want: one.DeploymentType}, {member: "min", want: one.Replicas.Min},
			{member: "max", want: one.Replicas.Max}, {member: "scalingMode", want: one.Replicas.ScalingMode}, {member: "raw", want: all},
		}})
	}
	rows, short := d.podRows(name, ids)
	for i, r := range rows {
		rows[i].fields = append(r.fields, field{column: "SCALES", cell: of[r.id].scales()})
	}
	s := d.stateOf(name)
	running := s.ConfiguredState == "STARTED" && s.RealTimeState == "STARTED" && !short
	stopped := s.ConfiguredState == "STOPPED" && s.RealTimeState == "STOPPED"
	now := shown{unread: "/services/" + name + "/status", codes: []int{1}, tables: []table{{member: "pods", first: "DEPLOYMENT", rows: rows}, scaling}}
	if now.object = append(s.fields(), field{member: "service", want: name}); running || stopped {
		now.codes = []int{0}
		now.lines = []string{name + ": " + s.text()}
	}
	if running {
		now.object = append(now.object, field{member: "answers", want: true})
	}
	now.object = slices.DeleteFunc(now.object, func(f field) bool { return f.member == "" })
	return now
}

func (d *Day) podsOf(name string) shown {
	var policy struct{ PlacementPolicy []deployment }
	d.into("/services/"+name+"/placementPolicy", &policy)
	var ids []string
	for _, one := range policy.PlacementPolicy {
		ids = append(ids, one.DeploymentID)
	}
	rows, short := d.podRows(name, ids)
	now := shown{codes: []int{0}, tables: []table{{member: "items", first: "DEPLOYMENT", rows: rows}}}
	if short {
		now.codes = []int{1}
	}
	return now
}
