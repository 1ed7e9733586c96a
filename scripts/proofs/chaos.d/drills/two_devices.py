"""Devices on bad networks edit offline and are killed; all copies end equal to the server."""
import os
import re
import subprocess

from stage import Settings, Stage
from verdict import Result


def run(settings: Settings) -> Result:
    """Runs TwoDevicesTests, of which scripts/test runs a few rounds, on a server of its own."""
    with Stage(settings, "two_devices") as stage:
        # What the tests copy.
        stage.cluster.sql("CREATE DATABASE hearth_template TEMPLATE hearth", database="postgres")
        rounds = 50 if settings.is_quick else 1000
        log = stage.folder / "tests.log"
        with open(log, "wb") as output:
            done = subprocess.run(
                ["swift", "test", "--skip-build", "--disable-xctest", "--no-parallel", "--filter",
                 "TwoDevicesTests"], cwd=settings.checkout, stdout=output,
                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                env=os.environ | {
                    "HEARTH_TEST_DATABASE_URL": stage.cluster.url("postgres", "postgres"),
                    "HEARTH_TEST_DEVICE_ROUNDS": str(rounds)})
        text = log.read_text(errors="replace")
        result = Result()
        told = re.search(rf"^{rounds} rounds: (\d+) kills, (\d+) changes", text, re.M)
        result.expect(told is not None, "the tests did not report their rounds")
        if told:
            result.acknowledged = int(told.group(2))
            result.notes.append(f"{rounds} rounds, {told.group(1)} kills")
        if done.returncode != 0:
            for line in [line for line in text.splitlines() if line.startswith("✘")][:10]:
                result.fail(line)
            result.expect(False, f"the tests exited with {done.returncode}; see {log} with --keep")
        return result
