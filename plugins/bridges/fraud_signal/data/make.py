#!/usr/bin/env python3
"""Makes ../tables/country.tsv, disposable.tsv and hosting.tsv, special.tsv and NOTICE. Nothing in them is typed by hand.

Run: python3 make.py (needs cargo, pip, npm; downloads to a temporary folder).
Countries: the delegated statistics of the five Regional Internet Registries, as packed in the crate iptocc; the packed
form is read here as the crate's own src/lib.rs reads it. Special ranges: the tables of the npm package ipaddr.js, which
names the RFC of each. Data centres: lists of the MISP project in pymispwarninglists, most of them from the providers.
"""
import hashlib
import ipaddress
import json
import pathlib
import re
import struct
import subprocess
import tarfile
import tempfile
import zipfile

HERE = pathlib.Path(__file__).parent
CRATE, DISPOSABLE, SPECIAL, MISP = "1.4.175", "0.0.293", "2.5.0", "1.7.0"
NONE = 0xFF
# Lists of data centres and what they are labelled with; where two have an address, the first one's label stands.
HOSTING = (("amazon-aws", "Amazon AWS"), ("google-gcp", "Google Cloud"), ("microsoft-azure", "Microsoft Azure"),
           ("microsoft-azure-us-gov", "Microsoft Azure"), ("microsoft-azure-germany", "Microsoft Azure"),
           ("microsoft-azure-china", "Microsoft Azure"), ("ovh-cluster", "OVH hosting"),
           ("vpn-ipv4", "VPN provider or data centre"), ("vpn-ipv6", "VPN provider or data centre"))


class Packed:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, kind, count=1):
        size = struct.calcsize("<" + kind) * count
        values = struct.unpack_from("<" + kind * count, self.data, self.at)
        self.at += size
        return values

    def skip(self, size):
        self.at += size

    def codes(self):
        count, = self.take("I")
        text = self.data[self.at:self.at + 2 * count].decode("ascii")
        self.at += 2 * count
        return [text[i:i + 2] for i in range(0, 2 * count, 2)]


def version4(data):
    """[(first address, code or None)], one for each change."""
    packed = Packed(data)
    first = packed.take("I", 65536)
    codes = packed.codes()
    mixed, = packed.take("I")
    base = packed.take("I", mixed + 1)
    initial = packed.take("B", mixed)
    count, = packed.take("I")
    offsets, ends = packed.take("H", count), packed.take("B", count)
    code = lambda index: None if index == NONE else codes[index]
    for high, entry in enumerate(first):
        tag, value = entry >> 30, entry & 0x3FFFFFFF
        if tag == 2:
            yield high << 16, None
        elif tag == 1:
            yield high << 16, code(entry & 0xFF)
        else:
            yield high << 16, code(initial[value])
            for place in range(base[value], base[value + 1]):
                yield high << 16 | offsets[place], code(ends[place])


def version6(data):
    packed = Packed(data)
    buckets = packed.take("B", 65536)
    populated, = packed.take("I")
    first = packed.take("I", populated + 1)
    packed.skip(populated * 257 * 2)
    for _ in range(2):
        deep, = packed.take("I")
        packed.skip(deep * 2 + deep * 257 * 4)
    codes = packed.codes()
    sides, = packed.take("I")
    side = [(int.from_bytes(data[a:a + 16], "little"), int.from_bytes(data[a + 16:a + 32], "little"), data[a + 32])
            for a in range(packed.at, packed.at + 33 * sides, 33)]
    packed.skip(33 * sides)
    count, = packed.take("I")
    records = [struct.unpack_from("<IBB", data, packed.at + 6 * place) for place in range(count)]
    ranges = []
    for high, index in enumerate(buckets):
        if index == NONE:
            continue
        for offset, length, code in records[first[index]:first[index + 1]]:
            if length == 0:
                start, end, code = side[offset]
            else:
                start = high << 112 | offset << 80
                end = start | (1 << (128 - length)) - 1
            ranges.append((start, end, codes[code]))
    ranges.sort()
    after = 0
    for start, end, code in ranges:
        if start > after:
            yield after, None
        yield start, code
        after = end + 1
    yield after, None


def changes(entries, digits, prefix):
    """Table rows: the first address of each range in hexadecimal digits, without zeros at the end (which does not change
    the order of what is found at or before an address); - where no country is known."""
    last = ""
    for start, code in entries:
        if code != last and start < 16 ** digits:
            last = code
            yield prefix + f"{start:0{digits}x}".rstrip("0"), code or "-"


def write(name, head, rows):
    text = "#" + json.dumps(head) + "\n" + "".join(f"{key}\t{value}\n" for key, value in sorted(rows))
    (HERE.parent / f"tables/{name}.tsv").write_text(text, encoding="utf-8")
    print(name, len(rows), "rows", len(text), "bytes")


def crate(work):
    folder = pathlib.Path(work) / "crate"
    subprocess.run(["cargo", "init", "--quiet", "--vcs", "none", "--lib", "--name", "fetch", str(folder)], check=True)
    subprocess.run(["cargo", "add", "--quiet", f"iptocc@={CRATE}"], cwd=folder, check=True)
    listing = subprocess.run(["cargo", "metadata", "--format-version", "1"], cwd=folder, check=True, capture_output=True)
    package = next(p for p in json.loads(listing.stdout)["packages"] if p["name"] == "iptocc")
    if package["license"] != "MIT OR Apache-2.0":
        raise SystemExit("the licence of iptocc has changed")
    return pathlib.Path(package["manifest_path"]).parent


def special(source):
    """Lines of `network<TAB>name` from the two tables of ipaddr.js."""
    rows = []
    for version in (4, 6):
        block = re.search(rf"IPv{version}\.prototype\.SpecialRanges = \{{(.*?)\n        \}};", source, re.S)[1]
        name = None
        for part in re.finditer(rf"^\s*'?(\w+)'?:|new IPv{version}\(\[([^\]]*)\]\), (\d+)\]", block, re.M):
            if part[1]:
                name = re.sub(r"(?<=[a-z])([A-Z])", r"_\1", part[1]).lower()
                continue
            numbers = [int(n, 0) for n in part[2].split(",")]
            packed = b"".join(n.to_bytes(1 if version == 4 else 2, "big") for n in numbers)
            rows.append((ipaddress.ip_network((packed, int(part[3]))), name))
    return rows


def hosting(work):
    """Table rows of data centres, the days of the lists, and the licence's text."""
    subprocess.run(["pip", "download", "--no-deps", "--dest", work, f"pymispwarninglists=={MISP}"], check=True, stdout=subprocess.DEVNULL)
    wheel = zipfile.ZipFile(next(pathlib.Path(work).glob("pymispwarninglists-*.whl")))
    licence = wheel.read(next(n for n in wheel.namelist() if n.endswith("licenses/LICENSE"))).decode()
    if "BSD 3-Clause" not in licence:
        raise SystemExit("the licence of pymispwarninglists has changed")
    edges, days = {4: {}, 6: {}}, []
    for place, (name, _) in enumerate(HOSTING):
        found = json.loads(wheel.read(next(n for n in wheel.namelist() if n.endswith(f"/lists/{name}/list.json"))))
        days.append(f"{found['version'] // 10000}-{found['version'] // 100 % 100:02}-{found['version'] % 100:02}")
        for text in found["list"]:
            net = ipaddress.ip_network(text, strict=False)
            for at, step in ((int(net.network_address), 1), (int(net.broadcast_address) + 1, -1)):
                edges[net.version].setdefault(at, []).append((place, step))
    rows = []
    for version, digits in ((4, 8), (6, 32)):
        rows += changes(labels(edges[version]), digits, str(version))
    return rows, days, licence


def labels(edges):
    """[(first address, label or None)] from where each list's ranges begin and end."""
    open_ranges = [0] * len(HOSTING)
    yield 0, None
    for at in sorted(edges):
        for place, step in edges[at]:
            open_ranges[place] += step
        yield at, next((HOSTING[place][1] for place, count in enumerate(open_ranges) if count), None)


def main():
    with tempfile.TemporaryDirectory() as work:
        folder = crate(work)
        v4, v6 = (folder / "src/data/v4.bin").read_bytes(), (folder / "src/data/v6.bin").read_bytes()
        rows = list(changes(version4(v4), 8, "4")) + list(changes(version6(v6), 32, "6"))
        licence = (folder / "LICENSE-MIT").read_text()
        subprocess.run(["pip", "download", "--no-deps", "--dest", work, f"disposable-email-domains=={DISPOSABLE}"],
                       check=True, stdout=subprocess.DEVNULL)
        wheel = zipfile.ZipFile(next(pathlib.Path(work).glob("disposable*.whl")))
        scope = {}
        exec(wheel.read("disposable_email_domains/__init__.py"), scope)  # two set literals
        date = "{:04}-{:02}-{:02}".format(*wheel.getinfo("disposable_email_domains/__init__.py").date_time[:3])
        other = wheel.read(next(n for n in wheel.namelist() if n.endswith("LICENSE.txt"))).decode()
        subprocess.run(["npm", "pack", "--silent", f"ipaddr.js@{SPECIAL}"], cwd=work, check=True, stdout=subprocess.DEVNULL)
        package = tarfile.open(next(pathlib.Path(work).glob("ipaddr.js-*.tgz")))
        member = lambda name: package.extractfile(f"package/{name}").read().decode()
        if json.loads(member("package.json"))["license"] != "MIT":
            raise SystemExit("the licence of ipaddr.js has changed")
        ranges, third = special(member("lib/ipaddr.js")), member("LICENSE")
        centres, days, fourth = hosting(work)
    digest = hashlib.sha256(v4 + v6).hexdigest()
    write("country", {
        "version": f"iptocc {CRATE}, sha256 {digest[:16]}", "as_of": AS_OF, "licence": "MIT OR Apache-2.0 (package)",
        "source": "delegated statistics of AFRINIC, APNIC, ARIN, LACNIC and RIPE NCC, as packed in iptocc on crates.io"}, rows)
    write("disposable", {
        "version": DISPOSABLE, "as_of": date, "licence": "MIT",
        "source": "disposable-email-domains on PyPI, a list kept by its community"}, [(d, "1") for d in scope["blocklist"]])
    write("hosting", {
        "version": f"pymispwarninglists {MISP}", "as_of": f"{min(days)} to {max(days)}, by list", "licence": "BSD-3-Clause",
        "source": "MISP warning lists on PyPI: ranges of AWS, Google Cloud, Azure, OVH, VPN providers and data centres"}, centres)
    (HERE / "special.tsv").write_text(f"#{SPECIAL}\n" + "".join(f"{net}\t{name}\n" for net, name in ranges))
    (HERE / "NOTICE").write_text(f"tables/country.tsv: iptocc {CRATE} (crates.io), under the MIT licence:\n\n{licence.strip()}\n\n"
                                 f"tables/disposable.tsv: disposable-email-domains {DISPOSABLE} (PyPI):\n\n{other.strip()}\n\n"
                                 f"tables/hosting.tsv: pymispwarninglists {MISP} (PyPI):\n\n{fourth.strip()}\n\n"
                                 f"data/special.tsv: ipaddr.js {SPECIAL} (npm):\n\n{third.strip()}\n")


# The crate bears no date; it is made anew every night, and this version was the newest on this day.
AS_OF = "undated; newest release on 2026-11-21"

if __name__ == "__main__":
    main()
