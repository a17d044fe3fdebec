module github.com/weboffice-go/weboffice

go 1.25.0

require (
	github.com/go-resty/resty/v2 v2.17.2
	github.com/google/go-cmp v0.7.0
	github.com/jarcoal/httpmock v1.4.2
	github.com/yuin/goldmark v1.8.7
)

require golang.org/x/net v0.43.0 // indirect
