"""The container files keep their promises, as far as reading them can tell; where a builder is
installed, the image is built and asked."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
IMAGE = (DEPLOY / "Containerfile").read_text("utf-8")
PODS = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text("utf-8")))
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))


def options_of(arguments: list[str]) -> None:
    """A call that our own parser accepts."""
    from incognote.cli import parser_for

    parser_for(arguments[0]).parse_args(arguments[1:])


def test_the_image_runs_as_somebody_without_rights() -> None:
    final = IMAGE.rpartition("FROM ")[2]
    assert re.search(r"(?m)^USER 10001$", final)
    assert "HEALTHCHECK" in final
    assert "sbom.cdx.json" in IMAGE
    assert not re.search(r"(?i)secret[^/]*=|password", IMAGE)


def test_the_list_of_parts_is_made_by_a_command_that_works(tmp_path: Path) -> None:
    """As the image calls it, on this environment."""
    pytest.importorskip("cyclonedx_py", reason="needs cyclonedx-bom, see tests/extras.txt")
    (called,) = re.findall(r"cyclonedx-py (.*)$", IMAGE, re.MULTILINE)
    place = tmp_path / "sbom.cdx.json"
    own = {"/opt/incognote/sbom.cdx.json": str(place), "/opt/incognote/bin/python": sys.executable}
    command = [sys.executable, "-m", "cyclonedx_py", *(own.get(e, e) for e in called.split())]
    subprocess.run(command, check=True, timeout=300)
    parts = {part["name"] for part in json.loads(place.read_text())["components"]}
    assert {"incognote", "numpy"} <= parts


def test_the_image_installs_extras_that_exist() -> None:
    (wanted,) = re.findall(r"\$\{wheel\}\[([^]]+)\]", IMAGE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(wanted.split(",")) <= set(project["optional-dependencies"])


def test_the_image_calls_what_exists() -> None:
    (command,) = re.findall(r"(?m)^CMD (\[.*\])$", IMAGE)
    options_of(yaml.safe_load(command))


def test_the_pod_is_bounded_and_probed() -> None:
    (spec,) = [each["spec"]["template"]["spec"] for each in PODS if each["kind"] == "Deployment"]
    (container,) = spec["containers"]
    options_of(container["args"])
    assert spec["securityContext"]["runAsNonRoot"]
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert container["securityContext"]["capabilities"]["drop"] == ["ALL"]
    assert container["resources"]["limits"]["memory"]
    assert {"startupProbe", "readinessProbe", "livenessProbe"} <= set(container)
    paths = {container[probe]["httpGet"]["path"] for probe in container if probe.endswith("Probe")}
    assert paths == {"/ready", "/health"}
    assert any(each["kind"] == "NetworkPolicy" for each in PODS)


def test_compose_publishes_on_this_machine_only_and_mounts_its_secrets() -> None:
    for name, service in COMPOSE["services"].items():
        for port in service.get("ports", ()):
            assert port.startswith("127.0.0.1:"), name
        assert set(service.get("secrets", ())) <= set(COMPOSE["secrets"])
        if service.get("image") == "incognote":
            assert service["read_only"]
            assert service["cap_drop"] == ["ALL"]
            if "command" in service:
                options_of(service["command"])


@pytest.mark.skipif(
    not any(map(shutil.which, ("podman", "buildah"))), reason="no container builder is installed"
)
def test_the_image_builds() -> None:
    builder = next(filter(None, map(shutil.which, ("podman", "buildah"))))
    command = [builder, "build", "-f", "deploy/Containerfile", "-t", "incognote-test", "."]
    subprocess.run(command, cwd=ROOT, check=True, timeout=1800)
