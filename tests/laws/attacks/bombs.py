"""Small files that unfold: one for each container that incognote reads."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import json
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable

CANARY = "CANARYZEBU Quackenbush"
_MB = 1 << 20


def _blanks(size: int) -> bytes:
    """So many blanks, deflated without ever being held: one block, again and again."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(b" " * _MB) + packer.flush(zlib.Z_FULL_FLUSH)
    return block * (size >> 20) + b"\x03\x00"


def _deflated(size: int) -> bytes:
    return b"\x78\xda" + _blanks(size) + b"\0\0\0\0"


def _gzip(size: int) -> bytes:
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + _blanks(size) + struct.pack("<II", 0, size)


def _zip(members: dict[str, bytes | int], method: int = 8) -> bytes:
    """A number stands for so many blanks."""
    body = index = b""
    for name, content in members.items():
        if isinstance(content, int):
            data, size, check = _blanks(content), content, 0
        else:
            packer = zlib.compressobj(9, zlib.DEFLATED, -15)
            data, size, check = (
                packer.compress(content) + packer.flush(),
                len(content),
                zlib.crc32(content),
            )
        facts = struct.pack("<HHHHIIIHH", 0, method, 0, 33, check, len(data), size, len(name), 0)
        at = len(body)
        body += b"PK\x03\x04\x14\0" + facts + name.encode() + data
        more = struct.pack("<HHHII", 0, 0, 0, 0, at)
        index += b"PK\x01\x02\x14\0\x14\0" + facts + more + name.encode()
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(index), len(body), 0)
    return body + index + b"PK\x05\x06" + end


def zip_one() -> bytes:
    return _zip({"a.txt": 3000 * _MB})


def zip_many() -> bytes:
    """Each member is harmless, together they are not."""
    return _zip({f"{n}.txt": 90 * _MB for n in range(30)})


def zip_bzip2() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("a.txt", b" " * (90 * _MB))
    return buffer.getvalue()


def zip_nested() -> bytes:
    inner = _zip({"a.txt": 900 * _MB})
    for depth in range(8):
        inner = _zip({f"{depth}.zip": inner})
    return inner


def zip_count() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in range(60_000):
            archive.writestr(f"{number}", b"")
    return buffer.getvalue()


def gzip_plain() -> bytes:
    return _gzip(3000 * _MB)


def gzip_twice() -> bytes:
    return gzip.compress(_gzip(2000 * _MB), mtime=0)


def tgz() -> bytes:
    info = tarfile.TarInfo("a.txt")
    info.size = 2000 * _MB
    head = info.tobuf()
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    start = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    raw = start + _blanks(info.size)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + raw + struct.pack("<II", 0, info.size)


def tar_holes() -> bytes:
    """A sparse member that says it is a terabyte."""
    info = tarfile.TarInfo("a.txt")
    info.type = tarfile.REGTYPE
    info.pax_headers = {
        "GNU.sparse.major": "1",
        "GNU.sparse.minor": "0",
        "GNU.sparse.name": "a.txt",
        "GNU.sparse.realsize": str(1 << 40),
    }
    body = b"1\n0\n0\n".ljust(512, b"\0")
    info.size = len(body)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        tar.addfile(info, io.BytesIO(body))
    return buffer.getvalue()


_TYPES = (
    b'<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    b'<Default Extension="xml" ContentType="application/xml"/></Types>'
)


def docx() -> bytes:
    return _zip({"[Content_Types].xml": _TYPES, "word/document.xml": 2000 * _MB})


def docx_entities() -> bytes:
    return _zip({"[Content_Types].xml": _TYPES, "word/document.xml": xml_entities()})


def xlsx() -> bytes:
    members = {"xl/workbook.xml": b"<workbook/>", "xl/sharedStrings.xml": 2000 * _MB}
    return _zip({"[Content_Types].xml": _TYPES, **members})


def xml_entities() -> bytes:
    """A billion laughs."""
    lines = ['<!ENTITY a0 "ha">']
    lines += [f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10)]
    return f"<?xml version='1.0'?><!DOCTYPE x [{''.join(lines)}]><x>&a9;</x>".encode()


def xml_deep() -> bytes:
    return b"<a>" * 500_000 + b"</a>" * 500_000


def json_deep() -> bytes:
    return b'{"a":' * 200_000 + b"1" + b"}" * 200_000


def json_numbers() -> bytes:
    """Many small values: each takes far more memory than its two bytes."""
    return b"[" + b"1," * (8 * _MB) + b"1]"


def jsonl_line() -> bytes:
    return b'{"id": "1", "text": "' + b"a" * (180 * _MB) + b'"}\n'


def rtf_deep() -> bytes:
    return rb"{\rtf1" + b"{" * 300_000 + b"x" + b"}" * 300_000 + b"}"


def _pdf(stream: bytes, filters: str) -> bytes:
    page = (
        b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
        b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>endobj\n"
    )
    head = f"4 0 obj<</Length {len(stream)}/Filter[{filters}]>>stream\n".encode()
    body = page + head + stream + b"\nendstream endobj\n"
    return body + b"trailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF\n"


def pdf() -> bytes:
    return _pdf(_deflated(2500 * _MB), "/FlateDecode")


def pdf_twice() -> bytes:
    return _pdf(zlib.compress(_deflated(4000 * _MB), 9), "/FlateDecode/FlateDecode")


def pdf_runs() -> bytes:
    return _pdf(zlib.compress(b"\x81A" * (12 * _MB), 9), "/FlateDecode/RunLengthDecode")


def _element(group: int, element: int, kind: bytes, value: bytes) -> bytes:
    if kind in (b"OB", b"OW", b"UN"):
        return struct.pack("<HH2sHI", group, element, kind, 0, len(value)) + value
    return struct.pack("<HH2sH", group, element, kind, len(value)) + value


def _dicom(syntax: bytes, body: bytes) -> bytes:
    uid = syntax + (b"\0" if len(syntax) % 2 else b"")
    sop = b"1.2.840.10008.5.1.4.1.1.7"
    meta = _element(2, 1, b"OB", b"\0\1") + _element(2, 2, b"UI", sop + b"\0")
    meta += _element(2, 3, b"UI", b"1.2.3.4\0") + _element(2, 0x10, b"UI", uid)
    meta += _element(2, 0x12, b"UI", b"1.2.3\0")
    length = struct.pack("<HH2sHI", 2, 0, b"UL", 4, len(meta))
    return b"\0" * 128 + b"DICM" + length + meta + body


def dicom_deflated() -> bytes:
    size = 1500 * _MB
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    head = struct.pack("<HH2sHI", 0x0009, 0x1001, b"OB", 0, size)
    start = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    return _dicom(b"1.2.840.10008.1.2.1.99", start + _blanks(size))


def dicom_rle() -> bytes:
    """Frames of nothing, run-length coded: a byte of file for sixty of pixels."""
    rows = columns = 16_000
    runs = b"\x81\0" * (rows * columns // 128 + 1)
    frame = struct.pack("<16I", 1, 64, *([0] * 14)) + runs
    frame += b"\0" * (len(frame) % 2)
    frames = 12
    body = _element(8, 0x16, b"UI", b"1.2.840.10008.5.1.4.1.1.7\0")
    body += _element(8, 0x18, b"UI", b"1.2.3.4\0")
    body += _element(0x10, 0x10, b"PN", (CANARY + " ").encode()[:22])
    body += _element(0x28, 2, b"US", struct.pack("<H", 1))
    body += _element(0x28, 4, b"CS", b"MONOCHROME2 ")
    body += _element(0x28, 8, b"IS", str(frames).encode())
    for element, value in (
        (0x10, rows),
        (0x11, columns),
        (0x100, 8),
        (0x101, 8),
        (0x102, 7),
        (0x103, 0),
    ):
        body += _element(0x28, element, b"US", struct.pack("<H", value))
    body += struct.pack("<HH2sHI", 0x7FE0, 0x10, b"OB", 0, 0xFFFFFFFF)
    body += struct.pack("<HHI", 0xFFFE, 0xE000, 0)
    for _ in range(frames):
        body += struct.pack("<HHI", 0xFFFE, 0xE000, len(frame)) + frame
    return _dicom(b"1.2.840.10008.1.2.5", body + struct.pack("<HHI", 0xFFFE, 0xE0DD, 0))


def parquet() -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = pa.table({"text": pa.array([CANARY] * _MB).dictionary_encode()})
    buffer = io.BytesIO()
    with pq.ParquetWriter(buffer, rows.schema, compression="zstd") as writer:
        for _ in range(60):
            writer.write_table(rows)
    return buffer.getvalue()


def parquet_strings() -> bytes:
    """One string of twenty megabytes, a thousand times."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    cell = pa.array(["x" * (20 * _MB)]).dictionary_encode()
    indices = pa.array([0] * 1000, pa.int32())
    rows = pa.table({"text": pa.DictionaryArray.from_arrays(indices, cell.dictionary)})
    buffer = io.BytesIO()
    pq.write_table(rows, buffer, compression="zstd")
    return buffer.getvalue()


def png() -> bytes:
    """Four gigapixels of white."""
    side = 60_000
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    lines = (b"\0" + b"\xff" * (side // 8)) * 100
    block = packer.compress(lines) + packer.flush(zlib.Z_FULL_FLUSH)
    data = b"\x78\xda" + block * (side // 100) + b"\x03\0\0\0\0\0"

    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def fhir_attachment() -> bytes:
    data = base64.b64encode(_gzip(1500 * _MB)).decode()
    resource = {
        "resourceType": "DocumentReference",
        "content": [{"attachment": {"contentType": "application/gzip", "data": data}}],
    }
    return json.dumps(resource).encode()


def hl7_attachment() -> bytes:
    data = base64.b64encode(zip_one()).decode()
    return f"MSH|^~\\&|A|B|||2020||ORU^R01|1|P|2.5\rOBX|1|ED|1||^application^zip^Base64^{data}\r".encode()


def vcf_gz() -> bytes:
    return _gzip(2500 * _MB)


def lzma_text() -> bytes:
    return lzma.compress(b" " * (20 * _MB), preset=0)


def bz2_text() -> bytes:
    return bz2.compress(b" " * (20 * _MB))


def csv_wide() -> bytes:
    return b"id,text" + b",c" * (3 * _MB) + b"\n1,x" + b",1" * (3 * _MB) + b"\n"


def dicom_deep() -> bytes:
    """Sequences within sequences, none of which ends."""
    sequence = b"\x40\x00\x75\xa0SQ\0\0\xff\xff\xff\xff"
    return _dicom(b"1.2.840.10008.1.2.1", (sequence + b"\xfe\xff\x00\xe0\xff\xff\xff\xff") * 20_000)


def docx_embedded() -> bytes:
    main = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/>'
    members = {"word/document.xml": main, "word/embeddings/a.docx": docx()}
    return _zip({"[Content_Types].xml": _TYPES, **members})


def cda_attachment() -> bytes:
    data = base64.b64encode(_gzip(1000 * _MB))
    text = b'<text mediaType="application/gzip" representation="B64">' + data + b"</text>"
    body = b"<component><nonXMLBody>" + text + b"</nonXMLBody></component>"
    return b'<ClinicalDocument xmlns="urn:hl7-org:v3">' + body + b"</ClinicalDocument>"


def pdf_pages_in_a_circle() -> bytes:
    pages = b"2 0 obj<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>endobj\n"
    head = b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    return head + pages + b"trailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF\n"


def tiff_in_a_circle() -> bytes:
    """A directory of one entry that says that the next directory is itself."""
    entry = struct.pack("<HHII", 256, 4, 1, 10)
    return b"II*\0" + struct.pack("<IH", 8, 1) + entry + struct.pack("<I", 8)


def jpeg() -> bytes:
    """A picture of one colour, 400 million points."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.new("L", (20_000, 20_000)).save(buffer, "JPEG")
    return buffer.getvalue()


def ndjson_names() -> bytes:
    names = b'{"family":"x"},' * (3 * _MB) + b'{"family":"x"}'
    return b'{"resourceType":"Patient","id":"1","name":[' + names + b"]}\n"


BOMBS: dict[str, Callable[[], bytes]] = {
    "one.zip": zip_one,
    "many.zip": zip_many,
    "bzip2.zip": zip_bzip2,
    "nested.zip": zip_nested,
    "count.zip": zip_count,
    "plain.txt.gz": gzip_plain,
    "twice.gz": gzip_twice,
    "a.tgz": tgz,
    "holes.tar": tar_holes,
    "a.docx": docx,
    "entities.docx": docx_entities,
    "a.xlsx": xlsx,
    "entities.xml": xml_entities,
    "deep.xml": xml_deep,
    "deep.json": json_deep,
    "numbers.json": json_numbers,
    "line.jsonl": jsonl_line,
    "deep.rtf": rtf_deep,
    "one.pdf": pdf,
    "twice.pdf": pdf_twice,
    "runs.pdf": pdf_runs,
    "deflated.dcm": dicom_deflated,
    "rle.dcm": dicom_rle,
    "rows.parquet": parquet,
    "strings.parquet": parquet_strings,
    "white.png": png,
    "attachment.fhir.json": fhir_attachment,
    "attachment.hl7": hl7_attachment,
    "a.vcf.gz": vcf_gz,
    "a.txt.xz": lzma_text,
    "a.txt.bz2": bz2_text,
    "wide.csv": csv_wide,
    "deep.dcm": dicom_deep,
    "embedded.docx": docx_embedded,
    "attachment.xml": cda_attachment,
    "circle.pdf": pdf_pages_in_a_circle,
    "circle.tiff": tiff_in_a_circle,
    "white.jpg": jpeg,
    "names.ndjson": ndjson_names,
}
