// Command compare measures gate beside other static tools on the same files, and writes
// the table of docs/detection.md:
//
//	go run ./gate/lab/compare convert -from FOLDER -to CORPUS
//	go run ./gate/lab/compare benign -to CORPUS
//	go run ./gate/lab/compare table -gate bin/gate -o docs/detection.md CORPUS...
//
// `make detection` does all of it. convert turns malicious programs in JSON lines
// into a corpus; benign copies a sample of the code that every machine has;
// table runs the tools and replaces what is between the marks of the page.
//
// It runs the other tools on the host, over code that no one runs: none of them
// executes what it reads. What is chosen depends on nothing but the names of the
// files, so that two runs on one machine look at the same ones.
//
// Exit codes: 0 done, 1 a tool or a file went wrong, 2 wrong usage.
package main
