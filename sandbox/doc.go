// Package sandbox runs one hostile program in one fresh container and says what
// became of it: Spec in, Result out.
//
// What it promises: the confinement is the literal in profile.go and nothing in
// a Spec can loosen it beyond the deltas named there; no path of the host is
// ever mounted; input is streamed in as a tar and output is streamed out,
// bounded; a container serves one Run and is destroyed; everything carries the
// labels of its run, so that what a killed gate leaves behind is swept by the
// next one, and nobody else's containers are touched.
//
// What it does not do: know languages, files to run, findings or verdicts. It
// knows nothing of package gate.
package sandbox
