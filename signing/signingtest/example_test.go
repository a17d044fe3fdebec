package signingtest_test

import (
	"fmt"
	"io/fs"

	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// The vectors are text files that any language can read.
func ExampleVectors() {
	text, err := fs.ReadFile(signingtest.Vectors(), "sign/published.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(text))
	// Output:
	// comment: The example that the public documentation prints, with its own result.
	// credentials: SVC-2 SX1001 wJalrXUtnFEYEXAMPLEKES
	// date: Wed, 23 Jan 2013 06:43:08 GMT
	// content-type: application/json
	// payload: ""
	// content-md5: d41d8cd98f00b204e9800998ecf8427e
	// authorization: SVC-2:SX1001:083500176fa3aab58ca2dc962978013b3ca2b6df
}
