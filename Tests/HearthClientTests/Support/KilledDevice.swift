import Foundation
import HearthClient
import MailSupport
import Synchronization
import TestSupport

/// A device whose app is a process that tests kill: its store, its way to the server, and the words
/// that it has put into its family.
final class KilledDevice {
    let name: String
    let account: UserID
    /// By what it has printed, in that order.
    private(set) var words: [String] = []
    private let file: URL
    private let token: String
    private let family: FamilyID
    private let isAdmin: Bool
    private let proxy: FaultyProxy
    private let network = Network()
    private var process: ChildProgram?

    init(
        _ name: String, of person: LivePerson, in family: FamilyID, isAdmin: Bool,
        keeping folder: URL, to port: Int
    ) throws {
        self.name = name
        account = person.account
        token = person.token
        self.family = family
        self.isAdmin = isAdmin
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
            environment: ["HEARTH_TOKEN": token])
    }

    /// Waits until it has made a change that is known by a word.
    func awaitWord() throws {
        guard let process else { throw TimedOut() }
        words.append(try process.firstLine())
    }

    /// Ends it at once, wherever it is; what it had printed counts.
    func kill() throws {
        guard let process else { return }
        process.kill()
        words += String(decoding: try process.wholeOutput(), as: UTF8.self)
            .split(separator: "\n").map(String.init)
        self.process = nil
    }

    /// The app's store, for as long as no process has it open.
    func store() throws -> FamilyStore { try FamilyStore(at: file, of: account) }

    /// The app's own way, without faults.
    func hearth(_ server: LiveServer) -> Hearth {
        Hearth(server.url, credentials: BearerToken(token), policy: .never)
    }
}

/// What a device meets on its way.
private final class Network: Sendable {
    let isOnline = Atomic(true)

    /// What becomes of a request: offline, nothing comes through; online, one in three goes wrong.
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

/// Somebody with an account at a server, and a token for another process.
struct LivePerson {
    let account: UserID
    let token: String
    let hearth: Hearth

    init(_ server: LiveServer, _ name: String) throws {
        let id = UUID()
        token = try server.token(
            id: id, email: "\(id)@example.com".lowercased(), name: name, role: .parent)
        account = UserID(id.uuidString.lowercased())
        hearth = Hearth(server.url, credentials: BearerToken(token))
    }
}
