import Glibc
import Testing

@testable import Basics

@Suite("Launch")
struct LaunchTests {
    /// Returns the output of a shell command, and its exit code.
    private func output(
        of command: String, _ change: (inout Launch) -> Void = { _ in }
    ) throws -> (text: String, exitCode: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        var launch = Launch("/bin/sh", ["-c", command])
        launch.output = .copy(of: ends[1])
        change(&launch)
        let id = try launch.start()
        close(ends[1])
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while case let count = read(ends[0], &chunk, chunk.count), count > 0 {
            bytes += chunk[..<count]
        }
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return (String(decoding: bytes, as: UTF8.self), status >> 8 & 0xFF)
    }

    @Test("a program gets its arguments, environment and folder, and its exit code is returned")
    func whole() throws {
        let (text, code) = try output(of: #"printf '%s %s' "$COLOUR" "$PWD"; exit 7"#) { launch in
            launch.environment["COLOUR"] = "a blue = one"
            launch.directory = "/usr"
        }
        #expect(text == "a blue = one /usr")
        #expect(code == 7)
        #expect(Environment.variables["PATH"]?.isEmpty == false)
        #expect(Environment.variables["COLOUR"] == nil)
    }

    @Test("a program inherits only the three standard descriptors")
    func descriptors() throws {
        // Open in this process, and not marked as close-on-exec. The number is one that the shell
        // does not give to a file of its own, such as the folder that it lists.
        let null = open("/dev/null", O_RDONLY)
        try #require(null > 2)
        defer { close(null) }
        let own = fcntl(null, F_DUPFD, 100)
        try #require(own >= 100)
        defer { close(own) }
        let (text, _) = try output(of: "for each in /proc/self/fd/*; do echo ${each##*/}; done")
        let inherited = text.split(separator: "\n").compactMap { Int32($0) }
        #expect(Set(inherited).isSuperset(of: [0, 1, 2]))
        #expect(inherited.allSatisfy { $0 < 100 })
    }

    @Test("standard descriptors are assigned as requested, or closed")
    func standard() throws {
        #expect(try output(of: "cat; echo end").text == "end\n")
        let (text, _) = try output(of: "echo told >&2; echo end") { $0.errors = .closed }
        #expect(text == "end\n")
    }

    @Test("starting a missing program throws an error that names it")
    func absent() throws {
        #expect(throws: Launch.Failure.self) { try Launch("/nowhere/program").start() }
        do throws(Launch.Failure) {
            _ = try Launch("/nowhere/program").start()
        } catch {
            #expect(error.code == ENOENT)
            #expect(error.description == "/nowhere/program: No such file or directory")
        }
    }
}
