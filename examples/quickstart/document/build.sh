#!/bin/sh
# Makes handbook.docx from handbook.html. It needs LibreOffice.
set -eu
cd "$(dirname "$0")"
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT
soffice "-env:UserInstallation=file://$profile" --headless \
	--infilter="HTML (StarWriter)" --convert-to "docx:MS Word 2007 XML" --outdir . handbook.html
