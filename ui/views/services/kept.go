package services

import (
	"slices"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/offline"
)

// Fresh returns when the list of services, or one of its states, was read; zero before all folders
// were.
func (c *catalog) Fresh() time.Time {
	if c.Kept || c.Updated.IsZero() || slices.ContainsFunc(c.folders, func(f folder) bool { return !f.read }) {
		return time.Time{}
	}
	fresh := c.Updated
	for _, known := range c.states.known {
		if known.read.After(fresh) {
			fresh = known.read
		}
	}
	return fresh
}

// Keep keeps the list of services, and their states as they were read last.
func (c *catalog) Keep(when offline.When) func(operation.Site) error {
	when.Read = c.Updated
	var folders []offline.KeptFolder
	for _, f := range c.folders {
		kept := offline.KeptFolder{Name: f.name}
		for _, s := range f.services {
			one := offline.KeptService{Name: s.Name, Type: s.Type}
			if known := c.states.known[s.Path()]; known.RealTime != "" {
				one.Configured, one.RealTime, one.Read = known.Configured, known.RealTime, known.read
			}
			kept.Services = append(kept.Services, one)
		}
		folders = append(folders, kept)
	}
	return func(site operation.Site) error { return offline.KeepServices(site, when, folders) }
}

// takeKept shows the services that were kept, where none was read yet.
func (c *catalog) takeKept() {
	kept := c.Env.Kept
	if kept == nil || kept.Services == nil || !c.TakeKept(kept.Services.Read) {
		return
	}
	c.folders = []folder{{}}
	for _, f := range kept.Services.Folders {
		one := folder{name: f.Name, read: true}
		for _, s := range f.Services {
			service := adminapi.ServiceRef{Folder: f.Name, Name: s.Name, Type: s.Type}
			one.services = append(one.services, service)
			if !s.Read.IsZero() {
				state := availability.State{ServiceStatus: adminapi.ServiceStatus{Configured: s.Configured, RealTime: s.RealTime}}
				c.states.known[service.Path()] = knownState{State: state, read: s.Read, tried: s.Read}
			}
		}
		if f.Name == "" {
			c.folders[0] = one
		} else if c.find(f.Name) < 0 {
			c.folders = append(c.folders, one)
		}
	}
	c.lay()
}

// forgetKept lets go what was kept: the site answers.
func (c *catalog) forgetKept() {
	c.folders = []folder{{}}
	clear(c.states.known)
}
