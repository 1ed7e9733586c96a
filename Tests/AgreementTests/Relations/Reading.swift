import Domain
import Policy

/// A relation of which all rows are read, with the rows and columns that must be visible.
///
/// A row is shown as the end of its key, followed by a letter for each maskable column that is
/// visible.
struct Reading: Sendable {
    let name: String
    /// A query with one column: the rows as text.
    let sql: String
    /// Number of cells: existing rows, visible or not, times maskable columns.
    let cells: @Sendable (World) -> Int
    /// The rows that must be visible. Also records where the table and `decide` differ.
    let expected: @Sendable (inout Reader) -> Set<String>
}

/// Returns whether something may be read, and records where the table and `decide` differ.
struct Reader {
    let asker: Asker
    private(set) var consultations: [Consultation] = []

    init(_ asker: Asker) { self.asker = asker }

    var world: World { asker.world }
    var disagreements: [String] { consultations.compactMap(\.disagreement) }

    mutating func may(_ action: Action, _ family: SampleFamily?, _ person: SamplePerson? = nil)
        -> Bool
    {
        may(Question(action, family, person))
    }

    /// Whether the action on an invitation is allowed.
    mutating func may(_ action: Action, _ letter: AddressedMessage) -> Bool {
        var question = Question(action, letter.family)
        question.letter = letter
        return may(question)
    }

    private mutating func may(_ question: Question) -> Bool {
        guard let consultation = question.consultation(asker) else { return false }
        consultations.append(consultation)
        return consultation.written == .allowed
    }

    /// Whether a membership is visible where members are listed.
    mutating func seesMember(_ row: Row) -> Bool {
        switch row.status {
        case .active: may(.memberList, row.family)
        case .invited: may(.memberApprove, row.family)
        case .removed: false
        }
    }

    /// Whether a person is visible: oneself, and everybody visible as a member anywhere.
    mutating func seesPerson(_ person: SamplePerson) -> Bool {
        if person == asker.subject { return may(.profileRead, nil) }
        for row in world.rows where row.person == person {
            if seesMember(row) { return true }
        }
        return false
    }

    /// Whether an address is visible: one's own, and those of people visible as trusted members of
    /// their family.
    mutating func seesAddress(_ person: SamplePerson) -> Bool {
        guard person.email != nil else { return false }
        if person == asker.subject { return true }
        for row in world.rows where row.person == person {
            if seesMember(row), may(.emailRead, row.family) { return true }
        }
        return false
    }

    /// The letters of the maskable columns of a family that are visible.
    mutating func marks(_ family: SampleFamily) -> String {
        // The other family's code has expired.
        (family != .b && may(.codeRead, family) ? "c" : "")
            + (may(.emailRead, family) ? "hl" : "")
            + (may(.playerDetailsRead, family) ? "d" : "")
    }

    mutating func list(_ shows: (inout Reader, Row) -> String?) -> Set<String> {
        var seen: Set<String> = []
        for row in world.rows {
            if let key = shows(&self, row) { seen.insert(key) }
        }
        return seen
    }
}

extension World {
    /// Numbers of existing families, users, invitations and members.
    var familyCount: Int { SampleFamily.existing.count }
    var memberCount: Int { rows.count }
    var letterCount: Int { AddressedMessage.allCases.count }
    var guardianshipCount: Int { rows.reduce(0) { $0 + $1.guardians.count } }
}

/// The last three digits of a key in SQL.
func tail(_ column: String) -> String { "right(\(column)::text, 3)" }

extension SampleFamily {
    var tail: String { String(900 + rawValue) }
}
extension AddressedMessage {
    var tail: String { String(500 + rawValue) }
}
extension SamplePerson {
    var tail: String { String(repeating: "0", count: rawValue < 10 ? 2 : 1) + String(rawValue) }
}
extension Row {
    var tail: String {
        String(id.suffix(3))
    }
}
