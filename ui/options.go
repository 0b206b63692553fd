package ui

import (
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/theme"
	"geodeck/ui/paint"
)

// Options say what the dashboard shows and how.
type Options struct {
	// Site is the platform. A nil Client means that there is none: only saved
	// files can be opened.
	Site operation.Site
	// Name is what the header calls the site, such as "demo".
	Name string
	// Demo marks the simulator, in the header of every screen.
	Demo bool
	// User is offered in the sign-in dialog.
	User string
	// Theme is the look; Clock the time, the simulator's in a demo.
	Theme *theme.Theme
	Clock adminapi.Clock
	// Pace times what is shown for a while and what ticks. It is not Clock, which
	// may run faster than people read; nil means the machine's.
	Pace adminapi.Clock
	// Terminal is where copied text goes; nil where there is none.
	Terminal *paint.Terminal
	// Local is the zone of local times; nil means the machine's.
	Local *time.Location
	// Unrecorded is why nothing can be recorded, and so nothing can be sent to
	// change the site; nil where it can.
	Unrecorded error
	// Notice is shown at the start, such as what was added to the address.
	Notice string
	// File is a saved report that is opened at the start.
	File string
	// Folder is where exports are written; empty means the working directory.
	Folder string
	// Nodes is where the nodes of the cluster are read from, for the placement of
	// pods; the zero source is none.
	Nodes operation.NodeSource
	// Debug is told the type of each message; nil where nobody wants to know.
	Debug func(kind string)
	// Alarms say how a user who looks elsewhere is called.
	Alarms AlarmOptions
}

// AlarmOptions say how a user who looks elsewhere is called where an upgrade that
// is watched ends or stalls. They can be switched off and on while it is watched.
type AlarmOptions struct {
	Bell   bool            // rings the bell of the terminal
	Notify bool            // notifies through the terminal (OSC 9)
	Hook   *operation.Hook // is run; nil for none
}
