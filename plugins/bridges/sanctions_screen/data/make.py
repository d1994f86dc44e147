#!/usr/bin/env python3
"""Makes han.bin and pinyin.txt beside this file: how Chinese characters are read, for names.

Run: python3 make.py (needs pypinyin 0.55.0, MIT, whose readings are those of pinyin-data, MIT, after Unihan). `pinyin.txt`: a
line for each syllable, without tones, and after it how Wade and Giles write it, without its apostrophes. `han.bin`: for each
character from U+4E00 to U+9FFF two bytes, little endian, the line of its first reading, 65535 where it has none.
"""
import pathlib
import re
import struct

from pypinyin import Style, pinyin
from pypinyin.constants import PINYIN_DICT

HERE = pathlib.Path(__file__).parent
FIRST, LAST = 0x4E00, 0x9FFF
INITIALS = {"b": "p", "p": "p", "d": "t", "t": "t", "g": "k", "k": "k", "j": "ch", "q": "ch", "x": "hs", "zh": "ch", "ch": "ch",
            "sh": "sh", "r": "j", "z": "ts", "c": "ts", "s": "s", "m": "m", "f": "f", "n": "n", "l": "l", "h": "h", "": ""}
WHOLE = {"yan": "yen", "ye": "yeh", "you": "yu", "yong": "yung", "yi": "i", "er": "erh", "yue": "yueh", "zi": "tzu",
         "ci": "tzu", "si": "ssu"}


def reading(letter):
    if ord(letter) not in PINYIN_DICT:
        return None
    text = pinyin(letter, style=Style.NORMAL)[0][0].replace("ü", "v")
    return text.replace("v", "u") if re.fullmatch("[a-z]{1,6}", text) else None


def wade(syllable):
    if syllable in WHOLE:
        return WHOLE[syllable]
    initial, final = re.fullmatch("(zh|ch|sh|[bpmfdtnlgkhjqxrzcs]?)([a-z]*)", syllable).groups()
    if initial in ("zh", "ch", "sh", "r") and final == "i":
        final = "ih"
    elif final == "uo" and initial not in ("g", "k", "h", "sh"):
        final = "o"
    elif final == "e" and initial in ("g", "k", "h"):
        final = "o"
    elif final == "ui" and initial in ("g", "k"):
        final = "uei"
    else:
        final = {"ian": "ien", "ie": "ieh", "ue": "ueh"}.get(final, final.replace("ong", "ung"))
    return INITIALS[initial] + final


def main():
    letters = [reading(chr(code)) for code in range(FIRST, LAST + 1)]
    syllables = sorted({text for text in letters if text and re.search("[aeiou]", text)})
    lines = {text: at for at, text in enumerate(syllables)}
    (HERE / "han.bin").write_bytes(b"".join(struct.pack("<H", lines.get(text, 65535)) for text in letters))
    (HERE / "pinyin.txt").write_text("".join(f"{text} {wade(text)}\n" for text in syllables))
    print(len(syllables), sum(text is not None for text in letters))


if __name__ == "__main__":
    main()
