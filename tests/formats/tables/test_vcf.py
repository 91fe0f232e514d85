"""VCF: samples renamed alike in every line, and what else the header and the variants say."""

from __future__ import annotations

import io

import pytest
from tests.conftest import SHARED
from tests.formats.kit.planted import left_over
from tests.formats.kit.whole import deidentified

from incognote.core.types import Failure
from incognote.formats.base import Record
from incognote.policy import FormatRules
from incognote.testing.formats import documents, masked, read, unchanged

HEADER = (
    b"##fileformat=VCFv4.2\n##fileDate=20240311\n##reference=file:///data/adeyemi/ref.fa\n"
    b'##SAMPLE=<ID=Quillon,Description="blood of Adeyemi">\n##PEDIGREE=<Child=Quillon,Mother=M2>\n'
    b'##INFO=<ID=DP,Number=1,Type=Integer,Description="Depth">\n'
    b"#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tQuillon\tM2\n"
    b"20\t14370\trs6054257\tG\tA\t29\tPASS\tDP=14\tGT\t0|0\t1|0\n"
)
NAME = "Quillon"
CORNERS = {
    "any field of a sample": ("x.vcf", '##fileformat=VCFv4.3\n##SAMPLE=<ID=S1,Owner=Quillon,Note="a, Quillon">\n'),
    "line without a value": ("x.vcf", "##fileformat=VCFv4.3\n##by Quillon\n"),
}  # fmt: skip


@pytest.mark.parametrize("corner", CORNERS)
def test_nothing_planted_survives(corner):
    name, text = CORNERS[corner]
    assert left_over(text, name, NAME) == []


def test_samples_go_from_header_and_columns():
    out = masked(HEADER, "x.vcf", ["Adeyemi", "adeyemi"])
    assert b"Quillon" not in out
    assert b"deyemi" not in out
    assert b"20240311" not in out
    assert out.endswith(b"20\t14370\trs6054257\tG\tA\t29\tPASS\tDP=14\tGT\t0|0\t1|0\n")
    assert b"##INFO=<ID=DP," in out


def test_samples_differ_from_each_other_and_are_the_same_everywhere():
    out = masked(HEADER, "x.vcf", ["Adeyemi", "adeyemi"]).decode().splitlines()
    assert out[3].startswith("##SAMPLE=<ID=[IDNUM],")
    assert out[4] == "##PEDIGREE=<Child=[IDNUM],Mother=[IDNUM]_2>"
    assert out[6].split("\t")[9:] == ["[IDNUM]", "[IDNUM]_2"]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({}, "DP=14;BY=Quillon%2C%20Ann;DB"),
        ({"INFO/BY": "text"}, "DP=14;BY=[PATIENT]%2C%20Ann;DB"),
        ({"INFO/BY": "PATIENT"}, "DP=14;BY=[PATIENT];DB"),
        ({"INFO/BY": "drop", "INFO/DB": "drop"}, "DP=14;BY=.;DB"),
    ],
    ids=["as they are", "read", "labelled", "dropped"],
)
def test_values_of_variants_by_policy(labels, expected):
    row = "20\t14370\t.\tG\tA\t29\tPASS\t{}\tGT\t0|0\n"
    data = "##fileformat=VCFv4.3\n#CHROM\n" + row.format("DP=14;BY=Quillon%2C%20Ann;DB")
    rules = FormatRules(labels=labels)
    assert (
        unchanged(data.encode(), "x.vcf", rules).decode().replace("BY=.", "BY=Quillon%2C%20Ann")
        == data
    )
    out = masked(data.encode(), "x.vcf", ["Quillon"], rules).decode()
    assert out == "##fileformat=VCFv4.3\n#CHROM\n" + row.format(expected)


def test_assemblies_stay_and_paths_are_read():
    data = b"##fileformat=VCFv4.3\n##reference=GRCh37\n##reference=/home/quillon/ref.fa\n"
    assert [d.text for d in documents(data, "x.vcf")] == ["reference: /home/quillon/ref.fa"]


def test_one_name_is_one_thing_everywhere():
    same = [d for d in documents(HEADER, "x.vcf") if d.text == "Quillon"]
    assert len(same) == 3
    assert len({d.patient_id for d in same}) == 1


@pytest.mark.parametrize(
    "path", sorted((SHARED / "fixtures/vcf").glob("*.vcf")), ids=lambda path: path.name
)
def test_outside_files_come_back_byte_for_byte(path):
    data = path.read_bytes()
    assert all(isinstance(record, Record) for record in read(data, path.name))
    assert unchanged(data, path.name) == data


def test_a_comment_among_variants_is_refused():
    outcomes = read(b"##fileformat=VCFv4.3\n#CHROM\n1\t2\n#Quillon\n", "x.vcf")
    (failure,) = [outcome for outcome in outcomes if isinstance(outcome, Failure)]
    assert NAME not in failure.message


def test_what_people_wrote_into_definitions_is_read():
    data = (
        b'##fileformat=VCFv4.3\n##INFO=<ID=AN,Number=1,Type=Integer,Description="Total Allele Count">\n'
        b'##INFO=<ID=BY,Number=1,Type=String,Description="called by Quillon">\n'
        b"##contig=<ID=20,length=9,URL=file:///home/quillon/ref.fa>\n"
    )
    assert [d.text for d in documents(data, "x.vcf")] == [
        "Description: called by Quillon",
        "URL: file:///home/quillon/ref.fa",
    ]
    kept = FormatRules(labels={"INFO": "keep", "contig": "keep"})
    assert documents(data, "x.vcf", kept) == []


def test_the_header_is_searched_for_the_names_of_samples():
    data = HEADER.replace(b"##INFO", b"##viewCommand=view -s Quillon,M2\n##INFO", 1)
    (command,) = [d for d in documents(data, "x.vcf") if d.text.startswith("viewCommand")]
    assert ("IDNUM", "Quillon") in command.known
    # What is too short to be told from any other word is not looked for.
    assert ("IDNUM", "M2") not in command.known


def test_a_header_without_end_is_refused(monkeypatch):
    from incognote.formats.tables import vcf

    monkeypatch.setattr(vcf, "_LONGEST_HEADER", 100)
    (outcome,) = read(HEADER, "x.vcf")
    assert "without end" in outcome.message


@pytest.mark.parametrize(
    "data",
    [
        b"BEGIN:VCARD\nFN:Ann Fenwick\nTEL:860-555-0123\nEND:VCARD\n",
        b"\x80\x02Ann Fenwick\n",
        b"1\t100\t.\tA\tC\t.\t.\tAnn Fenwick\n",
        b"##fileformat=VCFv4.3\n1\t100\t.\tA\tC\t.\t.\tAnn Fenwick\n",
    ],
    ids=["card of contacts", "binary", "no header", "no columns"],
)
def test_what_is_no_table_of_variants_is_refused(data):
    [failure] = read(data, "x.vcf", FormatRules())
    assert isinstance(failure, Failure)
    assert "Fenwick" not in f"{failure.message}{failure!r}"


TOOLS = """##fileformat=VCFv4.2
##reference=file:///data/reference/ucsc/hg19/ucsc.hg19.fasta
##source=freeBayes version 0.9.4
##bcftools_callVersion=1.0-55-gc661821+htslib-1.0-11-g830ea73
##SnpSiftVersion="SnpSift 3.6c (build 2014-05-20), by Pablo Cingolani"
##FILTER=<ID=LOW,Description="Truth sensitivity tranche level at VSQ Lod: -0.5671 <= x < -37539.4862">
##FILTER=<ID=T99,Description="Truth sensitivity tranche level for SNP model at VQS Lod: -3.1023 <= x < 1.4">
##contig=<ID=20,length=62435964,assembly=GCA_000001405.1,species="Homo sapiens">
##commandline="freebayes -f /data/reference/ucsc/hg19/ucsc.hg19.fasta -r chr22:42522301..42527953"
##SAMPLE=<ID=S1,Description="Patient germline genome from unaffected">
"""
COLUMNS = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tS1\n"


def test_references_versions_and_definitions_stay():
    out = deidentified(TOOLS + COLUMNS, "x.vcf").decode().splitlines()
    assert out[:9] == TOOLS.splitlines()[:9]
    assert "Patient germline genome from unaffected" in out[9]


@pytest.mark.parametrize(
    "line",
    [
        '##SAMPLE=<ID=S1,Description="blood of Adaeze Okonkwo">',
        '##SAMPLE=<ID=S1,Description="Adaeze710 Okonkwo218, tumour">',
        "##reference=file:///home/adaeze/hg19.fa",
        '##commandline="caller --out /Users/okonkwo/x.vcf"',
    ],
)
def test_names_of_people_go_from_the_header(line):
    out = deidentified(f"##fileformat=VCFv4.2\n{line}\n{COLUMNS}", "x.vcf").decode().lower()
    assert [name for name in ("adaeze", "okonkwo") if name in out] == []


def test_another_reader_opens_what_is_written():
    vcfpy = pytest.importorskip("vcfpy", reason="needs vcfpy")
    variant = "20\t14370\trs6054257\tG\tA\t29\tLOW\t.\tGT\t0|0\n"
    gt = '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
    out = deidentified(TOOLS + gt + COLUMNS + variant, "x.vcf").decode()
    reader = vcfpy.Reader.from_stream(io.StringIO(out))
    [record] = list(reader)
    assert (record.CHROM, record.POS, record.FILTER) == ("20", 14370, ["LOW"])
    [name] = reader.header.samples.names
    assert name != "S1"
    assert record.call_for_sample[name].data["GT"] == "0|0"
