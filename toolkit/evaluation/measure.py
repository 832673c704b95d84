"""Wall time, CPU time and peak memory of a stretch of work."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_CLEAR = Path("/proc/self/clear_refs")
_STATUS = Path("/proc/self/status")


@dataclass
class Cost:
    """Seconds and MB; ``peak_mb`` is the process's peak resident memory meanwhile."""

    wall: float = 0.0
    cpu: float = 0.0
    peak_mb: float = 0.0
    #: False where the kernel cannot reset the peak: then it is the peak so far
    own_peak: bool = False

    def row(self) -> dict[str, float | bool]:
        """Rounded values for a result file."""
        return {
            "wall_s": round(self.wall, 3),
            "cpu_s": round(self.cpu, 3),
            "peak_mb": round(self.peak_mb, 1),
            "own_peak": self.own_peak,
        }


def _reset_peak() -> bool:
    try:
        _CLEAR.write_text("5")  # Linux: the peak starts again from the present size
    except OSError:
        return False
    return True


def peak_mb() -> float:
    """Peak resident memory of this process in MB (since the last reset)."""
    try:
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _cpu() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


@contextmanager
def measured() -> Iterator[Cost]:
    """Fill the Cost given with what the block used."""
    cost = Cost(own_peak=_reset_peak())
    wall, cpu = time.perf_counter(), _cpu()
    try:
        yield cost
    finally:
        cost.wall, cost.cpu = time.perf_counter() - wall, _cpu() - cpu
        cost.peak_mb = peak_mb()
