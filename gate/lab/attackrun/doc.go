// Package attackrun runs the attack suite against the layers of this machine, which is
// the command `gate attack`:
//
//	samples, or attacks that a model writes → attack.Run over open layers → result,
//	history, issue
//
// What it promises: the options are checked before anything is read or started; the
// layers are those that a scan has on this machine, each opened by itself; the result is
// written also where something in it failed, and the error has its exit code (package
// exit).
//
// What it does not do: judge what a layer said or what a container did (package attack),
// or watch the machine (package hostwatch).
package attackrun
