import Foundation
import HearthClient
import MailSupport
import Synchronization
import TestSupport

/// A device whose app is a process that tests kill. It has a store and a network, and records the
/// words that the process has printed.
final class KilledDevice {
    let name: String
    let account: UserID
    /// Words that the process has printed, in order.
    private(set) var words: [String] = []
    private let file: URL
    private let token: String
    private let family: FamilyID
    private let isAdmin: Bool
    private let otherCode: FamilyCode
    private let proxy: FaultyProxy
    private let network = Network()
    private var process: ChildProgram?

    init(
        _ name: String, of person: LivePerson, in family: FamilyID, isAdmin: Bool,
        joining otherCode: FamilyCode, keeping folder: URL, to port: Int
    ) throws {
        self.name = name
        account = person.account
        token = person.token
        self.family = family
        self.isAdmin = isAdmin
        self.otherCode = otherCode
        file = folder.appendingPathComponent(UUID().uuidString)
        proxy = try FaultyProxy(to: port)
        proxy.faults { [network] _ in network.fault() }
    }

    func set(online: Bool) { network.isOnline.store(online, ordering: .releasing) }

    func start() throws {
        process = try ChildProgram(
            BuiltProgram.path("client-device"),
            [
                file.path, account.rawValue, family.rawValue, "http://127.0.0.1:\(proxy.port)",
                isAdmin ? "admin" : "member",
            ],
            environment: ["HEARTH_TOKEN": token, "HEARTH_OTHER_CODE": otherCode.text])
    }

    /// Waits until the process has made a change with a word.
    func awaitWord() throws {
        guard let process else { throw TimedOut() }
        words.append(try process.firstLine())
    }

    /// Kills the process at once, and collects what it had printed.
    func kill() throws {
        guard let process else { return }
        process.kill()
        words += String(decoding: try process.wholeOutput(), as: UTF8.self)
            .split(separator: "\n").map(String.init)
        self.process = nil
    }

    /// Opens the app's store. No process may have it open.
    func store() throws -> FamilyStore { try FamilyStore(at: file, of: account) }

    /// Returns a client that bypasses the faulty network.
    func hearth(_ server: LiveServer) -> Hearth {
        Hearth(server.url, credentials: BearerToken(token), policy: .never)
    }
}

/// The network between a device and the server.
private final class Network: Sendable {
    let isOnline = Atomic(true)

    /// Chooses the fault of a request: offline all fail; online one in three goes wrong.
    func fault() -> FaultyProxy.Fault {
        guard isOnline.load(ordering: .acquiring) else { return .dropRequest }
        return switch Int.random(in: 0..<15) {
        case 0: .dropRequest
        case 1: .dropAnswer
        case 2: .truncateAnswer
        case 3: .repeatRequest
        case 4: .delayAnswer(seconds: Double.random(in: 0...0.02))
        default: .none
        }
    }
}

/// A person with an account at a server, and a token for another process.
struct LivePerson {
    let account: UserID
    let email: String
    let token: String
    let hearth: Hearth

    init(_ server: LiveServer, _ name: String) throws {
        let id = UUID()
        email = "\(id)@example.com".lowercased()
        token = try server.token(id: id, email: email, name: name, role: .parent)
        account = UserID(id.uuidString.lowercased())
        hearth = Hearth(server.url, credentials: BearerToken(token))
    }
}
