"""A throwaway environment for each platform: its packages by pip, or its unpacked wheels where the whole needs torch."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True)
class Peer:
    """``installed`` goes into the environment called ``room``; ``unpacked`` are wheels whose loader modules alone are used.
    ``shown`` are the packages whose versions are told."""

    room: str
    script: str
    installed: tuple[str, ...]
    unpacked: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()


_HUB: Final = ("datasets", "polars", "pydantic", "typing-extensions", "tqdm")
PEERS: Final = {
    "beir": Peer("retrieval", "load_beir.py", _HUB, ("beir",)),
    "evalscope": Peer("retrieval", "load_evalscope.py", _HUB, ("evalscope", "mteb"), ("datasets", "pyarrow")),
    "mteb": Peer("retrieval", "load_mteb.py", _HUB, ("mteb",), ("datasets", "pyarrow")),
    "evalscope-rag": Peer("ragas", "load_evalscope_rag.py", ("ragas",), ("evalscope",), ("ragas",)),
    "azure": Peer("azure", "load_azure.py", ("azure-ai-evaluation",), (), ("azure-ai-evaluation", "pandas")),
    "ragas": Peer("ragas", "load_ragas.py", ("ragas",), (), ("ragas", "datasets", "pandas")),
    "deepeval": Peer("deepeval", "load_deepeval.py", ("deepeval", "pandas"), (), ("deepeval", "pandas")),
}  # fmt: skip


def prepare(peer: Peer, root: Path) -> list[str]:
    """Makes the environment, where it is not there yet, and gives the command that runs the peer's script.

    Raises:
        subprocess.CalledProcessError: pip could not install or download something.
    """
    room = root / peer.room
    python = room / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(room)], check=True)
    _pip(python, "install", "--quiet", *peer.installed)
    wheels = room / "unpacked"
    for package in peer.unpacked:
        if not (wheels / package).is_dir():
            _pip(python, "download", "--quiet", "--no-deps", "--dest", str(room / "wheels"), package)
            with zipfile.ZipFile(next((room / "wheels").glob(f"{package}-*.whl"))) as wheel:
                wheel.extractall(wheels)
    script = Path(__file__).parent / peer.script
    return [str(python), str(script), *([str(wheels)] if peer.unpacked else [])]


def versions(peer: Peer, root: Path) -> dict[str, str]:
    """What was tried, by package."""
    room = root / peer.room
    found = {path.name.split("-")[0]: path.name.split("-")[1] for path in (room / "wheels").glob("*.whl")}
    unpacked = {package: found[package] for package in peer.unpacked}
    if not peer.shown:
        return unpacked
    code = "import sys\nfrom importlib.metadata import version\nprint(*(version(each) for each in sys.argv[1:]))"
    told = subprocess.run(
        [room / "bin" / "python", "-c", code, *peer.shown], check=True, capture_output=True, text=True
    )
    return unpacked | dict(zip(peer.shown, told.stdout.split(), strict=True))


def _pip(python: Path, *arguments: str) -> None:
    subprocess.run(
        [python, "-m", "pip", "--disable-pip-version-check", *arguments], check=True, stderr=subprocess.DEVNULL
    )
