// Command realrun measures what the sandbox layer executes of changes of real projects, and
// what the projects' own tests reach of the same lines without gate:
//
//	go run ./gate/lab/realrun -gate bin/gate -out results FOLDER
//	go run ./gate/lab/realrun -commits 5 -only chi -tests commands.json -out results FOLDER
//
// FOLDER holds bare repositories (NAME.git). Of each, some commits that change code are taken,
// of different kinds: with tests, without, tests only. For every commit gate scans what the
// commit changed, twice with nothing cached but the dependencies (cold, and after
// one more commit that adds a line to one file), and then the project's own tests run plainly:
// in the image that gate used, with the same counters of lines, without gate, its order of
// tests and its limits of time.
//
// Each commit is a line of JSON in results/table.jsonl; what is there is not measured again, so
// a run that was ended goes on. results/table.md has the table of all commits, that of the projects, and
// the causes.
// -tests names a file of JSON with the command of a project's tests where it is not what the
// language has: {"NAME": "mocha test"}. Exit codes: 0 measured, 1 not, 2 wrong usage.
//
// It promises that nothing of a project runs outside of a container. The figures are about the
// commits that they were measured on; times are those of a machine that may have had other work.
package main
