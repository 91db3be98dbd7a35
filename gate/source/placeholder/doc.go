// Package placeholder works out what the tools of pipelines and deployments write in
// the place of placeholders: ${{ format('cu{0}', 'rl') }}, {{ a }}{{ b | lower }},
// << parameters.tool >>, $(name), ${var.tool}, %(name)s, {env:NAME:default}.
//
// It reads all dialects at once, because a file does not always say whose it is. Their
// functions differ in the order of arguments more than in what they do, so the
// kinds of the arguments decide.
//
// It promises to take any text, to do a bounded amount of work, and to leave what
// it can't work out as it is written. It knows only the names that the caller tells
// it, and runs nothing.
package placeholder
