"""Releases: drafted by a manager, reviewed by somebody else, approved with a bound on leaks."""

from __future__ import annotations

import hmac
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from incognote.core.errors import UsageError
from incognote.core.keys import surrogate_key
from incognote.evaluate.confidence import sample_size, upper_bound
from incognote.web.flow.draw import draw
from incognote.web.flow.roles import may_review
from incognote.web.flow.states import IN_REVIEW, Refused, release_after
from incognote.web.store import jobs
from incognote.web.store.audit import audit
from incognote.web.store.database.connection import columns, now
from incognote.web.store.site import Site
from incognote.web.store.tables import Finding, Project, Release, ReleaseDocument

CLEAN, LEAK = "clean", "leak"


def key_of(site: Site, project: Project) -> bytes:
    """The key of the surrogates, from its file; it is in no table."""
    path = site.key(project.key_file)
    try:
        return surrogate_key(path.read_bytes(), project.key_file)
    except OSError:
        raise UsageError(f"the key file {project.key_file} is not in the folder keys/") from None


def key_tag(key: bytes) -> str:
    """The tag that a manifest carries: the same key, the same tag."""
    return hmac.new(key, b"the key of a manifest", "sha256").hexdigest()[:16]


def draft(
    db: Session, site: Site, project: Project, account: int, name: str, wanted: float
) -> Release:
    if not name.strip():
        raise UsageError("a release needs a name")
    if not 0.0001 <= wanted < 1:
        raise UsageError("the wanted leak rate lies between 0.01 % and 100 %")
    release = Release(
        project_id=project.id,
        name=name.strip()[:200],
        policy=project.policy,
        policy_hash=project.policy_hash,
        key_tag=key_tag(key_of(site, project)),
        wanted=wanted,
        drafted_by=account,
        created_at=now(),
    )
    db.add(release)
    db.flush()
    audit(db, "release drafted", f"release {release.id}", project.id)
    jobs.enqueue(db, "release", project.id, account, release=release.id)
    return release


def draw_sample(db: Session, release: Release) -> int:
    """Chooses the notes a reviewer reads, at random; as many as the wanted bound takes.

    Each release has a draw of its own. The order of annotation must not decide it: the sample would
    hold the notes that people have read already. Nor may the sample of a release that was returned:
    its leaks are mended, those of all other notes are not.
    """
    key = db.get_one(Project, release.project_id).draw_key
    every = db.scalars(
        select(ReleaseDocument.document_id).where(
            ReleaseDocument.release_id == release.id, ReleaseDocument.failure == ""
        )
    )
    drawn = sorted(every, key=lambda number: (draw(key, f"release {release.id}: {number}"), number))
    ids = drawn[: sample_size(release.wanted)]
    for at in range(0, len(ids), 500):
        db.execute(
            update(ReleaseDocument)
            .where(
                ReleaseDocument.release_id == release.id,
                ReleaseDocument.document_id.in_(ids[at : at + 500]),
            )
            .values(sampled=True)
        )
    release.sample = len(ids)
    return len(ids)


def move(db: Session, release: Release, event: str) -> None:
    release.state = release_after(release.state, event)
    audit(db, f"release: {event}", f"release {release.id}", release.project_id)


def progress(db: Session, release: int) -> dict[str, int]:
    """How many notes there are, how many are in the sample, and what was said of them."""
    rows = db.execute(
        select(ReleaseDocument.sampled, ReleaseDocument.verdict, func.count())
        .where(ReleaseDocument.release_id == release, ReleaseDocument.failure == "")
        .group_by(ReleaseDocument.sampled, ReleaseDocument.verdict)
    ).all()
    failed = db.scalar(
        select(func.count()).where(
            ReleaseDocument.release_id == release, ReleaseDocument.failure != ""
        )
    )
    return {
        "notes": sum(count for _, _, count in rows),
        "failed": int(failed or 0),
        "sample": sum(count for sampled, _, count in rows if sampled),
        "reviewed": sum(count for sampled, verdict, count in rows if sampled and verdict),
        "leaks": sum(count for _, verdict, count in rows if verdict == LEAK),
    }


def next_to_review(db: Session, release: int, after: int = 0) -> int | None:
    query = select(ReleaseDocument.document_id).where(
        ReleaseDocument.release_id == release,
        ReleaseDocument.sampled.is_(True),
        ReleaseDocument.verdict == "",
    )
    later = query.where(ReleaseDocument.document_id > after)
    for each in (later, query):
        found = db.scalar(each.order_by(ReleaseDocument.document_id).limit(1))
        if found is not None:
            return int(found)
    return None


def findings_of(db: Session, release: int) -> list[Finding]:
    """The leaks that reviewers found, in the order in which they found them."""
    query = select(Finding).where(Finding.release_id == release)
    return list(db.scalars(query.order_by(Finding.id)))


def judge(
    db: Session, release: Release, document: int, account: int, findings: list[tuple[int, int, str]]
) -> None:
    """A reviewer has read a note: clean, or with leaks, which return the release."""
    if not may_review(account, release.drafted_by):
        raise Refused("nobody reviews a release that they drafted")
    if release.state != IN_REVIEW:
        raise Refused("this release is not in review")
    row = db.get(ReleaseDocument, (release.id, document))
    if row is None:
        raise UsageError("this note is not in the release")
    row.verdict = LEAK if findings else CLEAN
    row.reviewed_by, row.reviewed_at = account, now()
    for start, end, label in findings:
        db.add(
            Finding(
                release_id=release.id,
                document_id=document,
                account_id=account,
                start=start,
                end=end,
                label=label[:40],
                created_at=now(),
            )
        )
    audit(
        db,
        f"reviewed: {row.verdict}",
        f"note {document}",
        release.project_id,
        findings=len(findings),
    )
    if findings:
        release.bound = None
        move(db, release, "return")


def approve(db: Session, release: Release, account: int) -> None:
    """The reviewer's signature: every note of the sample was read and none leaks."""
    if not may_review(account, release.drafted_by):
        raise Refused("nobody approves a release that they drafted")
    found = progress(db, release.id)
    if found["reviewed"] < found["sample"] or not found["sample"]:
        raise Refused("not every note of the sample was reviewed")
    if found["leaks"]:
        raise Refused("a note of the sample leaks")
    move(db, release, "approve")
    release.bound = upper_bound(0, found["sample"])
    release.approved_by, release.approved_at = account, now()


def row_of(release: Release) -> dict[str, Any]:
    return columns(
        release,
        "id name state policy_hash key_tag wanted sample bound counts drafted_by approved_by "
        "created_at approved_at",
    )
