import Glibc
import TestSupport
import Testing

@testable import CommandLine

/// Each test runs in a fork of a separate process: signals affect the whole process, and a service
/// blocks them before it starts threads, while a test's process already has threads.
@Suite("Shutdown signals")
struct ShutdownSignalsTests {
    @Test("a signal that arrives before the wait is not lost")
    func early() async {
        await #expect(processExitsWith: .exitCode(7)) {
            runInFork {
                let signals = ShutdownSignals()
                kill(getpid(), SIGTERM)
                return signals.wait(timeoutSeconds: 30) == .terminate ? 7 : 1
            }
        }
    }

    @Test("a signal reaches the waiting thread of a process with many threads")
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

    @Test("a second signal ends the process at once, even if threads are busy")
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

    @Test("a closed terminal ends the wait, and further SIGHUPs are ignored")
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

    @Test("SIGHUP stays ignored if the process was started with it ignored, as under nohup")
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

    @Test("a wait ends at its deadline")
    func deadline() async {
        await #expect(processExitsWith: .exitCode(7)) {
            runInFork { ShutdownSignals().wait(timeoutSeconds: 0.05) == nil ? 7 : 1 }
        }
    }

    @Test("writing to a pipe without a reader fails instead of ending the process")
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

/// Runs `body` in a fork whose only thread is the caller, and exits with its result.
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
