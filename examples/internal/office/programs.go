package office

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// The programs that the engine uses, as errors name them.
const (
	libreOffice = "LibreOffice"
	unoPackage  = "the UNO package of Python"
	poppler     = "pdftotext of poppler"
)

// programs are the paths of what is installed; what is missing is empty.
type programs struct {
	soffice             string // The binary, not the script that starts it.
	python              string // One that imports uno.
	pdftotext, pdfinfo  string
	pdftoppm            string
	sofficeAsItWasFound string // For people.
}

// find looks on the PATH, and in the folders of LibreOffice's own installers.
func find(ctx context.Context) programs {
	var p programs
	p.sofficeAsItWasFound = firstOf("soffice", "libreoffice", "/Applications/LibreOffice.app/Contents/MacOS/soffice",
		filepath.Join(os.Getenv("ProgramFiles"), "LibreOffice", "program", "soffice.com"))
	p.pdftotext, p.pdfinfo = firstOf("pdftotext"), firstOf("pdfinfo")
	if p.pdfinfo == "" {
		p.pdftotext = "" // They come in one package, and both are needed.
	}
	p.pdftoppm = firstOf("pdftoppm")
	if p.sofficeAsItWasFound == "" {
		return p
	}
	p.soffice = p.sofficeAsItWasFound
	// The script would be the parent of the process that does the work.
	if real, err := filepath.EvalSymlinks(p.soffice); err == nil {
		if binary := firstOf(filepath.Join(filepath.Dir(real), "soffice.bin")); binary != "" {
			p.soffice = binary
		}
		p.python = findPython(ctx, filepath.Dir(real))
	}
	return p
}

// findPython looks for a Python that can talk to the LibreOffice in that folder.
func findPython(ctx context.Context, program string) string {
	if runtime.GOOS == "windows" {
		return "" // A process per document: the worker is not tested there.
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for _, name := range []string{filepath.Join(program, "python"), filepath.Join(program, "../Resources/python"), "/usr/bin/python3", "python3"} {
		if path := firstOf(name); path != "" && exec.CommandContext(ctx, path, "-c", "import uno").Run() == nil { //nolint:gosec // The names are above.
			return path
		}
	}
	return ""
}

// firstOf gives the first of the names that is a program.
func firstOf(names ...string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			if absolute, err := filepath.Abs(path); err == nil {
				return absolute
			}
		}
	}
	return ""
}
