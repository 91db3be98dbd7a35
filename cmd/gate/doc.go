// Command gate finds dangerous AI-written code before it is merged: it scans
// changed files with static rules, has a local model judge them, and runs them in
// network-less containers.
//
// This package is the command line: one file a command, flags, wiring and exit
// codes, nothing else. Standard output carries the report and nothing but the
// report; progress and logs go to standard error.
package main
