// Package simulator is the platform in one process: the whole administrative
// API over real HTTP in front of one small, coherent world. `geodeck demo` and
// `geodeck serve` ship it, and every test talks to it with the real client.
//
// It simulates what the documented API shows and refuses what the platform
// would refuse; it says plainly that it is a simulator. Start at [New].
//
// The parts:
//
//   - world.go holds what is true of the site; nothing in it runs on its own.
//     What happens later is scheduled, and settled by the first request after it.
//   - route.go holds the table of everything that is answered, with method,
//     privilege, read or write and the version that brought it; dispatch.go
//     enforces these rules. A handler has the world for itself and never waits:
//     it says how long its answer takes.
//   - Each area of the API has a file of its own, named like the client's. A new
//     one is a function that returns its routes, and one line in allRoutes.
//   - How an upgrade goes is data as well: the scripts are data/upgrade_*.yaml,
//     with each message, its usual time and what it does to the world;
//     upgrade_script.go plays them, upgrade_run.go lets them happen. What a
//     scenario changes of that is its Course; upgrade_log.go keeps the whole log,
//     and upgrade_told.go decides what of it the site tells at a moment.
//   - scenario.go, faults.go and happenings.go read what a scenario in YAML says
//     of the world, of the line to it, and of what will befall it. The scenarios
//     that ship are in scenarios/. moment.go binds all that to times and messages
//     rather than to requests, so that it is the same at any pace of asking.
//
// Time comes from a clock: the demo's runs at the wall's pace or faster, a
// test's moves when it is told to. Only the life of tokens is wall time. The
// same seed gives the same world.
package simulator
