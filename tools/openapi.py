"""`make docs`: the OpenAPI document of `incognote serve`, from the application itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from incognote.policy import load_policy
from incognote.serve.app import create_app
from incognote.serve.settings import ServeSettings

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "openapi.json"


def openapi() -> dict[str, Any]:
    settings = ServeSettings({"default": load_policy()}, b"no key is needed to describe")
    document = create_app(settings).openapi()
    document["info"]["version"] = "1"  # of the interface, not of the program
    return document


def main() -> None:
    PAGE.write_text(json.dumps(openapi(), indent=1) + "\n", encoding="utf-8")
    print(PAGE.relative_to(PAGE.parents[2]))


if __name__ == "__main__":
    main()
