package import Foundation
import Glibc
import Basics
import Synchronization

/// A program in a separate process.
///
/// Used instead of Foundation's `Process`, which lists the open descriptors by copying 256 bytes
/// from each entry of /proc/self/fd. This reads beyond the end of the list, and sometimes crashes
/// if the tests have more than a thousand descriptors open.
package final class Subprocess: Sendable {
    /// Target of one of the three standard descriptors.
    package enum Channel {
        /// Inherited from the tests.
        case inherited
        /// /dev/null.
        case null
        /// The file's descriptor, which the test keeps open.
        case file(FileHandle)
        /// A pipe, whose end for the program is closed in the tests.
        case pipe(Pipe)
        /// Closed in the program.
        case closed

        fileprivate func descriptor(isInput: Bool) -> Launch.Descriptor {
            switch self {
            case .inherited: .inherited
            case .null: .null
            case .file(let file): .copy(of: file.fileDescriptor)
            case .pipe(let pipe):
                .copy(
                    of: (isInput ? pipe.fileHandleForReading : pipe.fileHandleForWriting)
                        .fileDescriptor)
            case .closed: .closed
            }
        }
    }

    package enum Ending: Sendable, Equatable {
        case exit(Int32)
        case signal(Int32)
    }

    /// The process id.
    package let id: Int32
    private let ending = Mutex<Ending?>(nil)

    /// Starts the program. It inherits only the channels, and blocks no signal.
    ///
    /// - Parameter environment: The program's environment; nil: the tests' own.
    package init(
        _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil,
        directory: String? = nil, input: Channel = .null, output: Channel = .inherited,
        errors: Channel = .inherited
    ) throws {
        var launch = Launch(path, arguments)
        if let environment { launch.environment = environment }
        launch.directory = directory
        launch.input = input.descriptor(isInput: true)
        launch.output = output.descriptor(isInput: false)
        launch.errors = errors.descriptor(isInput: false)
        id = try launch.start()
        for (isInput, channel) in [(true, input), (false, output), (false, errors)] {
            guard case .pipe(let pipe) = channel else { continue }
            // Already closed if one pipe takes both output and errors.
            try? (isInput ? pipe.fileHandleForReading : pipe.fileHandleForWriting).close()
        }
        Thread.detachNewThread { self.reap() }
    }

    /// Waits for the program's end. Until then its process id is not reused.
    private func reap() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        ending.withLock { ending in
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            ending = status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
        }
    }

    /// The exit status or signal; nil while the program runs.
    package var result: Ending? { ending.withLock { $0 } }

    package var isRunning: Bool { result == nil }

    /// The exit code, or the number of the signal that ended the program.
    package var exitCode: Int32 {
        switch result {
        case .exit(let code), .signal(let code): code
        case nil: -1
        }
    }

    /// Sends a signal, unless the program has ended.
    package func signal(_ number: Int32) {
        ending.withLock { if $0 == nil { _ = Glibc.kill(id, number) } }
    }

    /// Waits for the program's end.
    package func wait(seconds: Double = 60) throws {
        try eventually(within: seconds) { !isRunning }
    }

    /// Ends the program with SIGKILL and waits for its end.
    package func kill() throws {
        signal(SIGKILL)
        try wait()
    }
}
