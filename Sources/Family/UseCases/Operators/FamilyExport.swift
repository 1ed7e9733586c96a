import Domain
import Postgres
package import Repositories

/// All data about a family, part by part, as of one time.
package struct FamilyExport: Sendable {
    /// The kinds of data in a family's export, in this order.
    package enum Piece: Sendable {
        case family(AdminFamily, ExportedFamilyData)
        case members([AdminMember])
        case preferences([OwnedPreferences])
        case consents([RecordedConsent])
        /// Invitations, uses of codes and audit entries come in any number of parts.
        case invitations([AdminInvitation])
        case codeUses([CodeUse])
        case auditLog([AuditEntry])
    }

    /// Maximum number of rows in memory at once.
    private static let part = 500
}

extension OperatorSession {
    /// Exports all data about a family, part by part, as of one time.
    ///
    /// The audit row about the export is committed before any data are returned, and stays even if
    /// the export fails. The export contains no code, token, hash or key.
    package func export(
        _ family: AdminFamily, _ take: (FamilyExport.Piece) throws -> Void
    ) throws {
        try change(Erasures.beginExport, family.id)
        // Returned data can't be taken back, so there is no second attempt.
        let once = TransactionOptions(isolation: .repeatableRead, attempts: 1)
        try transaction(once) { transaction in
            let preferences = try transaction.run(Erasures.exportPreferences, family.id)
            if let home = try transaction.run(Erasures.exportFamilyData, family.id).first {
                try take(.family(family, home))
            }
            try take(.members(try transaction.run(AdminMembers.ofFamily, family.id, true)))
            try take(.preferences(preferences))
            try take(.consents(try transaction.run(Consents.ofFamily, family.id)))
            try FamilyExport.parts { after, count in
                let rows = try transaction.run(
                    AdminInvitations.page, family.id, false, after?.at, after?.of(), count)
                try take(.invitations(rows))
                return rows.map { FamilyExport.ExportPosition($0.createdAt, $0.id) }
            }
            try FamilyExport.parts { after, count in
                let rows = try transaction.run(
                    Erasures.codeUses, family.id, after?.at, after?.of(), count)
                try take(.codeUses(rows))
                return rows.map { FamilyExport.ExportPosition($0.at, $0.id) }
            }
            try FamilyExport.parts { after, count in
                let rows = try transaction.run(
                    Erasures.auditLog, family.id, after?.at, after?.of(), count)
                try take(.auditLog(rows))
                return rows.map { FamilyExport.ExportPosition($0.at, $0.id) }
            }
        }
    }
}

extension FamilyExport {
    /// The last row of a part of a list, where the next part begins.
    fileprivate struct ExportPosition {
        let at: Timestamp
        private let id: UInt128

        init<Entity>(_ at: Timestamp, _ id: ID<Entity>) {
            self.at = at
            self.id = id.rawValue
        }

        func of<Entity>(_: Entity.Type = Entity.self) -> ID<Entity> { ID(rawValue: id) }
    }

    /// Reads part after part with `read`, until a part is not full.
    fileprivate static func parts(_ read: (ExportPosition?, Int32) throws -> [ExportPosition])
        throws
    {
        var after: ExportPosition?
        while true {
            let positions = try read(after, Int32(part))
            guard positions.count == part, let last = positions.last else { return }
            after = last
        }
    }
}
