// Package versions compares two versions of a file, and says which lines of the
// newer one are new or mean something else than they did.
//
// An unedited line can still become code: the comment around it is
// closed earlier, "if false" above it becomes "if true", the "exit" before it goes
// away, the variable that it uses gets another value, or its key in a JSON file
// becomes "scripts". [Compare] gives every line a context, and a line keeps its
// meaning only when its context is that of the same line in the older version. A
// context is:
//
//   - how the line is read: as code, string or comment, and what the string or here
//     document belongs to
//   - the statement that it is a part of
//   - the blocks around it with their conditions: braces, indentation, keywords,
//     keys of JSON and YAML, sections, fences, elements, targets
//   - what ends the control flow before it: exit, return, raise, __END__
//   - what the names stand for that it uses, as far as this file says
//   - the first line, where it names an interpreter or an encoding
//   - all of that for code that is embedded in the file (package region)
//
// It promises to take any input, with work that grows with its size, and to lean
// to one side: where a context is not known, lines near a change count as changed.
// Of the lines that package linediff calls changed it calls unchanged only those of
// which nothing but the indentation is another, in the same context.
//
// It doesn't parse: a program can be written so that its lines change their
// meaning without a change in what is listed above, for example by another file.
package versions
