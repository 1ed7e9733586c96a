import Domain
import Policy
import Postgres
import Repositories

/// Which family a request is about.
enum Scope {
    /// This one; without one named, the only one that the caller has.
    case family(FamilyID?)
    /// The one that a member is in.
    case familyOf(MemberID)
    /// The one that an invitation is to.
    case familyInviting(InvitationID)

    /// The error for callers who are not in the family.
    var absence: RefusalCode {
        switch self {
        case .family(nil): .familyRequired
        case .family: .familyNotFound
        case .familyOf: .memberNotFound
        case .familyInviting: .invitationNotFound
        }
    }

    private func rows(in batch: inout Batch) -> Batch.Place<FamilyMember> {
        switch self {
        case .family(let family?): batch.add(Rosters.ofFamily, family)
        case .family(nil): batch.add(Rosters.ofMyFamilies)
        case .familyOf(let member): batch.add(Rosters.ofMember, member)
        case .familyInviting(let invitation): batch.add(Rosters.ofInvitation, invitation)
        }
    }

    /// Reads who is in the family.
    ///
    /// What it returns throws ``Refusal`` when the caller is not in it, or named none and has
    /// none or several.
    func roster(
        for action: Action, in batch: inout Batch
    ) -> (Answers, Subject) throws -> Roster {
        let place = rows(in: &batch)
        return { answers, subject in
            let rows = try answers.rows(place)
            guard let family = rows.first?.family,
                let me = rows.first(where: { $0.user == subject.user && $0.family == family })
            else {
                try subject.facts(nil).require(action, orAbsent: absence)
                throw Refusal(absence)
            }
            guard rows.allSatisfy({ $0.family == family }) else {
                throw Refusal(.familyRequired)
            }
            return Roster(action: action, family: family, rows: rows, me: me, subject: subject)
        }
    }
}

extension Database {
    /// Decides upon a change of a family and makes it: one transaction of two round trips.
    ///
    /// - Parameter decide: Lets the request on or throws, adds the statements that make the change,
    ///   and returns what reads their answers.
    func change<Value>(
        _ action: Action, in scope: Scope, by context: RequestContext,
        _ decide: (Roster, inout Batch) throws -> (Answers) throws -> Value
    ) throws -> Value {
        try transaction(by: context, for: action, in: scope) { roster, transaction in
            var batch = Batch()
            let read = try decide(roster, &batch)
            return try read(try transaction.sendAndCommit(batch))
        }
    }

    /// As ``change(_:in:by:_:)``, for changes of several steps.
    func transaction<Value>(
        by context: RequestContext, for action: Action, in scope: Scope,
        _ body: (Roster, Transaction) throws -> Value
    ) throws -> Value {
        try transaction(by: context, for: action, in: scope, reading: { _ in { _ in } }) {
            try body($0, $2)
        }
    }

    /// As ``transaction(by:for:in:_:)``, with additional reads besides the family's members.
    ///
    /// - Parameter add: Adds the statements that read it; what it returns reads their answers.
    func transaction<Known, Value>(
        by context: RequestContext, for action: Action, in scope: Scope,
        reading add: (inout Batch) -> (Answers) throws -> Known,
        _ body: (Roster, Known, Transaction) throws -> Value
    ) throws -> Value {
        try transaction(
            by: context,
            reading: { batch in
                let roster = scope.roster(for: action, in: &batch)
                let known = add(&batch)
                return { answers, subject in (try roster(answers, subject), try known(answers)) }
            }
        ) { read, transaction in
            let (roster, known) = read
            context.trace?.note(family: roster.family)
            return try body(roster, known, transaction)
        }
    }

    /// Decides upon reading something of a family and reads it: one round trip, two when no family
    /// is named.
    ///
    /// - Parameter add: Adds the statements that read; what it returns lets the request on or
    ///   throws, and reads their answers.
    func read<Value>(
        _ action: Action, in family: FamilyID?, by context: RequestContext,
        _ add: (FamilyID, inout Batch) -> (Roster, Answers) throws -> Value
    ) throws -> Value {
        guard let family else {
            return try change(action, in: .family(nil), by: context) { roster, batch in
                let read = add(roster.family, &batch)
                return { try read(roster, $0) }
            }
        }
        return try request(by: context) { batch in
            let roster = Scope.family(family).roster(for: action, in: &batch)
            let read = add(family, &batch)
            return { answers, subject in
                let roster = try roster(answers, subject)
                context.trace?.note(family: roster.family)
                return try read(roster, answers)
            }
        }
    }
}
