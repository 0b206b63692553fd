package checkout

import (
	"errors"
	"fmt"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// Generated are the keys of a definition that a site gives a service when it is published or set up again.
// They are in no file: on another site, and after such a start, they are others. In rules it is the
// deploymentId of a deployment whose type no other one has.
var Generated = []document.Path{"id", deploymentID}

const deploymentID = "deploymentId"

// leaveOut returns a part as a file has it: without what the site generates.
func leaveOut(part editing.Part, d *document.Document) (_ *document.Document, err error) {
	keys := Generated
	if part == editing.Placement {
		rules, err := placement.FromDocument(d)
		if err != nil {
			return d, nil // as the site has it
		}
		keys = nil
		for i := range rules.Items() {
			if alone(rules, i) {
				keys = append(keys, idPath(rules, i))
			}
		}
	}
	for _, key := range keys {
		if _, there := d.Find(key); !there {
			continue
		}
		if d, err = d.Remove(key); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// complete gives a part of a file what the site generates, as the site has it.
func complete(part editing.Part, file, site *document.Document) (_ *document.Document, err error) {
	if part == editing.Placement {
		return completeRules(file, site)
	}
	for _, key := range Generated {
		has, there := site.Find(key)
		_, given := file.Find(key)
		switch {
		case there && given:
			file, err = file.SetValue(key, has.Raw())
		case there:
			file, err = file.Add(document.Whole, string(key), has.Raw(), has.Index())
		case given:
			file, err = file.Remove(key)
		}
		if err != nil {
			return nil, err
		}
	}
	return file, nil
}

// completeRules gives each deployment of a file the id that the site has for its type.
func completeRules(file, site *document.Document) (*document.Document, error) {
	has, err := placement.FromDocument(site)
	if err != nil {
		return nil, fmt.Errorf("the rules of the site: %w", err)
	}
	rules, err := placement.FromDocument(file)
	if err != nil {
		return nil, err
	}
	if rules.Form() != placement.WholePolicy {
		return nil, errors.New("it is no whole policy, as a pull writes it")
	}
	ids := map[string]string{} // by type, as they are written
	for i, item := range has.Items() {
		if id, there := site.Find(idPath(has, i)); there && alone(has, i) {
			ids[item.DeploymentType] = id.Raw()
		}
	}
	for i, item := range rules.Items() {
		id, at := ids[item.DeploymentType], idPath(rules, i)
		switch {
		case id == "" || !alone(rules, i):
			if item.DeploymentID == "" {
				return nil, fmt.Errorf("the site has no deployment, or several, of the type %s: name its deploymentId", plain.Line(item.DeploymentType))
			}
		case item.DeploymentID != "":
			file, err = file.SetValue(at, id)
		default:
			file, err = file.Add(at.Parent(), deploymentID, id, -1)
		}
		if err != nil {
			return nil, err
		}
	}
	return file, nil
}

// alone reports whether no other deployment of a policy has the type of one.
func alone(rules placement.Policy, item int) bool {
	for i, other := range rules.Items() {
		if i != item && other.DeploymentType == rules.Items()[item].DeploymentType {
			return false
		}
	}
	return rules.Form() == placement.WholePolicy
}

// idPath leads to the id of a deployment.
func idPath(rules placement.Policy, item int) document.Path {
	return rules.RulesPath(item).Parent().Key(deploymentID)
}
