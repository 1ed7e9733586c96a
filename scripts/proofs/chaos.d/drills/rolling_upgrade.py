"""The previous release is upgraded to this one under load, side by side. No request fails."""
import signal

from keyed import KeyedLoad, hold_one_effect
from load import Answer, Load, Site
from stage import ISSUER, Settings, Stage, free_port
from verdict import Result, hold_all


def run(settings: Settings) -> Result:
    before, now = settings.before, settings.release
    if before is None:
        result = Result()
        result.fail("no programs of the release before; see --before")
        return result
    seconds = 3 if settings.is_quick else 10
    with Stage(settings, "rolling_upgrade", has_server=False) as stage:
        stage.cluster = stage.add_cluster("a").init().start()
        before.migrate(stage.cluster)
        stage.mail.start()
        old_api = stage.start_api(release=before, name="old-api")
        old_worker = stage.start_worker(release=before)
        old_site = stage.site
        old_load = Load(old_site).start()
        keyed = KeyedLoad([old_site], threads=4).start()
        stage.go_on(seconds)

        # The migrations run first, while the old programs continue.
        now.migrate(stage.cluster)
        stage.go_on(seconds)

        # Then the programs, one after the other.
        stage.site = Site(free_port(), ISSUER, old_site.secret)
        stage.start_api(name="new-api")
        new_load = Load(stage.site).start()
        keyed.sites.append(stage.site)
        stage.go_on(seconds)
        stage.start_worker()
        stage.go_on(seconds)

        # A load balancer sends no requests to a program that is about to stop.
        keyed.sites.remove(old_site)
        answers = old_load.stop()
        stage.go_on(1)
        for program in [old_api, old_worker]:
            program.signal(signal.SIGTERM)
            result_code = program.process.wait(60)
            stage.programs.remove(program)
            if result_code != 0:
                raise RuntimeError(f"{program.log.stem} exited with {result_code}")
        stage.go_on(seconds)
        answers += new_load.stop()
        requests = keyed.stop()

        result = Result()
        hold_no_failure(result, answers + [a for r in requests for a in r.answers])
        hold_one_effect(result, stage, requests)
        return hold_all(result, stage, answers)


def hold_no_failure(result: Result, answers: list[Answer]) -> None:
    failed = [answer for answer in answers if answer.is_failure]
    for answer in failed[:5]:
        result.fail(f"failed: {answer.kind} {answer.status} {answer.body.get('code')}")
    result.expect(not failed, f"{len(failed)} of {len(answers)} requests failed")
