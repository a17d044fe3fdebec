"""Makes the documents of this folder that only LibreOffice can make.

    /usr/bin/python3 build.py

It needs LibreOffice and its UNO package for Python. The password of every encrypted
document is "open sesame".
"""
import os
import shutil
import struct
import subprocess
import tempfile
import time

import uno
from com.sun.star.beans import PropertyValue

HERE = os.path.dirname(os.path.abspath(__file__))
WORDS = """<html><head><meta charset=utf-8></head><body>
<h1>Minutes</h1><p>The first page has <b>bold</b> text and a comment.</p>
<table border=1><tr><td>North</td><td>12</td></tr><tr><td>South</td><td>34</td></tr></table>
<p style="page-break-before:always">The second page ends here.</p>
<p style="page-break-before:always">The third page is the last.</p></body></html>"""
SCRIPTS = """<html><head><meta charset=utf-8></head><body>
<p dir=rtl>هذا نص عربي قصير مع رقم 1234 وكلمة English في وسطه، وينتهي هنا ثم يستمر السطر إلى ما بعد نهايته حتى ينكسر على سطرين أو أكثر من ذلك.</p>
<p style="page-break-before:always">中文文档很长的一段话，用来测试换行时是否会在行尾插入空格，因为一个段落在页面上会占用多行，而中文单词之间没有空格，所以合并的时候不应该有空格出现，一个也不行。</p>
<p><ruby>漢字<rt>かんじ</rt></ruby>のテスト</p></body></html>"""
SHEET = "Item\tDay\tShare\tWide\n北京\t2018-01-02\t12.50%\t1234567890123456\nMünchen\t2018-02-03\t7.00%\t9876543210987654\n"


# A function that a cell calls, and a file that it writes; a test replaces the path.
MACRO = 'Attribute VB_Name = "Module1"\r\nFunction Mark()\r\nOpen "' + "/" * 200 + '" For Output As #1\r\nPrint #1, "ran"\r\nClose #1\r\nMark = 7\r\nEnd Function\r\n'


def props(**values):
    return tuple(PropertyValue(name, 0, value, 0) for name, value in values.items())


def main():
    home = tempfile.mkdtemp()
    os.environ["OSL_SOCKET_PATH"] = home
    office = None
    try:
        local = uno.getComponentContext()
        resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
        while True:
            if office is None or office.poll() is not None:
                office = subprocess.Popen(["/usr/lib/libreoffice/program/soffice.bin", "-env:UserInstallation=file://" + home + "/profile", "-env:OSL_SOCKET_PATH=" + home,
                                           "--headless", "--norestore", "--nodefault", "--accept=pipe,name=build;urp;"])
            try:
                context = resolver.resolve("uno:pipe,name=build;urp;StarOffice.ComponentContext")
                break
            except Exception:
                time.sleep(0.1)
        make(context, home)
    finally:
        office.kill()
        shutil.rmtree(home, ignore_errors=True)


def make(context, home):
    desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)

    def source(name, text):
        path = os.path.join(home, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return "file://" + path

    def load(url, **values):
        return desktop.loadComponentFromURL(url, "_blank", 0, props(Hidden=True, **values))

    def save(document, name, filter, **values):
        document.storeToURL("file://" + os.path.join(HERE, name), props(FilterName=filter, **values))

    with open(os.path.join(HERE, "vbaProject.bin"), "wb") as file:
        file.write(macros(context))

    secret = dict(Password="open sesame")
    key = uno.createUnoStruct("com.sun.star.beans.NamedValue")
    key.Name, key.Value = "OOXPassword", "open sesame"
    kind = uno.createUnoStruct("com.sun.star.beans.NamedValue")
    kind.Name, kind.Value = "CryptoType", "Standard"
    package = dict(EncryptionData=uno.Any("[]com.sun.star.beans.NamedValue", (key, kind)))

    words = load(source("words.html", WORDS), FilterName="HTML (StarWriter)")
    comment = words.createInstance("com.sun.star.text.textfield.Annotation")
    comment.Author, comment.Content = "Ada", "Remarkable"
    cursor = words.Text.createTextCursor()
    cursor.gotoStart(False)
    cursor.gotoNextParagraph(False)
    words.Text.insertTextContent(cursor, comment, False)
    save(words, "words.docx", "MS Word 2007 XML")
    save(words, "words.doc", "MS Word 97")
    save(words, "words.rtf", "Rich Text Format")
    save(words, "words.pdf", "writer_pdf_Export")
    save(words, "locked.docx", "MS Word 2007 XML", **package)
    save(words, "locked.doc", "MS Word 97", **secret)
    save(words, "locked.pdf", "writer_pdf_Export", FilterData=uno.Any("[]com.sun.star.beans.PropertyValue", props(EncryptFile=True, DocumentOpenPassword="open sesame")))
    words.close(True)

    scripts = load(source("scripts.html", SCRIPTS), FilterName="HTML (StarWriter)")
    save(scripts, "scripts.docx", "MS Word 2007 XML")
    scripts.close(True)

    sheet = load(source("sheet.csv", SHEET), FilterName="Text - txt - csv (StarCalc)", FilterOptions="9,34,76,1,,1033,false,true")
    cells = sheet.getSheets().getByIndex(0)
    cells.getColumns().getByIndex(3).Width = 1000  # too narrow for its numbers
    at = uno.createUnoStruct("com.sun.star.table.CellAddress")
    at.Column = at.Row = 1
    cells.getAnnotations().insertNew(at, "Remarkable")
    for at, name in enumerate(("Second", "Third"), 1):
        sheet.getSheets().insertNewByName(name, at)
        sheet.getSheets().getByName(name).getCellByPosition(0, 0).String = name + " sheet"
    save(sheet, "sheet.xlsx", "Calc MS Excel 2007 XML")
    save(sheet, "sheet.xls", "MS Excel 97")
    save(sheet, "locked.xlsx", "Calc MS Excel 2007 XML", **package)
    save(sheet, "locked.xls", "MS Excel 97", **secret)
    sheet.close(True)

    slides = load("private:factory/simpress")
    pages = slides.getDrawPages()
    for at, title in enumerate(("First slide", "Second slide", "Third slide")):
        if at:
            pages.insertNewByIndex(at)
        page = pages.getByIndex(at)
        shape = slides.createInstance("com.sun.star.drawing.TextShape")
        page.add(shape)
        size, position = uno.createUnoStruct("com.sun.star.awt.Size"), uno.createUnoStruct("com.sun.star.awt.Point")
        size.Width, size.Height, position.X, position.Y = 15000, 3000, 2000, 2000
        shape.Size, shape.Position, shape.String = size, position, title
        if at == 0:
            annotation = page.createAndInsertAnnotation()
            annotation.Author = "Ada"
            annotation.TextRange.String = "Remarkable"
    save(slides, "slides.pptx", "Impress MS PowerPoint 2007 XML")
    save(slides, "slides.ppt", "MS PowerPoint 97")
    save(slides, "locked.pptx", "Impress MS PowerPoint 2007 XML", **package)
    slides.close(True)


def macros(context):
    """The part of an .xlsm with MACRO ([MS-OVBA])."""
    def pack(text):  # chunks of literals
        packed = b"".join(b"\0" + text[i:i + 8] for i in range(0, len(text), 8))
        return b"\1" + struct.pack("<H", 0xB000 | len(packed) - 1) + packed

    def record(id, data=b""):
        return struct.pack("<HI", id, len(data)) + data

    number, name = struct.pack("<I", 0), "Module1"
    directory = (record(0x01, struct.pack("<I", 3)) + record(0x03, struct.pack("<H", 1252)) + record(0x04, b"VBAProject") +
                 struct.pack("<HIIH", 0x09, 4, 1, 1) + record(0x0F, struct.pack("<H", 1)) + record(0x13, b"\xff\xff") +
                 record(0x19, name.encode()) + record(0x1A, name.encode()) + record(0x32, name.encode("utf-16-le")) +
                 record(0x31, number) + record(0x21) + record(0x2B) + record(0x10))

    def make(service, *arguments):
        return context.ServiceManager.createInstanceWithArgumentsAndContext("com.sun.star." + service, arguments, context)

    def storage(streams):
        file = make("io.TempFile")
        files = make("embed.OLESimpleStorage", file)
        for name, data in streams.items():
            if isinstance(data, bytes):
                stream = make("io.TempFile")
                stream.getOutputStream().writeBytes(uno.ByteSequence(data))
                stream.seek(0)
                data = stream.getInputStream()
            files.insertByName(name, data)
        files.commit()
        return files, file

    vba, _ = storage({"dir": pack(directory), "Module1": pack(MACRO.encode()), "_VBA_PROJECT": b"\xcc\x61\xff\xff\0\0\0"})
    _, file = storage({"VBA": vba, "PROJECT": b'Module=Module1\r\nName="VBAProject"\r\n'})
    file.seek(0)
    return file.getInputStream().readBytes(None, 1 << 20)[1].value


main()
