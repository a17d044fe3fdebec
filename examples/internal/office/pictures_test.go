package office_test

import (
	"bytes"
	"errors"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/weboffice-go/weboffice/examples/internal/office"
	"github.com/weboffice-go/weboffice/examples/internal/office/officetest"
)

func TestPagesAsPictures(t *testing.T) {
	t.Parallel()
	engine := officetest.Engine(t, office.Config{})
	path := "testdata/words.pdf"
	sizes, pages, err := engine.PageSizes(t.Context(), path, 1)
	if err != nil || pages < 1 || len(sizes) != 1 || sizes[0].Width < 100 || sizes[0].Height < 100 {
		t.Fatalf("PageSizes() = %v, %d, %v", sizes, pages, err)
	}
	var picture bytes.Buffer
	if err := engine.Picture(t.Context(), path, 1, 300, &picture); err != nil {
		t.Fatal(err)
	}
	decoded, err := png.Decode(&picture)
	if err != nil {
		t.Fatal(err)
	}
	b := decoded.Bounds()
	if want := 300 * sizes[0].Height / sizes[0].Width; b.Dx() != 300 || math.Abs(float64(b.Dy())-want) > 2 {
		t.Errorf("the picture has %dx%d pixels, want 300x%.0f", b.Dx(), b.Dy(), want)
	}

	broken := filepath.Join(t.TempDir(), "broken.pdf")
	if err := os.WriteFile(broken, []byte("%PDF-1.7\nnothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := engine.Picture(t.Context(), broken, 1, 300, &picture); !errors.Is(err, office.ErrDamaged) {
		t.Errorf("Picture() of a broken PDF = %v, want ErrDamaged", err)
	}
	if _, _, err := engine.PageSizes(t.Context(), broken, 1); !errors.Is(err, office.ErrDamaged) {
		t.Errorf("PageSizes() of a broken PDF = %v, want ErrDamaged", err)
	}
}

func TestPicturesNeedPoppler(t *testing.T) {
	t.Parallel()
	engine := plain(t)
	var missing *office.MissingError
	if err := engine.Picture(t.Context(), "testdata/words.pdf", 1, 300, &bytes.Buffer{}); !errors.As(err, &missing) {
		t.Errorf("Picture() = %v, want a MissingError", err)
	}
}
