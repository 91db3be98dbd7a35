// Command plantrun plants attacks as commits into real histories and asks whether gate's
// static layer finds them as it does in an empty repository:
//
//	go run ./gate/lab/plantrun -gate bin/gate -attacks fixtures/attacks -out results FOLDER
//
// FOLDER holds bare repositories (NAME.git). Each attack of the suite becomes one commit on
// the newest commit of two of them (-rounds), in turn, and one commit of an otherwise empty
// repository; all are scanned with --base. Its benign twin goes the same way. What a history already does
// makes findings milder (precedents), so this measures what that costs.
//
// Each attack in a history is a line of JSON in results/planted.jsonl; what is there is not measured again,
// so a run that was ended goes on. results/planted.md has the totals and every attack that gets
// a milder verdict in the history. Exit codes: 0 measured and nothing milder, 1 something
// milder or not measured, 2 wrong usage.
//
// Nothing of an attack or of a history runs: files are written, committed and read.
package main
