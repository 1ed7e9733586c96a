import CLinux
import Glibc

/// A program that runs in a process of its own, started with posix_spawn(3).
package struct Launch {
    /// Target of one of the program's three standard descriptors.
    package enum Descriptor: Sendable {
        /// This process's own descriptor.
        case inherited
        /// /dev/null.
        case null
        /// A copy of an open descriptor of this process.
        case copy(of: Int32)
        /// A closed descriptor.
        case closed
    }

    /// Path of the program's file.
    package var path: String
    /// Arguments after the program's name.
    package var arguments: [String] = []
    /// All of the program's environment variables.
    package var environment: [String: String] = Environment.variables
    /// Working directory; nil for this process's own.
    package var directory: String?
    /// Standard input.
    package var input = Descriptor.null
    /// Standard output.
    package var output = Descriptor.inherited
    /// Standard error.
    package var errors = Descriptor.inherited

    /// Creates a launch with this process's environment and an empty standard input.
    package init(_ path: String, _ arguments: [String] = []) {
        self.path = path
        self.arguments = arguments
    }

    /// Reason why a program was not started.
    package struct Failure: Error, CustomStringConvertible {
        /// Path of the program's file.
        package let path: String
        /// The system's error number (errno).
        package let code: Int32
        package var description: String { "\(path): \(String(cString: strerror(code)))" }
    }

    /// Starts the program and returns its process id. The caller has to wait for the process.
    ///
    /// The program inherits only the three standard descriptors, and blocks no signal, whatever
    /// this process blocks.
    package func start() throws(Failure) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in [(0, input), (1, output), (2, errors)] as [(Int32, Descriptor)]
        {
            switch descriptor {
            case .inherited: break
            case .null: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            case .copy(let source): posix_spawn_file_actions_adddup2(&actions, source, number)
            case .closed: posix_spawn_file_actions_addclose(&actions, number)
            }
        }
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        if let directory { posix_spawn_file_actions_addchdir_np(&actions, directory) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] =
            environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var id = pid_t()
        let code = posix_spawn(&id, path, &actions, &attributes, words, variables)
        if code != 0 { throw Failure(path: path, code: code) }
        return id
    }
}
