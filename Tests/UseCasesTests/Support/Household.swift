import Crypto
import Domain
import Foundation
import Policy
import Postgres
import TestSupport
import Testing
import UseCases

/// A migrated database of a suite's own, seen through the use cases as the API sees it.
final class Household: Sendable {
    let test: TestDatabase
    let database: Database

    init(connections: Int = 8) throws {
        test = try TestDatabase(.migrated)
        var pool = Pool.Settings()
        pool.size = connections
        pool.leaseTimeoutSeconds = 30
        database = Database(Pool(test.settings(as: "hearth_api"), pool))
    }

    deinit {
        database.pool.close()
        // A database left behind goes with its throw-away cluster.
        try? test.drop()
    }

    /// A person with an account of the given side, not seen by the database before.
    static func person(_ role: MemberRole = .parent, name: String? = "Somebody") -> Caller {
        let id = UserID.random()
        return Caller(
            issuer: "https://issuer.test", subject: id.description, adoptedID: id,
            email: EmailAddress("\(id)@example.com"), isEmailVerified: true, fullName: name,
            role: role, isAnonymous: false)
    }

    /// An address that no other test attempts codes from.
    static func somewhere() -> ClientAddress {
        let id = UserID.random().description
        return ClientAddress(address: id, network: "network of \(id)")
    }

    func create(_ caller: Caller, name: String? = nil) throws -> (id: FamilyID, code: String) {
        let family = try CreateFamily(database)(
            by: caller, name: name.flatMap { FamilyName($0) }, role: nil)
        return (family.id, family.code)
    }

    @discardableResult
    func join(
        _ caller: Caller, _ code: String, from client: ClientAddress = Household.somewhere()
    ) throws -> JoinFamilyByCode.Joined {
        try JoinFamilyByCode(database)(by: caller, typedCode: code, from: client)
    }

    /// Runs SQL as the cluster's superuser.
    func asSuperuser(_ sql: SQL) throws {
        try Connection(test.settings()).query(sql)
    }

    func count(_ sql: SQL) throws -> Int {
        try Connection(test.settings()).query(sql).scalar(Int.self)
    }
}

/// The code of the refusal that `body` ends with; nil when it does not.
///
/// Records an issue where the policy should have refused and left it to the database, which has the
/// same rules: each of the two has to hold by itself.
func refusal<Value>(_ body: () throws -> Value) throws -> RefusalCode? { try refused(body)?.code }

/// The same with what is told besides the code.
func refused<Value>(_ body: () throws -> Value) throws -> Refusal? {
    let refusal = try ending(body)
    if let refusal, refusal.underlying != nil, RefusalCode.ofPolicy.contains(refusal.code) {
        Issue.record("only the database refused: \(refusal)")
    }
    return refusal
}

extension Refusal {
    /// For how long a limit lasts; nil for all others.
    var seconds: Int? {
        guard case .limit(_, _, let seconds)? = parameter else { return nil }
        return seconds
    }
}

/// The refusal that `body` ends with, whoever refused; nil when it does not.
func ending<Value>(_ body: () throws -> Value) throws -> Refusal? {
    do {
        _ = try body()
        return nil
    } catch let error as Refusal {
        return error
    }
}
