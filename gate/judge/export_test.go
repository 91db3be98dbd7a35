package judge

// Comments is a real lexer for the tests outside of the package.
var Comments Splitter = splitter
