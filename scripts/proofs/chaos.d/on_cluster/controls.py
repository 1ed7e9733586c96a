"""Mechanisms that are disabled to show that the drills on a cluster notice a loss."""
import dataclasses

from running import Running
from sabotage import confirm_again, stop_confirming


@dataclasses.dataclass
class Control:
    """A mechanism that is disabled while a drill runs. The drill must then lose something."""
    drill: str
    words: str
    disable: object
    enable: object
    is_synchronous: bool = True


def new_sessions(running: Running) -> None:
    """Starts the APIs again, so that their sessions have the roles' current settings."""
    for name in ("api-1", "api-2"):
        running.call("stop", name)
        running.call("start", name)
    running.await_whole()


def disable_confirmation(running: Running) -> None:
    stop_confirming(running.sql)
    new_sessions(running)


def enable_confirmation(running: Running) -> None:
    confirm_again(running.sql)
    new_sessions(running)


CONTROLS = {
    "synchronous-off": Control(
        "partition", "commits wait for no standby",
        lambda running: running.call("synchronous", "off"),
        lambda running: running.call("synchronous", "on"), is_synchronous=False),
    "replays-unconfirmed": Control(
        "partition", "repeated requests wait for no standby", disable_confirmation,
        enable_confirmation),
}
