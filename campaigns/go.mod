module github.com/weboffice-go/weboffice/campaigns

go 1.25.0

require github.com/weboffice-go/weboffice v0.0.0

replace github.com/weboffice-go/weboffice => ../
