"""The mail server is down, refuses, hangs and disconnects at each stage, then works."""
from stage import Settings, Stage
from verdict import Result, hold_acknowledged, hold_alive, hold_mail, hold_sound

# The server's replies by stage. E-mails that it accepted without acknowledgement are sent again, so
# there is at most one round of these.
FAULTS = [
    [], ["greeting=421 4.3.0 busy"], ["greeting=drop"], ["ehlo=drop"], ["mail=451 4.3.0 later"],
    ["mail=drop"], ["rcpt=452 4.2.2 full"], ["rcpt=drop"], ["data=451 4.3.0 later"], ["data=drop"],
    ["data=hang"], ["greeting=hang"],
]


def run(settings: Settings) -> Result:
    result = Result()
    with Stage(settings, "smtp_faults") as stage:
        stage.start_api()
        stage.start_worker()
        stage.start_load(pause=0.2, joins=0)
        for fault in FAULTS:
            if fault:
                stage.mail.start("--at", fault[0])
            else:
                stage.mail.stop()
            hasten(stage)
            stage.go_on(1.5 if settings.is_quick else 4)
        cut_off_after_message(stage)
        before = sum(len(ids) for ids in stage.mail.messages().values())
        stage.mail.start()
        answers = stage.stop_load()
        stage.eventually("every e-mail was sent", lambda: is_sent(stage), 120)
        result.notes.append(f"{before} taken while it misbehaved")
        hold_acknowledged(result, stage, answers)
        hold_mail(result, answers, stage.mail.messages())
        hold_alive(result, stage)
        hold_sound(result, stage)
    return result


def cut_off_after_message(stage: Stage) -> None:
    """The server accepts one message and closes the connection without a reply."""
    stage.mail.start("--at", "dot=drop")
    hasten(stage)
    stage.eventually("a message is taken", lambda: bool(stage.mail.messages()), 20)
    stage.mail.stop()


def hasten(stage: Stage) -> None:
    """Shortens the wait before the next attempt, which is up to an hour."""
    stage.cluster.sql(
        "UPDATE jobs.live SET run_at = clock_timestamp() WHERE queue = 'mail' AND state = 'ready';"
        "SELECT pg_notify('hearth_jobs', 'mail')")


def is_sent(stage: Stage) -> bool:
    hasten(stage)
    stage.go_on(0.5)
    return stage.cluster.number("SELECT count(*) FROM jobs.live WHERE queue = 'mail'") == 0
