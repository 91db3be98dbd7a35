// Command words holds the project's own texts to plain English: it counts the words of
// words.yaml in comments, messages, rules and pages, package by package.
//
//	go run ./tools/words            # fails where a package has more of them than counts.yaml allows
//	go run ./tools/words -list docs # every hit below a folder, with the better word
//	go run ./tools/words -pages     # words and sentences of each page
//	go run ./tools/words -update    # writes counts.yaml and pages.yaml after something was improved
//
// counts.yaml may only shrink: -update refuses a package that has more than before. It reads
// files that git tracks; fixtures, test data, the changelog and pages that are generated
// from code are left out, because their words are a third party's or counted where they come from.
//
// It also measures the sentences of the pages: the mean number of words, and the share of
// sentences above 20. pages.yaml has both for each page and for all of them together. The sum
// may only improve, and so may a page that is above 16 words or 25 %.
//
// It promises nothing about style beyond that list. Exit codes: 0 fine, 1 hits, 2 wrong usage.
package main
