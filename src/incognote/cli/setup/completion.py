"""`incognote completion`: a script that lets the shell complete verbs and options.

It is made from the parsers themselves, so that it knows every option and no other.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

SHELLS = ("bash", "zsh", "fish")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell to write for")
    parser.epilog = 'bash and zsh: eval "$(incognote completion bash)"; fish: ... | source'


def run(args: argparse.Namespace) -> int:
    print(script(args.shell))
    return 0


def script(shell: str) -> str:
    """The completion script of a shell."""
    words = dict(_words())
    lines = _fish(words) if shell == "fish" else _bash(words)
    # zsh reads bash's scripts after this command.
    first = ["autoload -U +X bashcompinit && bashcompinit"] if shell == "zsh" else []
    return "\n".join([*first, *lines])


def _words() -> Iterator[tuple[str, list[str]]]:
    """A command ("corpus convert") and what may follow it: options and inner verbs."""
    from incognote.cli import VERBS, parser_for

    for verb in VERBS:
        yield from _of_parser(verb, parser_for(verb))


def _of_parser(command: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, list[str]]]:
    words: list[str] = []
    for action in parser._actions:  # noqa: SLF001 - argparse has no other way to list them
        words += [option for option in action.option_strings if option.startswith("--")]
        if not action.option_strings and action.choices:
            words += map(str, action.choices)
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for name, inner in action.choices.items():
                yield from _of_parser(f"{command} {name}", inner)
    yield command, words


def _bash(words: dict[str, list[str]]) -> Iterator[str]:
    yield "_incognote() {"
    yield '  local word="${COMP_WORDS[COMP_CWORD]}" known'
    yield '  case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in'
    for command in sorted(words, key=lambda each: (-each.count(" "), each)):
        pattern = f'"{command}"' if " " in command else f'"{command} "*'
        yield f'    {pattern}) known="{" ".join(words[command])}" ;;'
    yield f'    *) known="{" ".join(_verbs(words))}" ;;'
    yield "  esac"
    yield f'  [ "$COMP_CWORD" -eq 1 ] && known="{" ".join(_verbs(words))}"'
    yield '  COMPREPLY=($(compgen -W "$known" -- "$word"))'
    yield "}"
    yield "complete -o default -F _incognote incognote"


def _fish(words: dict[str, list[str]]) -> Iterator[str]:
    verbs = " ".join(_verbs(words))
    yield f"complete -c incognote -n __fish_use_subcommand -f -a '{verbs}'"
    for command, known in words.items():
        seen = " and ".join(f"__fish_seen_subcommand_from {word}" for word in command.split())
        for word in known:
            what = f"-l {word.removeprefix('--')}" if word.startswith("--") else f"-a {word}"
            yield f"complete -c incognote -n '{seen}' {what}"


def _verbs(words: dict[str, list[str]]) -> list[str]:
    return [command for command in words if " " not in command]
