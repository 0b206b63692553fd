package services

import (
	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui/views/services/jsonedit"
)

// definition is the section in which a definition is edited.
type definition struct{ *edited }

func newDefinition(m *Model, service adminapi.ServiceRef) section {
	return definition{&edited{m: m, target: operation.DefinitionOf(service), editor: jsonedit.New(m.env.Theme)}}
}

func (d definition) title() string { return "Definition" }
