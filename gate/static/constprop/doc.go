// Package constprop works out constant texts that a program puts together from
// pieces, so that rules see what the program says instead of how it is spelled:
// "sys" + "tem", "\x6f\x73", chr(111) + chr(115), "metsys"[::-1],
// "".join(["o", "s"]), bytes.fromhex("6f73"), base64.b64decode("b3M="), c"ur"l.
//
// It promises that the result has the length and the line ends of the text, so
// that every offset keeps its line; that what is not folded stays as it is; and
// to take time linear in the text for any input.
//
// Names follows other names of modules and functions, and constants that variables
// hold. There only the lines stay where they are.
//
// It doesn't run anything, and it doesn't follow what comes from outside of the text.
package constprop
