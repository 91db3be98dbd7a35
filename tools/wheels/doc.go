// Package wheels serves an index of Python packages, as pip asks for one, whose
// wheels are made from Debian's packages named python3-*. It lets projects of
// Python be tested with the libraries that they name where no public index can be
// reached and Debian's mirrors can.
//
// It promises that what it serves is what Debian packaged: a package is checked
// against the sum in the index of its suite, and keeps the name, the version and
// the requirements that its own metadata has. It fetches and converts a package
// when its project is asked for, and keeps the wheel.
//
// It is no copy of a public index: it has the one version that each suite has,
// compiled packages fit one version of Python only, and what Debian does not
// package is not there. Signatures of suites are not checked; what is installed
// from it runs in sandboxes only.
//
// Package wheels/serve is the command that serves such an index.
package wheels
