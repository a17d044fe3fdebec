package office_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"strings"
)

// pdf writes objects 1, 2 and so on, of which the first is the catalog.
func pdf(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.5\n")
	var offsets []int
	for i, body := range objects {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes()
}

// deflated packs a stream.
func deflated(text string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

// stream is an object with data.
func stream(dict, data string) string {
	return fmt.Sprintf("<</Length %d%s>>stream\n%s\nendstream", len(data), dict, data)
}

// Objects of most of them.
const (
	cat  = "<</Type/Catalog/Pages 2 0 R>>"
	one  = "<</Type/Pages/Kids[3 0 R]/Count 1>>"
	page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>"
	font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
	show = "BT /F 9 Tf 5 5 Td (seen) Tj ET\n"
)

// greedyPDFs are such a PDF, or one that goes in circles.
var greedyPDFs = map[string]func() []byte{
	"good": func() []byte { return pdf(cat, one, page, stream("", show), font) },
	"tree loop": func() []byte {
		return pdf(cat, "<</Type/Pages/Kids[2 0 R 3 0 R]/Count 2>>", page, stream("", show), font)
	},
	"tree loop big": func() []byte {
		return pdf(cat, "<</Type/Pages/Kids["+strings.Repeat("2 0 R ", 1000)+" 3 0 R]/Count 1000000>>", page, stream("", show), font)
	},
	"deep tree": func() []byte {
		objects := []string{cat}
		for i := range 100_000 {
			objects = append(objects, fmt.Sprintf("<</Type/Pages/Kids[%d 0 R]/Count 1>>", i+3))
		}
		return pdf(append(objects, "<</Type/Page/MediaBox[0 0 99 99]>>")...)
	},
	"one page 1e6 times": func() []byte {
		return pdf(cat, "<</Type/Pages/Kids["+strings.Repeat("3 0 R ", 1_000_000)+"]/Count 1000000>>", page, stream("", show), font)
	},
	"1e6 pages": func() []byte {
		objects := make([]string, 0, 1_000_005)
		objects = append(objects, cat, "", "<<>>", stream("", show), font)
		var kids strings.Builder
		for i := range 1_000_000 {
			objects = append(objects, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>")
			fmt.Fprintf(&kids, "%d 0 R ", i+6)
		}
		objects[1] = "<</Type/Pages/Kids[" + kids.String() + "]/Count 1000000>>"
		return pdf(objects...)
	},
	"count lies": func() []byte {
		return pdf(cat, "<</Type/Pages/Kids[3 0 R]/Count 2147483647>>", page, stream("", show), font)
	},
	"count lies negative": func() []byte { return pdf(cat, "<</Type/Pages/Kids[3 0 R]/Count -5>>", page, stream("", show), font) },
	"content spaces 2GB": func() []byte {
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		space := bytes.Repeat([]byte(" "), 1<<20)
		for range 2000 {
			_, _ = w.Write(space)
		}
		_ = w.Close()
		return pdf(cat, one, page, stream("/Filter/FlateDecode", b.String()), font)
	},
	"filters nested": func() []byte {
		s := strings.Repeat(" ", 500<<20)
		s = deflated(deflated(s))
		return pdf(cat, one, page, stream("/Filter[/FlateDecode/FlateDecode]", s), font)
	},
	"forms exponential": func() []byte {
		objects := []string{cat, one, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>>>", stream("", "/X Do"), font}
		for i := range 12 {
			objects = append(objects, stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<</Font<</F 5 0 R>>/XObject<</X %d 0 R>>>>", 7+i), show+strings.Repeat("/X Do ", 10)))
		}
		objects = append(objects, stream("/Type/XObject/Subtype/Form/BBox[0 0 99 99]", ""))
		return pdf(objects...)
	},
	"form in itself": func() []byte {
		return pdf(cat, one, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>>>", stream("", show+"/X Do"), font,
			stream("/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<</XObject<</X 6 0 R>>>>", "/X Do /X Do"))
	},
	"contents many": func() []byte {
		return pdf(cat, one, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents["+strings.Repeat("4 0 R ", 5_000_000)+"]/Resources<</Font<</F 5 0 R>>>>>>", stream("", show), font)
	},
	"cmap": func() []byte {
		cmap := "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00000000> <FFFFFFFF> endcodespacerange 1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange endcmap"
		return pdf(cat, one, page, stream("", show), "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/A/CIDSystemInfo<</Registry(A)/Ordering(B)/Supplement 0>>>>]/ToUnicode 6 0 R>>", stream("", cmap))
	},
	"widths": func() []byte {
		return pdf(cat, one, page, stream("", show), "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/A/CIDSystemInfo<</Registry(A)/Ordering(B)/Supplement 0>>/W[0 2147483647 5]>>]>>")
	},
	"mediabox": func() []byte {
		return pdf(cat, one, strings.Replace(page, "[0 0 99 99]", "[0 0 1e30 1e30]", 1), stream("", show), font)
	},
	"far text": func() []byte {
		var b strings.Builder
		for i := range 2000 {
			fmt.Fprintf(&b, "BT /F 9 Tf %d %d Td (x) Tj ET\n", i*1_000_000, i*900_000)
		}
		return pdf(cat, one, page, stream("", b.String()), font)
	},
	"nested dicts": func() []byte {
		return pdf("<</Type/Catalog/Pages 2 0 R/X"+strings.Repeat("[", 5_000_000)+">>", one, page, stream("", show), font)
	},
	"deep pages ref": func() []byte { return pdf("<</Type/Catalog/Pages 2 0 R>>", "3 0 R", "2 0 R", stream("", show), font) },
	"no xref objects": func() []byte {
		return []byte("%PDF-1.5\n" + strings.Repeat("1 0 obj\n<<>>\nendobj\n", 2_000_000) + "trailer<</Root 1 0 R>>")
	},
	"xref loop": func() []byte {
		b := pdf(cat, one, page, stream("", show), font)
		i := bytes.LastIndex(b, []byte("xref\n0"))
		return bytes.Replace(b, []byte("trailer<<"), []byte(fmt.Sprintf("trailer<</Prev %d/XRefStm %d", i, i)), 1)
	},
	"xref size": func() []byte {
		b := pdf(cat, one, page, stream("", show), font)
		b = bytes.Replace(b, []byte("xref\n0 6"), []byte("xref\n0 2000000000"), 1)
		return bytes.Replace(b, []byte("/Size 6"), []byte("/Size 2147483647"), 1)
	},
	"xref start": func() []byte {
		b := pdf(cat, one, page, stream("", show), font)
		return bytes.Replace(b, []byte("xref\n0 6"), []byte("xref\n2000000000 6"), 1)
	},
	"xref stream": func() []byte {
		var b bytes.Buffer
		b.WriteString("%PDF-1.5\n")
		start := b.Len()
		b.WriteString("1 0 obj\n" + stream("/Type/XRef/Size 500000000/W[1 4 4]/Index[0 500000000]/Root 2 0 R/Filter/FlateDecode", deflated(strings.Repeat("\x00", 400<<20))) + "\nendobj\n")
		fmt.Fprintf(&b, "startxref\n%d\n%%%%EOF\n", start)
		return b.Bytes()
	},
	"object stream": func() []byte {
		return pdf("<</Type/Catalog/Pages 2 0 R>>", one, page, stream("", show), font, stream("/Type/ObjStm/N 1000000000/First 100/Filter/FlateDecode", deflated(strings.Repeat("1 0 ", 100<<20))))
	},
	"object stream used": func() []byte {
		var b bytes.Buffer
		b.WriteString("%PDF-1.5\n")
		at := b.Len()
		body := strings.Repeat("2 0 ", 1_000_000)
		b.WriteString("1 0 obj\n" + stream(fmt.Sprintf("/Type/ObjStm/N 1000000/First %d/Filter/FlateDecode", len(body)), deflated(body+"<</Type/Catalog/Pages 3 0 R>>")) + "\nendobj\n")
		start := b.Len()
		row := func(t byte, a uint32, c uint16) string {
			return string([]byte{t}) + string(binary.BigEndian.AppendUint32(nil, a)) + string(binary.BigEndian.AppendUint16(nil, c))
		}
		b.WriteString("4 0 obj\n" + stream("/Type/XRef/Size 5/W[1 4 2]/Root 2 0 R", row(0, 0, 0)+row(1, uint32(at), 0)+row(2, 1, 0)+row(2, 1, 1)+row(1, uint32(start), 0)) + "\nendobj\n")
		fmt.Fprintf(&b, "startxref\n%d\n%%%%EOF\n", start)
		return b.Bytes()
	},
	"object stream extends itself": func() []byte {
		return pdf("<</Type/Catalog/Pages 2 0 R>>", one, page, stream("", show), font, stream("/Type/ObjStm/N 1/First 4/Extends 6 0 R", "9 0 <<>>"))
	},
	"outlines": func() []byte {
		return pdf("<</Type/Catalog/Pages 2 0 R/Outlines 6 0 R>>", one, page, stream("", show), font, "<</First 6 0 R/Last 6 0 R/Next 6 0 R>>")
	},
	"length loop": func() []byte {
		return pdf(cat, one, page, "<</Length 4 0 R>>stream\n"+show+"\nendstream", font)
	},
	"uri launch": func() []byte {
		return pdf("<</Type/Catalog/Pages 2 0 R/OpenAction<</S/Launch/F(/bin/sh)>>>>", one, strings.Replace(page, "/Contents", "/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(http://127.0.0.1:1/)>>>>]/Contents", 1), stream("", show), font)
	},
	"one string 100MB": func() []byte {
		return pdf(cat, one, page, stream("/Filter/FlateDecode", deflated("BT /F 9 Tf 5 5 Td ("+strings.Repeat("word ", 20<<20)+") Tj ET")), font)
	},
	"type3": func() []byte {
		return pdf(cat, one, page, stream("", show), "<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[1 0 0 1 0 0]/FirstChar 0/LastChar 255/Widths["+strings.Repeat("9 ", 256)+"]/Encoding<</Differences[115/s/e/e/n]>>/CharProcs<</s 6 0 R/e 6 0 R/n 6 0 R>>/Resources<</Font<</F 5 0 R>>>>>>", stream("", "BT /F 9 Tf (seen) Tj (seen) Tj ET"))
	},
}
