import Foundation
import MailSupport
import TestSupport
import Testing

@Suite("A package that depends only on HearthClient")
struct OutsideTests {
    private static let manifest = """
        // swift-tools-version: 6.0
        import PackageDescription
        let package = Package(
            name: "app", platforms: [.iOS(.v16), .macOS(.v13)],
            dependencies: [.package(name: "hearth", path: "\(SourceTree.root.path)")],
            targets: [
                .executableTarget(
                    name: "app",
                    dependencies: [.product(name: "HearthClient", package: "hearth")])
            ])
        """

    private static let program = """
        import HearthClient

        @main
        struct App {
            static func main() async throws {
                let memory = InMemoryHearth()
                let ada = Hearth(memory, credentials: memory.signUp("Ada", email: "a@example.com"))
                let family = try await ada.createFamily(named: "The Terns")
                for member in try await ada.members(of: family.id) {
                    print(member.displayName, member.householdRole.displayName)
                }
            }
        }
        """

    @Test("the package builds and runs without the server's C libraries")
    func builds() throws {
        let folder = try TemporaryFolder.make()
        defer { try? FileManager.default.removeItem(at: folder) }
        let sources = folder.appendingPathComponent("Sources/app")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        try Self.manifest.write(
            to: folder.appendingPathComponent("Package.swift"), atomically: false, encoding: .utf8)
        try Self.program.write(
            to: sources.appendingPathComponent("App.swift"), atomically: false, encoding: .utf8)

        var environment = ProcessInfo.processInfo.environment
        // An empty folder, in which pkg-config finds no libraries.
        environment["PKG_CONFIG_LIBDIR"] = folder.path
        environment["PKG_CONFIG_PATH"] = folder.path
        let log = folder.appendingPathComponent("log")
        try Data().write(to: log)
        let file = try FileHandle(forWritingTo: log)
        let build = try Subprocess(
            "/usr/bin/env", ["swift", "run", "-Xswiftc", "-gnone", "--jobs", "1"],
            environment: environment, directory: folder.path, output: .file(file),
            errors: .file(file))
        try build.wait(seconds: 600)
        let told = try String(contentsOf: log, encoding: .utf8)
        #expect(build.result == .exit(0), "\(told)")
        #expect(told.contains("Ada Parent Admin"), "\(told)")
        #expect(!told.contains("warning:"), "\(told)")

        // The only modules of the server that are built are the policy and its dependencies.
        let built = try FileManager.default.subpathsOfDirectory(
            atPath: folder.appendingPathComponent(".build").path)
        let modules = Set(
            built.filter { $0.hasSuffix(".swiftmodule") }
                .map { URL(fileURLWithPath: $0).deletingPathExtension().lastPathComponent })
        #expect(modules.contains("HearthClient"))
        var server = Set<String>()
        for floor in ["Base", "Family", "Programs"] {
            let folder = SourceTree.root.appendingPathComponent("Sources/\(floor)")
            server.formUnion(try FileManager.default.contentsOfDirectory(atPath: folder.path))
        }
        #expect(modules.intersection(server) == ["DomainCore", "Policy"])
        #expect(!built.contains { $0.hasSuffix(".c.o") })
    }
}
