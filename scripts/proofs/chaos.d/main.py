"""Runs drills and prints the table. Started by scripts/proofs/chaos."""
import argparse
import importlib
import pathlib
import signal
import sys
import time
import traceback

from stage import Release, Settings
from verdict import Result

HERE = pathlib.Path(__file__).resolve().parent
# In the order in which they are run; the name of a file in drills/, with '-' for '_'.
NAMES = [path.stem.replace("_", "-") for path in sorted((HERE / "drills").glob("*.py"))]


def module(name: str):
    return importlib.import_module("drills." + name.replace("-", "_"))


def seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def perform(name: str, settings: Settings) -> Result:
    try:
        return module(name).run(settings)
    except Exception as error:  # One drill's failure is a row; the others are still run.
        traceback.print_exc()
        result = Result()
        result.fail(f"{type(error).__name__}: {error}")
        return result


def judge(name: str, result: Result, is_sabotaged: bool) -> tuple[bool, str]:
    """Whether the drill ended as it must, and the verdict. A sabotaged one must notice."""
    if not is_sabotaged:
        return result.is_sound, "sound" if result.is_sound else "BROKEN"
    is_noticed = module(name).is_noticed(result)
    return is_noticed, ("noticed" if is_noticed else "NOT NOTICED") + f": {module(name).SABOTAGE}"


def main() -> int:
    # So that everything is also cleaned up after a signal.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--postgres", type=pathlib.Path, required=True)
    parser.add_argument("--before-bin", type=pathlib.Path)
    parser.add_argument("--before-sql", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--sabotage", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    for name in options.names:
        if name not in NAMES:
            print(f"there is no drill '{name}'; expected: {', '.join(NAMES)}", file=sys.stderr)
            return 64
    if options.sabotage:
        # Only these drills have something to disable.
        can_be_sabotaged = [name for name in NAMES if hasattr(module(name), "SABOTAGE")]
        for name in options.names:
            if name not in can_be_sabotaged:
                print(f"--sabotage: '{name}' disables nothing; expected: "
                      f"{', '.join(can_be_sabotaged)}", file=sys.stderr)
                return 64
        options.names = options.names or can_be_sabotaged
    before = Release(options.before_bin, options.before_sql) if options.before_bin else None
    settings = Settings(HERE.parent.parent.parent, options.bin, options.postgres, options.quick,
                        options.keep, before, options.sabotage)
    code = 0
    try:
        print(f"{'drill':<20} {'acknowledged':>12} {'lost':>5} {'duplicates':>10} "
              f"{'API back':>9} {'mail back':>9} {'took':>6}  verdict", flush=True)
        for name in options.names or NAMES:
            began = time.monotonic()
            result = perform(name, settings)
            is_right, verdict = judge(name, result, options.sabotage)
            code |= not is_right
            twice = result.duplicates + result.effects_twice
            print(f"{name:<20} {result.acknowledged:>12} {result.lost:>5} {twice:>10} "
                  f"{seconds(result.api_seconds):>9} {seconds(result.mail_seconds):>9} "
                  f"{time.monotonic() - began:>4.0f} s  {'; '.join([verdict] + result.notes)}",
                  flush=True)
            for failure in result.failures:
                print(f"    {failure}", flush=True)
    except KeyboardInterrupt:
        code = 130
    finally:
        settings.destroy()
        if options.keep:
            print(f"everything is kept in {settings.folder}", file=sys.stderr)
    return code


sys.exit(main())
