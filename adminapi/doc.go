// Package adminapi speaks the administrative API of one site of a
// container-hosted geospatial platform: the wire, and nothing above it.
//
// Start reading at [Client] and [New]; then request.go, the one path that every
// request takes, reads.go and writes.go, the two ways onto it, and outcome.go,
// what a write may end as. fault.go knows the forms of an error, operations.go
// what each operation needs. Every area of the API has a file of its own
// (reports.go, jobs.go, startupgrade.go, uploads.go ...) with its types beside
// its calls.
//
// Values stay as the server sent them: ids, words and unknown members go back
// as they came and are never cleaned here. Text becomes fit for a terminal in
// package plain, and gets its meaning in the pure packages below this one
// (health ...). The package knows no files, no terminal and no global state.
//
// Resources are read with GET, operations are sent with POST; those that change
// nothing (Available, UpgradeSettings, CheckRollback) count as reads. Reads are
// repeated after transport errors and 502, 503 and 504; writes are sent once
// and return an [Outcome]. Errors are values of type [*Error] and match their
// [Kind] with errors.Is.
package adminapi
