package main

import (
	"cmp"
	"image"
	"image/color"
	"slices"
)

// quantize draws a picture with the 256 colours that cover most of it. A page has few
// colours; the rest are the edges of letters.
func quantize(from image.Image) *image.Paletted {
	bounds := from.Bounds()
	counts := map[color.RGBA]int{}
	each(bounds, func(x, y int) { counts[coarse(from.At(x, y))]++ })
	colours := make([]color.RGBA, 0, len(counts))
	for c := range counts {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	palette := color.Palette{}
	for _, c := range colours[:min(256, len(colours))] {
		palette = append(palette, c)
	}
	to := image.NewPaletted(bounds, palette)
	index := make(map[color.RGBA]uint8, len(counts))
	each(bounds, func(x, y int) {
		c := coarse(from.At(x, y))
		i, ok := index[c]
		if !ok {
			i = uint8(palette.Index(c)) //nolint:gosec // A palette has 256 colours.
			index[c] = i
		}
		to.SetColorIndex(x, y, i)
	})
	return to
}

func each(bounds image.Rectangle, f func(x, y int)) {
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			f(x, y)
		}
	}
}

// coarse drops what nobody sees.
func coarse(c color.Color) color.RGBA {
	r, g, b, _ := c.RGBA()
	round := func(v uint32) uint8 { return uint8(min(255, (v>>8+1)/3*3)) }
	return color.RGBA{round(r), round(g), round(b), 255}
}
