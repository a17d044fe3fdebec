"""Keeps one LibreOffice running and converts documents with it, one at a time.

Started by the engine as: worker.py SOFFICE FOLDER. Jobs arrive on stdin, answers
are written to stdout, both a JSON object a line. When stdin ends, which is also
what happens when the engine is killed, LibreOffice is killed and FOLDER removed.
"""
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

SOFFICE, FOLDER = sys.argv[1:3]
answers = os.fdopen(os.dup(1), "w", encoding="ascii")
os.dup2(2, 1)  # nothing else may write into the answers

import uno  # noqa: E402
import unohelper  # noqa: E402
from com.sun.star.beans import PropertyValue  # noqa: E402
from com.sun.star.task import XInteractionHandler, XStatusIndicator  # noqa: E402

PIPE = "pipe,name=" + os.path.basename(FOLDER) + ";urp;StarOffice.ComponentContext"
VALUE, DATETIME, STRING, FORMULA = 1, 2, 4, 16  # com.sun.star.sheet.CellFlags

# Filters for what the engine found in the content. Others must not be guessed.
FILTERS = {
    "com.sun.star.text.TextDocument": ("writer_pdf_Export", ("MS Word 2007 XML", "MS Word 2007 XML Template", "MS Word 2007 XML VBA", "Office Open XML Text", "MS Word 97", "MS Word 97 Vorlage", "MS Word 95", "MS Word 95 Vorlage", "MS WinWord 6.0", "MS WinWord 5", "Rich Text Format")),
    "com.sun.star.sheet.SpreadsheetDocument": ("calc_pdf_Export", ("Calc MS Excel 2007 XML", "Calc MS Excel 2007 XML Template", "Calc MS Excel 2007 VBA XML", "Calc MS Excel 2007 Binary", "Calc Office Open XML", "MS Excel 97", "MS Excel 97 Vorlage/Template", "MS Excel 95", "MS Excel 95 Vorlage/Template", "MS Excel 5.0/95", "MS Excel 5.0/95 Vorlage/Template", "MS Excel 4.0", "MS Excel 4.0 Vorlage/Template")),
    "com.sun.star.presentation.PresentationDocument": ("impress_pdf_Export", ("Impress MS PowerPoint 2007 XML", "Impress MS PowerPoint 2007 XML Template", "Impress MS PowerPoint 2007 XML AutoPlay", "Impress MS PowerPoint 2007 XML VBA", "Impress Office Open XML", "MS PowerPoint 97", "MS PowerPoint 97 Vorlage", "MS PowerPoint 97 AutoPlay")),
}


class Refused(Exception):
    """A document that is not converted. Its text is a word that the engine knows."""


def answer(**fields):
    try:
        json.dump(fields, answers)
        answers.write("\n")
        answers.flush()
    except OSError:
        pass  # the engine is gone, and the other thread ends this process


def die_with_us():
    """Makes the end of this process the end of LibreOffice, where Linux knows how."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Office:
    """The process and the connection to it."""

    def __init__(self):
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            [SOFFICE, "-env:UserInstallation=" + uno.systemPathToFileUrl(os.path.join(FOLDER, "profile")),
             "--headless", "--invisible", "--nologo", "--norestore", "--nodefault", "--nofirststartwizard", "--nolockcheck",
             "--accept=" + PIPE],
            preexec_fn=die_with_us, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def connect(self):
        local = uno.getComponentContext()
        resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
        restarts = 0
        self.start()
        while True:
            try:
                context = resolver.resolve("uno:" + PIPE)
                return context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
            except Exception:
                time.sleep(0.02)
            if self.process.poll() is not None:
                restarts += 1
                if self.process.returncode != 81 or restarts > 2:  # 81: start me again, the profile is new
                    sys.exit("LibreOffice ended with %d while it started" % self.process.returncode)
                self.start()

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()


class Silent(unohelper.Base, XInteractionHandler):
    """Answers no question, so that nothing waits for a person."""

    def handle(self, request):
        pass


class Indicator(unohelper.Base, XStatusIndicator):
    """Reports progress between two shares of the whole."""

    def __init__(self, low, high):
        self.low, self.high, self.range, self.said = low, high, 1, 0

    def start(self, text, range):
        self.range = max(range, 1)

    def setValue(self, value):
        share = self.low + (self.high - self.low) * min(max(value / self.range, 0), 1)
        if share > self.said + 0.01:
            self.said = share
            answer(progress=share)

    def end(self):
        pass

    def setText(self, text):
        pass

    def reset(self):
        pass


def properties(**values):
    return tuple(PropertyValue(name, 0, value, 0) for name, value in values.items())


def load(desktop, job):
    """Opens the document: with the type that LibreOffice detects or, where it
    detects none, with the filter of the type that the engine found."""
    values = dict(Hidden=True, MacroExecutionMode=0, UpdateDocMode=0,  # NEVER_EXECUTE, NO_UPDATE
                  InteractionHandler=Silent(), StatusIndicator=Indicator(0.05, 0.5))
    if job.get("password"):
        values["Password"] = job["password"]
    url = uno.systemPathToFileUrl(job["in"])
    for filter in ("", job.get("filter", "")):
        if filter:
            values["FilterName"] = filter
        try:
            document = desktop.loadComponentFromURL(url, "_blank", 0, properties(**values))
        except Exception:
            if desktop_is_gone(desktop):
                raise
            document = None
        if document is not None:
            return document
    raise Refused("load")


def desktop_is_gone(desktop):
    try:
        desktop.getFrames()
        return False
    except Exception:
        return True


def export_filter(document):
    name = next((p.Value for p in document.getArgs() if p.Name == "FilterName"), "")
    for service, (export, known) in FILTERS.items():
        if document.supportsService(service) and name in known:
            return export
    raise Refused("type")


def fit_numbers(document):
    """Lets numbers shrink to their cell: ### in their place would lose them."""
    for sheet in document.getSheets():
        try:
            sheet.unprotect("")
            sheet.queryContentCells(VALUE | DATETIME | FORMULA).ShrinkToFit = True
        except Exception:
            pass  # a sheet with a password, or without numbers


def mark_words(document):
    """Puts a mark in the place of text that its cell wraps, turns or hides, and gives the
    texts: words would be broken or cut in the PDF, and read after the rest of the page.
    Text that flows over empty cells can be a page of its own, and stays. Nothing is
    replaced in a document that has what looks like a mark."""
    texts, size = [], 0
    for sheet in document.getSheets():
        sheet.queryFormulaCells(FORMULA_ANY)  # calculates what is not yet
        own = sheet.createSearchDescriptor()
        own.SearchRegularExpression = True
        own.SearchString = MARK + "[0-9]+" + MARK
        if sheet.findFirst(own) is not None:
            return texts
    document.enableAutomaticCalculation(False)  # a mark is nothing to calculate with
    for sheet in document.getSheets():
        try:
            words = ranges(document, sheet.queryContentCells(STRING), sheet.queryFormulaCells(FORMULA_TEXT))
            marked = [words.queryIntersection(left) for left in before(sheet)]
            arabic = sheet.createSearchDescriptor()
            arabic.SearchString = LAM
            found = sheet.findAll(arabic)
            if found is not None:
                marked += [words.queryIntersection(address) for address in found.getRangeAddresses()]
            for same in sheet.getUniqueCellFormatRanges():
                if same.IsTextWrapped or same.RotateAngle:
                    marked += [words.queryIntersection(address) for address in same.getRangeAddresses()]
            marked = ranges(document, *marked)
            if 0 < marked.getCount() < MOST_MARKED:
                for cells in marked:  # not all at once: LibreOffice 7.4 then crashes when it draws
                    if size < MOST_TEXT:
                        cells.setPropertyValues(*zip(*sorted(ONE_LINE.items())))
                        size += mark(cells, texts)
        except Exception:
            pass  # as above
    return texts


FORMULA_TEXT, FORMULA_ANY = 2, 7  # com.sun.star.sheet.FormulaResult
MOST_MARKED = 10000  # ranges: more take seconds
MOST_TEXT = 16 << 20  # characters
MARK = "\u00a4"
ONE_LINE = dict(IsTextWrapped=False, ShrinkToFit=True, RotateAngle=0, VertJustify=3)  # com.sun.star.table.CellVertJustify2.BOTTOM


def ranges(document, *lists):
    """Joins lists of ranges."""
    joined = document.createInstance("com.sun.star.sheet.SheetCellRanges")
    for each in lists:
        joined.addRangeAddresses(each.getRangeAddresses(), True)
    return joined


def before(sheet):
    """The cells that have another in their row that is not empty."""
    addresses = sheet.queryContentCells(VALUE | DATETIME | STRING | FORMULA).getRangeAddresses()
    for filled in addresses if len(addresses) < MOST_MARKED else ():
        filled.StartColumn = 0
        filled.EndColumn -= 1
        if filled.EndColumn >= 0:
            yield filled


def mark(cells, texts):
    """Writes marks, which are the numbers of texts, as flow.go reads them. Gives the
    length of the texts."""
    rows, size = [], 0
    for row in cells.getDataArray():
        rows.append([])
        for text in row:
            if isinstance(text, str) and text and not text.startswith(MARK):
                texts.append(text)
                size += len(text)
                text = MARK + str(len(texts) - 1) + MARK
            rows[-1].append(text)
    try:
        cells.setDataArray(tuple(map(tuple, rows)))
    except Exception:
        pass  # a part of a matrix
    return size


NARROW = 10000  # of a shape, in hundredths of a millimetre


def fit_shapes(shapes):
    """Makes words whole that were broken to fit a narrow shape, and text that is drawn as
    a picture of its letters is text."""
    for i in range(shapes.getCount()):
        try:
            shape = shapes.getByIndex(i)
            kind = shape.getShapeType()
            if kind == "com.sun.star.drawing.GroupShape":
                fit_shapes(shape)
            elif kind == "com.sun.star.drawing.CustomShape" and shape.String:
                geometry = shape.CustomShapeGeometry
                if any(p.Name == "TextPath" for p in geometry):
                    shape.CustomShapeGeometry = tuple(p for p in geometry if p.Name != "TextPath")
                size = shape.getSize()
                if size.Width < NARROW:
                    size.Width = NARROW
                    shape.setSize(size)
        except Exception:
            pass  # a shape that is protected


LAM = "\u0644"
ALEFS = {"\u0622": "\ufef5", "\u0623": "\ufef7", "\u0625": "\ufef9", "\u0627": "\ufefb"}  # with lam, alone; the next character is that at the end of a word
JOINING = "[\u0626\u0628\u062a-\u062e\u0633-\u063a\u0640-\u0647\u064a\u067e\u0686\u06a4\u06a9\u06af\u06cc]"  # letters that join the next


def keep_ligatures(text, exactly):
    """Writes lam and alef as the one character that they look like: pdftotext exchanges
    the letters of a ligature in words from right to left. flow.go writes two again. If
    the lines of the text make the pages, the letter before must look as it did, too."""
    search = text.createReplaceDescriptor()
    search.SearchString = LAM
    if text.findFirst(search) is None:
        return
    if exactly:
        try:
            text.RecordChanges = False
        except Exception:
            return  # it is protected, and would show both
    for alef, alone in ALEFS.items():
        if exactly:
            search.SearchRegularExpression = True
            search.SearchString, search.ReplaceString = "(?<=%s)%s%s" % (JOINING, LAM, alef), JOINER + chr(ord(alone) + 1)
            text.replaceAll(search)
            search.SearchRegularExpression = False
        search.SearchString, search.ReplaceString = LAM + alef, alone
        text.replaceAll(search)


JOINER = "\u200d"


def convert(desktop, job):
    document = load(desktop, job)
    try:
        export = export_filter(document)
        answer(progress=0.5)
        if export == "calc_pdf_Export":
            document.IsAdjustHeightEnabled = False  # other heights of rows would be other pages
            fit_numbers(document)
            if job.get("texts"):
                with open(job["texts"], "w", encoding="utf-8") as file:
                    json.dump(mark_words(document), file)
        if export == "impress_pdf_Export" and job.get("texts"):
            for page in document.getDrawPages():
                fit_shapes(page)
                keep_ligatures(page, False)
        if export == "writer_pdf_Export" and job.get("texts"):
            keep_ligatures(document, True)
        data = dict(UseTaggedPDF=False, ExportNotes=False)
        if job.get("pages"):
            data["PageRange"] = job["pages"]
        if job.get("comments"):
            data["ExportNotes"] = True
        try:
            document.storeToURL(uno.systemPathToFileUrl(job["out"]), properties(
                FilterName=export, StatusIndicator=Indicator(0.5, 0.95),
                FilterData=uno.Any("[]com.sun.star.beans.PropertyValue", properties(**data))))
        except Exception:
            if desktop_is_gone(desktop):
                raise
            raise Refused("store")
    finally:
        try:
            document.close(True)
        except Exception:
            pass  # it was closed, or LibreOffice is gone, which the next call finds


office = Office()
jobs = []
more = threading.Condition()


def read():
    """Takes jobs until stdin ends, then ends everything, also in the middle of one."""
    for line in sys.stdin.buffer:
        with more:
            jobs.append(json.loads(line))
            more.notify()
    office.kill()
    shutil.rmtree(FOLDER, ignore_errors=True)
    os._exit(0)


def main():
    threading.Thread(target=read, daemon=True).start()
    desktop = office.connect()
    answer(ready=True)
    while True:
        with more:
            more.wait_for(lambda: jobs)
            job = jobs.pop(0)
        try:
            convert(desktop, job)
            answer(done=True)
        except Refused as refusal:
            answer(refused=str(refusal))
        except Exception:
            if desktop_is_gone(desktop):
                raise
            answer(refused="load")


try:
    main()
finally:
    office.kill()
    os._exit(1)
