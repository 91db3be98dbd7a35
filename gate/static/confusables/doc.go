// Package confusables reads words as people see them: letters of other alphabets
// that look like Latin ones (Letters), and words whose letters stand apart or are
// digits (Disguised). Rules know words in plain letters only.
//
// It promises that lines stay where they are, and to take time linear in the text
// for any input. Offsets within a line may change.
//
// It doesn't judge: that a word was disguised is for rules to say.
package confusables
