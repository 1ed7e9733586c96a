"""The cost of a thousand streams for writers, from the windows of scripts/proofs/bench.d/sync.

usage: sync_pairs.py SECONDS, with a line for each window: pair, with or without, writes a second,
       milliseconds of the processor, events
"""
import statistics
import sys

seconds = float(sys.argv[1])
windows: dict[str, dict[str, tuple[float, float, int]]] = {}
for line in sys.stdin:
    pair, kind, rate, time, events = line.split()
    windows.setdefault(pair, {})[kind] = (float(rate), float(time), int(events))

rates, times, nudges = [], [], []
for pair, both in windows.items():
    (rate, time, _), (rate_with, time_with, events) = both["without"], both["with"]
    each, each_with = time / (rate * seconds), time_with / (rate_with * seconds)
    rates.append(rate_with / rate - 1)
    times.append(each_with / each - 1)
    if events:
        nudges.append((time_with - each * rate_with * seconds) / events)
    print(f"pair {pair}: {rate:.0f} writes a second without, {rate_with:.0f} with; "
          f"{each:.3f} and {each_with:.3f} ms of the processor for each; {events} nudges")
print(f"writers with a thousand streams, median of {len(rates)} pairs: "
      f"{statistics.median(rates) * 100:+.1f} % writes a second (at most 5 % fewer), "
      f"{statistics.median(times) * 100:+.1f} % processor time of a write")
if nudges:
    print(f"a nudge: {statistics.median(nudges):.3f} ms")
