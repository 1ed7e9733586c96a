"""The API and its sessions are killed while requests with keys are repeated: one effect each."""
import time

from keyed import KeyedLoad, hold_one_effect
from stage import Settings, Stage
from verdict import Result, hold_sound


def run(settings: Settings) -> Result:
    with Stage(settings, "idempotency_keys") as stage:
        stage.start_api()
        load = KeyedLoad([stage.site]).start()
        times = 20 if settings.is_quick else 150
        for number in range(times):
            time.sleep(stage.random.uniform(0.05, 0.4))
            if number % 2:
                stage.cluster.sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE usename = 'hearth_api'")
            else:
                stage.api.kill()
                stage.api.start()
                stage.await_api()
        requests = load.stop()
        result = Result()
        result.notes.append(f"{times} times")
        hold_one_effect(result, stage, requests)
        hold_sound(result, stage)
        return result
