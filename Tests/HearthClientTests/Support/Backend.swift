import Foundation
import HearthClient
import Testing

/// A backend that the contract suite runs against.
enum Backend: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// A hearth-api process over PostgreSQL.
    case server
    /// The in-memory Hearth.
    case memory

    /// Backends that support sync.
    static let syncing = allCases.filter { $0 == .memory || LiveServer.serves("/api/sync") }

    var testDescription: String { rawValue }

    func site() throws -> any ContractSite {
        switch self {
        case .server: try LiveServer.shared()
        case .memory: InMemoryHearth()
        }
    }

    /// Returns a Hearth that asks guardians for the consent `profile` and accounts for `terms`.
    func askingSite() throws -> any ContractSite {
        switch self {
        case .server: try LiveServer.asking()
        case .memory:
            InMemoryHearth(asking: [
                .init("profile", isRequired: true, title: "Profile", text: "We store it."),
                .init(
                    "terms", isRequired: true, isForAccounts: true, title: "Terms", text: "Ours."),
            ])
        }
    }
}

/// A Hearth in which tests create people.
protocol ContractSite: Sendable {
    /// Creates a person with a confirmed address; an empty role means that none was chosen.
    func person(_ role: MemberRole, name: String?, email: String) throws -> ClientPerson
    /// Creates a parent who has signed in with a mailed code, and in no other way.
    func mailedPerson() async throws -> ClientPerson
    /// Returns the last code that was mailed to a new address of an account.
    func mailedCode(to email: String) throws -> String
    /// Returns the token of a new person at an identity provider.
    func providerToken() throws -> ProviderToken
}

extension ContractSite {
    /// Creates a person with a confirmed, random address.
    func person(_ role: MemberRole = .parent, _ name: String? = "Somebody") throws -> ClientPerson {
        try person(role, name: name, email: "\(UUID().uuidString.lowercased())@example.com")
    }
}

/// A person, with the client on that person's device.
struct ClientPerson: Sendable {
    let hearth: Hearth
    let email: String
}

extension LiveServer: ContractSite {
    func person(_ role: MemberRole, name: String?, email: String) throws -> ClientPerson {
        ClientPerson(
            hearth: Hearth(
                url,
                credentials: BearerToken(
                    try token(id: UUID(), email: email, name: name, role: role))),
            email: email)
    }

    func mailedPerson() async throws -> ClientPerson {
        let email = "\(UUID().uuidString.lowercased())@example.com"
        let account = Account(url, storage: MemoryStorage(), device: "A test")
        let ticket = try await account.requestCode(email: email)
        try await account.signIn(ticket, code: mailedCode(to: email))
        let hearth = Hearth(url, credentials: account)
        try await hearth.updateProfile(ProfileChange(fullName: "Somebody", role: .parent))
        return ClientPerson(hearth: hearth, email: email)
    }

    func providerToken() throws -> ProviderToken {
        ProviderToken(
            try token(
                id: UUID(), email: "\(UUID().uuidString.lowercased())@example.com", name: nil,
                role: .parent))
    }
}

extension InMemoryHearth: ContractSite {
    func person(_ role: MemberRole, name: String?, email: String) throws -> ClientPerson {
        ClientPerson(
            hearth: Hearth(
                self,
                credentials: signUp(name, email: email, role: role == .unknown("") ? nil : role)),
            email: email)
    }

    func mailedPerson() async throws -> ClientPerson { try person() }

    func mailedCode(to email: String) throws -> String {
        let code: String? = mailedCode(to: email)
        return try #require(code)
    }
}

/// Returns the code with which a call is refused; nil if it succeeds.
func refusal(_ call: () async throws -> Void) async throws -> ErrorCode? {
    do {
        try await call()
        return nil
    } catch let error as HearthError {
        guard let code = error.code else { throw error }
        return code
    }
}

/// A family of three: the Parent Admin who created it, another parent and a player.
struct ClientFamily: Sendable {
    let family: CreatedFamily
    let admin: ClientPerson
    let parent: ClientPerson
    let player: ClientPerson

    init(_ site: any ContractSite) async throws {
        admin = try site.person(.parent, "Ada")
        parent = try site.person(.parent, "Pat")
        player = try site.person(.player, "Kim")
        family = try await admin.hearth.createFamily(named: "The Terns")
        let code = try #require(family.code.flatMap(FamilyCode.init(typed:)))
        for person in [parent, player] { try await person.hearth.joinFamily(by: code) }
    }

    var code: FamilyCode {
        get throws { try #require(family.code.flatMap(FamilyCode.init(typed:))) }
    }

    /// Returns a person's membership, as the admin sees it.
    func member(_ person: ClientPerson) async throws -> Member {
        let id = try await person.hearth.profile().id
        return try #require(try await admin.hearth.members(of: family.id).first { $0.userID == id })
    }
}
