"""The outbox's disk fills up, and has room again later."""
import os
import subprocess

from stage import Settings, Stage, by_recipient
from verdict import Result, hold_acknowledged, hold_alive, hold_mail, hold_sound

SMALL, LARGE = "64k", "32m"


def run(settings: Settings) -> Result:
    result = Result()
    with Stage(settings, "outbox_full") as stage:
        outbox = stage.folder / "outbox"
        outbox.mkdir(mode=0o700)
        if os.getuid() != 0 or not mount(outbox, SMALL):
            result.notes.append("SKIPPED: only root can make a disk that is full")
            return result
        try:
            return fill(settings, stage, outbox, result)
        finally:
            for program in stage.programs:
                program.kill()
            subprocess.run(["umount", outbox], check=True)


def mount(outbox, size: str, *more: str) -> bool:
    options = ",".join(more + (f"size={size}", "mode=700"))
    return subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "hearth-chaos", outbox], capture_output=True
    ).returncode == 0


def fill(settings: Settings, stage: Stage, outbox, result: Result) -> Result:
    stage.start_api()
    worker = stage.start_worker(HEARTH_OUTBOX_DIR=str(outbox))
    stage.start_load(limit=40 if settings.is_quick else 150, joins=0)
    stage.eventually("the disk is full", lambda: "No space left on device" in worker.text(), 30)
    stage.go_on(2)
    kept = by_recipient(outbox.glob("*.eml"))
    result.expect(mount(outbox, LARGE, "remount"), "the disk could not be made larger")
    stage.eventually("all are invited", lambda: stage.load.stopping.is_set())
    answers = stage.stop_load()
    # Retried like e-mails: at a random time within a period that doubles with each failure.
    stage.drain(180)
    files = list(outbox.iterdir())
    result.expect(all(path.suffix == ".eml" for path in files), "a draft was left over")
    cut = [path for path in files if not path.read_bytes().endswith(b"--\r\n")]
    result.expect(not cut, f"{len(cut)} messages are cut off")
    result.notes.append(f"{len(kept)} fitted before")
    hold_acknowledged(result, stage, answers)
    hold_mail(result, answers, by_recipient(files))
    hold_alive(result, stage)
    hold_sound(result, stage)
    return result
