import Domain
import JSON
import Repositories
import UseCases

/// The JSON document of a family's export, written piece by piece.
///
/// Its lists can be of any length, so this type writes the brackets around them, and `JSONWriter`
/// only their elements.
struct ExportDocument {
    /// Version of the format, raised when a member changes its meaning or is removed.
    private static let version = 1

    private let write: ([UInt8]) throws -> Void
    /// Name of the open list.
    private var list: String?
    private var isFirst = true
    /// Number of rows written so far.
    private(set) var count = 0

    init(_ write: @escaping ([UInt8]) throws -> Void) { self.write = write }

    mutating func add(_ piece: FamilyExport.Piece) throws {
        switch piece {
        case .family(let family, let home): try begin(family, home)
        case .members(let members): try add("members", members) { $0.write(to: &$1) }
        case .preferences(let all): try add("preferences", all) { $0.write(to: &$1) }
        case .consents(let all): try add("consents", all) { $0.write(to: &$1) }
        case .invitations(let all): try add("invitations", all) { $0.write(to: &$1) }
        case .codeUses(let uses): try add("codeUses", uses) { $0.write(to: &$1) }
        case .auditLog(let entries): try add("audit", entries) { $0.write(to: &$1) }
        }
    }

    /// Closes the open list and the document.
    mutating func end() throws {
        try write(Array((list == nil ? "}\n" : "\n  ]\n}\n").utf8))
    }

    private mutating func begin(_ family: AdminFamily, _ home: ExportedFamilyData) throws {
        var json = JSONWriter()
        json.object {
            $0.member("id", family.id.description)
            $0.member("name", family.name)
            $0.member("codeGeneratedAt", family.codeGeneratedAt?.description)
            $0.member("codeExpiresAt", family.codeExpiresAt?.description)
            $0.member("createdByUserId", family.creator.description)
            $0.member("memberLimit", family.memberLimit)
            $0.member("approvalRequired", family.isApprovalRequired)
            $0.member("createdAt", family.createdAt.description)
            $0.member("homeLatitude", home.latitude)
            $0.member("homeLongitude", home.longitude)
            $0.member("playerDetails", raw: home.playerDetails.utf8)
            $0.member("attributes", raw: home.attributes.utf8)
        }
        let head = "{\n  \"format\": \"hearth-family-export\",\n  \"version\": \(Self.version),\n"
        try write(Array((head + "  \"family\": ").utf8) + json.bytes)
    }

    private mutating func add<Item>(
        _ name: String, _ items: [Item], _ body: (Item, inout JSONWriter) -> Void
    ) throws {
        var bytes: [UInt8] = []
        if list != name {
            bytes += Array(((list == nil ? "" : "\n  ]") + ",\n  \"\(name)\": [").utf8)
            list = name
            isFirst = true
        }
        for item in items {
            var json = JSONWriter()
            json.object { body(item, &$0) }
            bytes += Array((isFirst ? "\n    " : ",\n    ").utf8) + json.bytes
            isFirst = false
        }
        count += items.count
        try write(bytes)
    }
}

extension OwnedPreferences {
    fileprivate func write(to json: inout JSONWriter) {
        json.member("userId", user.description)
        json.member("preferences", raw: stored.document.utf8)
        json.member("updatedAt", stored.updatedAt.description)
    }
}

extension CodeUse {
    fileprivate func write(to json: inout JSONWriter) {
        json.member("at", at.description)
        json.member("userId", user?.description)
        json.member("action", action)
    }
}

extension AuditEntry {
    fileprivate func write(to json: inout JSONWriter) {
        json.member("id", id.description)
        json.member("at", at.description)
        json.member("actorUserId", actor?.description)
        json.member("actorLabel", actorLabel)
        json.member("subjectUserId", subject?.description)
        json.member("action", action)
        json.member("targetId", target.map { FamilyID(rawValue: $0).description })
        json.member("details", raw: details.utf8)
    }
}
