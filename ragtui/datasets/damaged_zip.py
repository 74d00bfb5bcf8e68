"""What goes wrong when a zip is read that is none, or is damaged, encrypted or strangely packed."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from typing import Final

NO_ZIP: Final = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    NotImplementedError,  # what zipfile raises for a way of packing it does not know
    RuntimeError,
    EOFError,
    ValueError,  # also names that are no text, and places before the beginning
)
