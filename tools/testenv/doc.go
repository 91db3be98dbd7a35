// Package testenv finds the real parts that tests run against: a container
// engine, its runtimes, the sandbox images, an Ollama server with the tiny
// models, editors, and a static gate binary.
//
// It promises that a part it hands out answered just now, and that a test never
// passes because a part is missing: without the part the test is skipped, with
// the command that brings the part up, and with GATE_TEST_REQUIRE=1, which
// `make test` sets, it fails. It is the only place in the project that may skip
// a test.
//
// It does not start or install anything: that is what `make test` does (package
// tools/engine and its neighbours). The one thing it builds is gate itself.
package testenv
