"""What one file may cost before it goes to quarantine."""

from __future__ import annotations

from dataclasses import dataclass

MEMORY_MB = 1200
SECONDS = 600


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file may cost before it goes to quarantine.

    `memory` is in MB and holds for the process that reads the file; a file of more than a quarter
    of it gets four times its own size. `seconds` is how long one step may take: reading or writing
    a batch of records, or finding PHI in a batch of documents.
    """

    memory: int = MEMORY_MB
    seconds: int = SECONDS

    def memory_for(self, size: int) -> int:
        """In bytes, for a file of `size` bytes."""
        return max(self.memory << 20, 4 * size)
