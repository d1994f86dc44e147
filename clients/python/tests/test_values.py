"""Amounts, canonical JSON, codes of errors, and what is generated."""

from __future__ import annotations

import pathlib
import re
import sys
import unittest

HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1] / "src"), str(HERE.parents[2])]

import tollbridge  # noqa: E402


class Values(unittest.TestCase):
    def test_every_code_has_a_class(self) -> None:
        from tollbridge import errors

        root = HERE.parents[3]
        codes = re.findall(r"^\| (E[0-9]{3}) ", (root / "docs/errors.md").read_text(encoding="utf-8"), re.M)
        self.assertEqual(sorted(codes), sorted(errors._CLASSES))
        other = (root / "clients/typescript/src/errors.ts").read_text(encoding="utf-8")
        families = {kind: listed for kind, listed in re.findall(r'\[(\w+), "([E0-9 ]+)"\]', other)}
        self.assertEqual({"ServerFault": "E025", **families},
                         {kind.__name__: listed for kind, listed in errors._FAMILIES.items()})

    def test_amounts_are_exact(self) -> None:
        for text, amount in (("1", 100_000), ("0.40", 40_000), ("£12.34", 1_234_000), ("0.00001", 1), ("0.100000", 10_000)):
            self.assertEqual(tollbridge.millipence(text), amount)
        for amount, text in ((40_000, "0.40"), (1, "0.00001"), (100_010, "1.0001"), (-5_000, "-0.05")):
            self.assertEqual(tollbridge.pounds(amount), text)
        for wrong in ("", "1.", ".5", "0.000001", "-1", "1e3", "1,0", "٣"):
            self.assertRaises(ValueError, tollbridge.millipence, wrong)
        self.assertRaises(TypeError, tollbridge.millipence, 0.1)

    def test_canonical_numbers_are_those_of_javascript(self) -> None:
        from tollbridge.proof import canonical

        for value, text in ((1.0, "1"), (0.1, "0.1"), (1e21, "1e+21"), (1e20, "100000000000000000000"), (-0.0, "0"),
                            (1e-6, "0.000001"), (1.5e-7, "1.5e-7"), (123.456, "123.456"), (5e-324, "5e-324"),
                            (2**53, "9007199254740992"), (4.5, "4.5"), (1.7976931348623157e308, "1.7976931348623157e+308"), (100, "100")):
            self.assertEqual(canonical(value), text)
        self.assertEqual(canonical({"b": [True, None], "a": "é\n", "\U0001f600": 1, "\ufb33": 2}),
                         '{"a":"é\\n","b":[true,null],"\U0001f600":1,"\ufb33":2}')

    def test_what_is_generated_is_checked_in(self) -> None:
        import generate

        for path, data in generate.written(generate.json.loads(generate.KEPT.read_bytes())).items():
            self.assertEqual(path.read_bytes(), data, f"{path}: run clients/generate.py clients/openapi.json")


if __name__ == "__main__":
    unittest.main()
