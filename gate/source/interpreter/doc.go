// Package interpreter knows the programs that run text: what each of them reads,
// and how a first line "#!" names one.
//
// It promises to take any line: options, assignments, quotes and programs that
// start other programs (env, nice, sudo, busybox) do not hide the interpreter
// behind them. Where a line names several, all of them are returned: anyone who reads
// the file reads it as each.
//
// It doesn't say which of them a system would really start.
package interpreter
