// Package doctor looks at the machine that gate runs on: whether everything is there that
// the layers need, and which command gets what is missing.
//
// [Run] is `gate doctor`. [Examine] only looks; what changes something (building images,
// removing leftovers, fetching a model) happens only where [Options] asks for it.
//
// What it promises: a check that fails to get an answer says so and is not a success; what
// the policy requires and is not there makes the run incomplete; text that a container
// engine, a server or a file gave is shown as printable characters only.
//
// What it does not do: install programs, change the settings of the machine, or put
// anything through the layers.
package doctor
