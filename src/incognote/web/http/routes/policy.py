"""The policy of a project: read, check as typed, try, save."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from incognote.core.errors import PolicyError
from incognote.policy import Policy
from incognote.policy.dump import dump_policy
from incognote.web.http.access import Access, Stored, allowed
from incognote.web.store import jobs
from incognote.web.store.audit import audit
from incognote.web.store.policies import parsed_policy
from incognote.web.store.tables import Project

router = APIRouter(prefix="/api/v1")


class Typed(BaseModel):
    policy: str = Field(max_length=500_000, repr=False)


@router.get("/projects/{project}/policy")
def show(access: Annotated[Access, allowed("manage")], store: Stored) -> dict[str, Any]:
    effective = parsed_policy(access.project.policy, store.site.policies(access.project.id))
    return {
        "policy": access.project.policy,
        "hash": access.project.policy_hash,
        "effective": dump_policy(effective),
    }


@router.post("/projects/{project}/policy/check")
def check(
    given: Typed, access: Annotated[Access, allowed("manage")], store: Stored
) -> dict[str, Any]:
    """Whether a policy can run; an answer, not an error, for people who are still typing."""
    try:
        policy = checked(store, access.project.id, given.policy)
    except PolicyError as error:
        return {"good": False, "error": str(error)}
    return {"good": True, "hash": policy.hash, "detectors": sorted(policy.detectors)}


def checked(store: Stored, project: int, toml: str) -> Policy:
    """The policy, after everything it names could be built."""
    from incognote.pipeline import Pipeline

    policy = parsed_policy(toml, store.site.policies(project))
    pipeline = Pipeline(policy)
    pipeline.transformer  # noqa: B018 - built, so that a bad action shows
    return policy


@router.put("/projects/{project}/policy")
def save(
    given: Typed, access: Annotated[Access, allowed("manage")], store: Stored
) -> dict[str, Any]:
    policy = checked(store, access.project.id, given.policy)
    with store.write(access.account) as db:
        project = db.get_one(Project, access.project.id)
        project.policy, project.policy_hash = given.policy, policy.hash
        audit(db, "policy changed", f"project {project.id}", project.id, hash=policy.hash)
        jobs.enqueue_once(db, "suggest", project.id, access.account)
    return {"hash": policy.hash}


@router.post("/projects/{project}/policy/try", status_code=202)
def try_policy(
    given: Typed, access: Annotated[Access, allowed("manage")], store: Stored
) -> dict[str, Any]:
    """A job counts what would change on the measuring notes."""
    checked(store, access.project.id, given.policy)
    with store.write(access.account) as db:
        job = jobs.enqueue(db, "try policy", access.project.id, access.account, policy=given.policy)
        return {"job": job.id}
