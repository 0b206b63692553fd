// Package services is the view of the site's GIS services: their list, and of one
// its definition, history and state. What changes a definition goes one way out:
// review, confirmation, one sending, a look at what the site made of it.
//
// Start at [Model]. An open service is a row of sections (section.go), each with
// its own file; way.go is the way out, for one service and for several.
package services
