// Package samples has the code of README.md and of the pages in docs, which stands here
// word for word, in the programs below this folder and in the tests beside this file. All
// of it is compiled, and run against the fakes.
package samples
