module github.com/weboffice-go/weboffice/examples/emulator/internal/pagetest

go 1.25.0

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
	github.com/weboffice-go/weboffice v0.1.0
	github.com/weboffice-go/weboffice/examples v0.1.0
)

require (
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/go-resty/resty/v2 v2.17.2 // indirect
	github.com/yuin/goldmark v1.8.7 // indirect
	go.etcd.io/bbolt v1.5.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/net v0.58.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/text v0.41.0 // indirect
)

replace github.com/weboffice-go/weboffice => ../../../..

replace github.com/weboffice-go/weboffice/examples => ../../..
