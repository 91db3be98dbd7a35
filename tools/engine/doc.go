// Command engine brings up the container engine that the demo and the tests
// need, on a machine that may have none:
//
//	go run ./tools/engine up            the engine and the base image
//	go run ./tools/engine up -runsc     and gVisor's runtime in it
//	go run ./tools/engine down          stop the engine that up has started
//
// It uses the engine that answers. Where none does it installs Docker and starts
// it, but only as root on Debian or Ubuntu, only after saying what it will do,
// and not when ENGINE=never is set; everywhere else it prints the commands and
// fails. It may be run any number of times, also side by side: what is there is
// left alone.
//
// What it fixes on the way, because machines that were killed or rebooted in the
// middle come like that: missing cgroup mounts, PID files of processes that are
// gone, sockets that no one listens on. What it only reports: an engine that
// cannot limit memory or processes, because the sandbox would not hold.
//
// Everything it prints goes to standard error. Exit codes: 0 the engine is up,
// 1 it is not, 2 wrong usage.
package main
