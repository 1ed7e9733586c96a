import Domain
import Policy
import Postgres
import Repositories

/// The family that a request is about.
enum FamilyScope {
    /// This family; nil stands for the caller's only family.
    case family(FamilyID?)
    /// The family of a member.
    case familyOf(MemberID)
    /// The family that an invitation is for.
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

    private func rows(in batch: inout Batch) -> Batch.ResultKey<FamilyMember> {
        switch self {
        case .family(let family?): batch.add(Rosters.ofFamily, family)
        case .family(nil): batch.add(Rosters.ofMyFamilies)
        case .familyOf(let member): batch.add(Rosters.ofMember, member)
        case .familyInviting(let invitation): batch.add(Rosters.ofInvitation, invitation)
        }
    }

    /// Reads the family's members.
    ///
    /// The closure that it returns throws ``Refusal`` if the caller is not in the family, or if the
    /// request names no family and the caller belongs to none or to several.
    func roster(
        for action: Action, in batch: inout Batch
    ) -> (BatchResults, Subject) throws -> Roster {
        let key = rows(in: &batch)
        return { results, subject in
            let rows = try results.rows(key)
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
    /// Decides about a change of a family and makes it: one transaction of two round trips.
    ///
    /// - Parameter decide: Allows the request or throws, adds the statements that make the change,
    ///   and returns a closure that reads their results.
    func change<Value>(
        _ action: Action, in scope: FamilyScope, by context: RequestContext,
        _ decide: (Roster, inout Batch) throws -> (BatchResults) throws -> Value
    ) throws -> Value {
        try transaction(by: context, for: action, in: scope) { roster, transaction in
            var batch = Batch()
            let read = try decide(roster, &batch)
            return try read(try transaction.sendAndCommit(batch))
        }
    }

    /// Decides about a change of several steps and makes it, like ``change(_:in:by:_:)``.
    func transaction<Value>(
        by context: RequestContext, for action: Action, in scope: FamilyScope,
        _ body: (Roster, Transaction) throws -> Value
    ) throws -> Value {
        try transaction(by: context, for: action, in: scope, reading: { _ in { _ in } }) {
            try body($0, $2)
        }
    }

    /// Makes a change like ``transaction(by:for:in:_:)``, with further reads besides that of the
    /// family's members.
    ///
    /// - Parameter add: Adds the statements of these reads and returns a closure that reads their
    ///   results.
    func transaction<Loaded, Value>(
        by context: RequestContext, for action: Action, in scope: FamilyScope,
        reading add: (inout Batch) -> (BatchResults) throws -> Loaded,
        _ body: (Roster, Loaded, Transaction) throws -> Value
    ) throws -> Value {
        try transaction(
            by: context,
            reading: { batch in
                let roster = scope.roster(for: action, in: &batch)
                let loaded = add(&batch)
                return { results, subject in (try roster(results, subject), try loaded(results)) }
            }
        ) { read, transaction in
            let (roster, loaded) = read
            context.trace?.record(family: roster.family)
            return try body(roster, loaded, transaction)
        }
    }

    /// Decides about a read of a family's data and runs it: one round trip, two if no family is
    /// named.
    ///
    /// - Parameter add: Adds the statements and returns a closure that allows the request or
    ///   throws, and reads their results.
    func read<Value>(
        _ action: Action, in family: FamilyID?, by context: RequestContext,
        _ add: (FamilyID, inout Batch) -> (Roster, BatchResults) throws -> Value
    ) throws -> Value {
        guard let family else {
            return try change(action, in: .family(nil), by: context) { roster, batch in
                let read = add(roster.family, &batch)
                return { try read(roster, $0) }
            }
        }
        return try request(by: context) { batch in
            let roster = FamilyScope.family(family).roster(for: action, in: &batch)
            let read = add(family, &batch)
            return { results, subject in
                let roster = try roster(results, subject)
                context.trace?.record(family: roster.family)
                return try read(roster, results)
            }
        }
    }
}
