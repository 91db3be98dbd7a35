// Package probe asks a container engine whether it is alive and whether
// containers really run under one of its runtimes, for the tools that bring an
// engine up and for the tests that need one.
//
// It promises to leave nothing behind and to answer "works" only after a
// container ran and ended well: an engine that lists a runtime which cannot
// start anything is a broken one. It configures and installs nothing.
package probe
