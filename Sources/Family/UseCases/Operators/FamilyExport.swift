import Domain
import Postgres
package import Repositories

/// All data about a family, part by part, as of one time.
package struct FamilyExport: Sendable {
    /// The kinds of data in a family's export, in this order.
    package enum Piece: Sendable {
        case family(AdminFamily, ExportedHome)
        case members([AdminMember])
        case preferences([ExportedPreferences])
        case consents([RecordedConsent])
        /// Invitations, uses of codes and audit entries come in any number of parts.
        case invitations([AdminInvitation])
        case codeUses([CodeUse])
        case trail([AuditEntry])
    }

    /// Maximum number of rows in memory at once.
    private static let part = 500
}

extension OperatorSession {
    /// Exports all data about a family, part by part, as of one time.
    ///
    /// The audit row about the export is committed before any data are returned, and stays however
    /// the export ends. The export contains no code, token, hash or key.
    package func export(
        _ family: AdminFamily, _ take: (FamilyExport.Piece) throws -> Void
    ) throws {
        try change(Erasures.beginExport, family.id)
        // Returned data can't be taken back, so there is no second attempt.
        let once = TransactionOptions(isolation: .repeatableRead, attempts: 1)
        try transaction(once) { transaction in
            let preferences = try transaction.run(Erasures.exportPreferences, family.id)
            if let home = try transaction.run(Erasures.home, family.id).first {
                try take(.family(family, home))
            }
            try take(.members(try transaction.run(AdminMembers.ofFamily, family.id, true)))
            try take(.preferences(preferences))
            try take(.consents(try transaction.run(Consents.ofFamily, family.id)))
            try FamilyExport.parts { after, count in
                let rows = try transaction.run(
                    AdminInvitations.page, family.id, false, after?.at, after?.of(), count)
                try take(.invitations(rows))
                return rows.map { FamilyExport.Place($0.createdAt, $0.id) }
            }
            try FamilyExport.parts { after, count in
                let rows = try transaction.run(
                    Erasures.codeUses, family.id, after?.at, after?.of(), count)
                try take(.codeUses(rows))
                return rows.map { FamilyExport.Place($0.at, $0.id) }
            }
            try FamilyExport.parts { after, count in
                let rows = try transaction.run(
                    Erasures.trail, family.id, after?.at, after?.of(), count)
                try take(.trail(rows))
                return rows.map { FamilyExport.Place($0.at, $0.id) }
            }
        }
    }
}

extension FamilyExport {
    /// The last row of a part of a list, where the next part begins.
    fileprivate struct Place {
        let at: Timestamp
        private let id: UInt128

        init<Entity>(_ at: Timestamp, _ id: ID<Entity>) {
            self.at = at
            self.id = id.rawValue
        }

        func of<Entity>(_: Entity.Type = Entity.self) -> ID<Entity> { ID(rawValue: id) }
    }

    /// Runs `read` for part after part, until one is not full.
    fileprivate static func parts(_ read: (Place?, Int32) throws -> [Place]) throws {
        var after: Place?
        while true {
            let places = try read(after, Int32(part))
            guard places.count == part, let last = places.last else { return }
            after = last
        }
    }
}
