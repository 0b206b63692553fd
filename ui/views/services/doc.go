// Package services is the view of the site's GIS services: their list, and of one its
// definition, placement, history and state.
//
// Start at [Model]: it routes, lays out and holds what its children share. The list is a
// [catalog] with the states of services (states.go) and a detail beside it; a service
// that was entered is a row of tabs (open.go). What is below has its own packages: editor
// is the tab in which a part of a service is edited, with jsonedit as its widget for a
// definition; placement adds what belongs to rules, with the widget rules; change is the
// one flow in which a change is sent, and the history; cluster is what is known of nodes,
// deployments and pods.
package services
