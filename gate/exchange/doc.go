// Package exchange carries files between a folder of this machine and a program in the
// sandbox: [Read] takes what the program is given, [Write] keeps what it handed out.
//
// What it promises: both directions are bounded in number, bytes and depth; links are
// neither followed nor made; what a program hands out is written below the folder that was
// named and nowhere else, as plain files that no one can execute, and in place of nothing
// that is there; every file that is left out is named with the reason.
//
// What it does not do: judge the content. Files of a hostile program are hostile.
package exchange
