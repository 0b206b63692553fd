// Package simulator is the platform in one process: the whole administrative
// API over real HTTP in front of one small, coherent world. `geodeck demo` and
// `geodeck serve` ship it, and every test talks to it with the real client.
//
// It simulates what the documented API shows and refuses what the platform
// would refuse; it says plainly that it is a simulator. Start at [New]; the
// world is in world.go, each area of the API in a file of its own named like
// the client's, and scenarios are YAML in scenarios/.
//
// Time comes from a clock: the demo's runs at the wall's pace or faster, a
// test's moves when it is told to. The same seed gives the same world.
package simulator
