// Command blindrun runs gate on a blind set, and says how much it finds and how often it is
// wrong:
//
//	go run ./gate/lab/blindrun -gate bin/gate -out results fixtures/blind/pulls-1-pysh.tar.gz
//	go run ./gate/lab/blindrun -gate bin/gate -layers static,sandbox -out results FOLDER
//
// A set is a folder, or the same as .tar.gz, with labels.jsonl and for each sample a folder of its
// id, which holds the tree before the change (base) and after it (head). Each sample becomes a
// repository of two commits in a temporary folder, with neither configuration nor hooks of
// the user, and is scanned with --base.
//
// Each sample is a line of JSON in results/samples.jsonl; what is there is not measured again,
// so a run that was ended goes on. Results of another set, another gate or other layers are
// refused. results/blind.md is the table, with 95 % intervals (Wilson), by language, difficulty and layer, and
// the samples that were missed or wrongly found. Exit codes: 0 measured, 1 not, 2 wrong usage.
//
// It promises that nothing of a sample runs outside of a container, and that the digest in the
// table is that of all files of the set. It does not judge whether a label is right.
package main
