"""The one way to remember results between calls: caches that have a name and a bound.

    @once                a table that is read or built on the first call
    @cached(4096)        what follows from an argument, for the arguments asked most recently
    BoundedDict          what one object remembers, and takes along when it goes

The first two live as long as the process: they may hold words and tables, never whole notes.
A single value of an object is a `functools.cached_property`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, ParamSpec, TypeVar, cast
from weakref import WeakKeyDictionary, WeakValueDictionary

P = ParamSpec("P")
T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")

# Cache -> name. A cache of a method goes with its object, and so does its entry.
_names: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
_mappings: WeakValueDictionary[int, BoundedDict[Any, Any]] = WeakValueDictionary()


class CacheState(NamedTuple):
    """What a cache holds just now."""

    name: str
    size: int
    bound: int


def cached(bound: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Remembers the results of the last `bound` different calls."""
    if bound < 1:
        raise ValueError("a cache holds at least one result")

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        remembering = lru_cache(maxsize=bound)(function)
        _names[remembering] = f"{function.__module__}.{function.__qualname__}"
        return cast("Callable[P, T]", remembering)

    return decorate


def once(function: Callable[[], T]) -> Callable[[], T]:
    """Works on the first call and answers the same ever after."""
    return cached(1)(function)


def caches() -> list[CacheState]:
    """Every cache of the modules and objects that are alive, by name."""
    states = [CacheState(each.name, len(each), each.bound) for each in list(_mappings.values())]
    for cache, name in list(_names.items()):
        info = cache.cache_info()
        states.append(CacheState(name, info.currsize, info.maxsize))
    return sorted(states)


def clear_caches(within: str = "incognote") -> None:
    """Empties the caches of a package or a module, or one of its caches."""
    for cache, name in list(_names.items()):
        if name == within or name.startswith(f"{within}."):
            cache.cache_clear()
    for mapping in list(_mappings.values()):
        if mapping.name == within or mapping.name.startswith(f"{within}."):
            mapping.clear()


class BoundedDict(OrderedDict[K, V]):
    """What one object remembers: the oldest entries go when there are too many.

    Another process starts with an empty one, because what was read here does not travel.
    """

    def __init__(self, name: str, bound: int) -> None:
        super().__init__()
        self.name = name
        self.bound = bound
        _mappings[id(self)] = self

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        if len(self) > self.bound:
            self.popitem(last=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return BoundedDict, (self.name, self.bound)
