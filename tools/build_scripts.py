"""Compiles the names in other scripts that surrogates are drawn from.

    pip download --no-deps -d sources -r tools/build_lexicon/requirements.txt
    python tools/build_scripts.py sources

Taken are words of the pinned faker (MIT, see NOTICE), some for each script, sex and kind of name.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(Path(__file__).parent), str(ROOT / "src")]

from build_lexicon.sources import Sources  # noqa: E402
from incognote.transform.people.scripts import script_of  # noqa: E402

TARGET = ROOT / "src/incognote/transform/data/scripts.toml"
# The locale of each script, and how its name lists are called there.
LOCALES = {
    "cyrillic": "ru_RU",
    "greek": "el_GR",
    "arabic": "ar_AA",
    "hebrew": "he_IL",
    "han": "zh_CN",
    "japanese": "ja_JP",
    "hangul": "ko_KR",
    "devanagari": "hi_IN",
}
KINDS = {
    "male": ("first_names_male", "first_name_male"),
    "female": ("first_names_female", "first_name_female"),
    "last": ("last_names", "last_name_pairs"),
    "last_male": ("last_names_male",),
    "last_female": ("last_names_female",),
    "middle_male": ("middle_names_male",),
    "middle_female": ("middle_names_female",),
}
MANY = 60


def names(sources: Sources, script: str, attributes: tuple[str, ...]) -> list[str]:
    """Single words of the script, in the order of the source, spread over all of them."""
    wanted = "han" if script == "japanese" else script
    found = [
        name
        for attribute in attributes
        for name in sources.faker_strings("person", attribute)[LOCALES[script]]
        if " " not in name and (name.isalpha() or script == "devanagari")
        if all(script_of(char) in (wanted, "") for char in name) and script_of(name) == wanted
    ]
    unique = list(dict.fromkeys(found))
    return unique[:: max(len(unique) // MANY, 1)][:MANY]


def main() -> None:
    sources = Sources(Path(sys.argv[1]))
    lines = ["# Names in other scripts, compiled by tools/build_scripts.py from faker (MIT)."]
    for script in LOCALES:
        lines.append(f"\n[{script}]")
        for kind, attributes in KINDS.items():
            if pool := names(sources, script, attributes):
                lines.append(f'{kind} = "{" ".join(pool)}"')
    TARGET.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
