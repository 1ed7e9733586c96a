import Glibc
import TestSupport
import Testing

@testable import CommandLine

/// Each in a process of its own, and in a fork of that: signals concern all of a process, and a
/// service blocks them before it starts threads, while a test's process has threads already.
@Suite("Signals that end a service")
struct ShutdownSignalsTests {
    @Test("a signal that comes before the wait is not lost")
    func early() async {
        await #expect(processExitsWith: .exitCode(7)) {
            runInFork {
                let signals = ShutdownSignals()
                kill(getpid(), SIGTERM)
                return signals.wait(timeoutSeconds: 30) == .terminate ? 7 : 1
            }
        }
    }

    @Test("a signal reaches the waiting thread among many")
    func threads() async {
        await #expect(processExitsWith: .exitCode(7)) {
            runInFork {
                let signals = ShutdownSignals()
                StartedThreads.start(8) { number in
                    if number == 0 { kill(getpid(), SIGINT) }
                    pause()
                }
                return signals.wait(timeoutSeconds: 30) == .interrupt ? 7 : 1
            }
        }
    }

    @Test("a second signal ends the process at once, whoever is busy")
    func second() async {
        await #expect(processExitsWith: .exitCode(128 + SIGTERM)) {
            runInFork {
                let signals = ShutdownSignals()
                kill(getpid(), SIGTERM)
                _ = signals.wait(timeoutSeconds: 30)
                StartedThreads.start(1) { _ in kill(getpid(), SIGTERM) }
                while true { pause() }
            }
        }
    }

    @Test("a closed terminal ends the wait, and further hang-ups end nothing")
    func hangUp() async {
        await #expect(processExitsWith: .exitCode(7)) {
            runInFork {
                let signals = ShutdownSignals()
                kill(getpid(), SIGHUP)
                guard signals.wait(timeoutSeconds: 30) == .hangUp else { return 1 }
                kill(getpid(), SIGHUP)
                return 7
            }
        }
    }

    @Test("a hang-up that is ignored, as under nohup, stays ignored")
    func nohup() async {
        await #expect(processExitsWith: .exitCode(7)) {
            runInFork {
                signal(SIGHUP, SIG_IGN)
                let signals = ShutdownSignals()
                kill(getpid(), SIGHUP)
                return signals.wait(timeoutSeconds: 0.05) == nil ? 7 : 1
            }
        }
    }

    @Test("a wait ends by its deadline")
    func deadline() async {
        await #expect(processExitsWith: .exitCode(7)) {
            runInFork { ShutdownSignals().wait(timeoutSeconds: 0.05) == nil ? 7 : 1 }
        }
    }

    @Test("writing to a pipe without a reader is an error, not the end")
    func brokenPipe() async {
        await #expect(processExitsWith: .exitCode(7)) {
            runInFork {
                _ = ShutdownSignals()
                var ends: [Int32] = [0, 0]
                guard pipe(&ends) == 0 else { return 1 }
                close(ends[0])
                return write(ends[1], "x", 1) < 0 && errno == EPIPE ? 7 : 2
            }
        }
    }
}

/// Runs `body` where the calling thread is the only one, and exits with what it answers.
private func runInFork(_ body: () -> Int32) -> Never {
    let child = fork()
    if child == 0 {
        alarm(60)
        _exit(body())
    }
    var status: Int32 = 0
    guard child > 0, waitpid(child, &status, 0) == child, status & 0x7F == 0 else { exit(99) }
    exit(status >> 8 & 0xFF)
}
