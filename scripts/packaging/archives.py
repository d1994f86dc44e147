"""Archives with the same bytes from the same files: sorted, owned by root, dated
with SOURCE_DATE_EPOCH."""

import gzip
import io
import os
import tarfile
from pathlib import Path

EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])


def files_below(root: Path) -> list[Path]:
    """Everything below a folder, in one order on every machine."""
    return sorted(root.rglob("*"), key=lambda path: path.relative_to(root).as_posix())


def mode_of(path: Path) -> int:
    """What is run or entered is so for all; only the owner writes."""
    return 0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644


def add_tree(tar: tarfile.TarFile, root: Path, prefix: str = "", special: dict[str, tuple[int, int]] | None = None) -> None:
    """Adds all below `root`; `special` gives a folder another owner and mode."""
    for path in files_below(root):
        name = path.relative_to(root).as_posix()
        entry = tarfile.TarInfo(f"{prefix}{name}")
        entry.mtime = EPOCH
        if path.is_symlink():
            entry.type, entry.linkname, entry.mode = tarfile.SYMTYPE, os.readlink(path), 0o777
            tar.addfile(entry)
            continue
        entry.mode = mode_of(path)
        if name in (special or {}):
            entry.uid, entry.mode = special[name]
            entry.gid = entry.uid
        if path.is_dir():
            entry.type = tarfile.DIRTYPE
            tar.addfile(entry)
        else:
            entry.size = path.stat().st_size
            with path.open("rb") as file:
                tar.addfile(entry, file)


def tar_bytes(root: Path, prefix: str = "", special: dict[str, tuple[int, int]] | None = None) -> bytes:
    """The archive of a tree, not yet compressed."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
        add_tree(tar, root, prefix, special)
    return buffer.getvalue()


def compressed(data: bytes) -> bytes:
    """The same with gzip; neither a name nor a clock gets into it."""
    return gzip.compress(data, compresslevel=6, mtime=0)


if __name__ == "__main__":
    import sys

    tree, prefix, target = sys.argv[1:]
    Path(target).write_bytes(compressed(tar_bytes(Path(tree), f"{prefix}/")))
