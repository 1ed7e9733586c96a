import Domain
import Policy

/// A caller and the memberships of its case.
struct Asker: Sendable {
    let world: World
    let played: Case
    var subject: SamplePerson? { played.subject }

    init(_ played: Case) {
        self.played = played
        world = World(played)
    }

    /// The subject's guardianship of a managed member. While the primary guardian is blocked,
    /// another one has its rights.
    func guardianship(of row: Row) -> Guardianship? {
        guard let subject, row.guardians.contains(subject) else { return nil }
        return world.actingGuardian(of: row) == subject ? .primary : .further
    }

    /// The subject's guardianship for sending the invitation by which a managed member gets an
    /// account: nobody has this right in place of the primary guardian.
    func sendingGuardianship(of row: Row) -> Guardianship? {
        guardianship(of: row).map { _ in row.guardian == subject ? .primary : .further }
    }

    func guards(_ row: Row) -> Bool { guardianship(of: row) != nil }

    /// Whether another member has ended the subject's membership of the family.
    func isBarred(from family: SampleFamily?) -> Bool {
        world.row(subject, in: family).map { $0.isBarred } ?? false
    }

    func column(in family: SampleFamily?) -> Column {
        world.column(of: subject, acting: played.isActing, in: family)
    }
}

/// A question in the policy's terms: the action with all its facts, and its cell in the written
/// table.
struct Consultation: Sendable, Hashable {
    let action: Action
    let facts: Facts
    let row: String
    let column: Column

    /// The decision of the written table; `decide` must agree with it, including the reason.
    var written: Decision? { WrittenTable.decision(row, column) }

    /// Description of a disagreement between `decide` and the table; nil if they agree.
    var disagreement: String? {
        let decided = decide(action, facts)
        return decided == written
            ? nil
            : "row '\(row)', column \(column): decide \(decided), table "
                + (written.map { "\($0)" } ?? "empty")
    }
}

/// A question to the policy: an action and its object.
struct Question: Sendable {
    let action: Action
    var family: SampleFamily?
    var person: SamplePerson?
    /// The household role that `member.set_role` would give.
    var newRole: HouseholdRole?
    /// The adult that `managed.reassign` and the actions on guardians are about.
    var guardian: SamplePerson?
    /// Whether the guardian leaves in the same request.
    var guardianGoes = false
    var letter: AddressedMessage?
    var invites: MemberRole?
    var invitesAdmin = false
    /// The terms for joining the family by code.
    var terms: EntryTerms?

    init(
        _ action: Action, _ family: SampleFamily? = nil, _ person: SamplePerson? = nil,
        to guardian: SamplePerson? = nil, guardianGoes: Bool = false
    ) {
        self.action = action
        self.family = family
        self.person = person
        self.guardian = guardian
        self.guardianGoes = guardianGoes
    }
}

/// Conditions for joining a family by code, besides the family's own setting for approval.
enum EntryTerms: CaseIterable, Sendable {
    /// Normal operation.
    case usual
    /// Wrong codes make approval required.
    case automatic
    /// Wrong codes make approval required, and the family has invited the address of `me`.
    case automaticInvited
}

extension Question {
    /// A question to which nobody gets a yes, because its object does not exist.
    static let impossible = Question(.actAs, .absent, .me)

    /// The question whether a person joins at once.
    static func entry(_ family: SampleFamily, _ terms: EntryTerms) -> Question {
        var question = Question(.codeEnter, family)
        question.terms = terms
        return question
    }

    /// Whether the family has invited `me`. Always true for the first family.
    private func isInvited(_ asker: Asker) -> Bool {
        asker.subject == .me && asker.world.isVerified
            && (family == .a || terms == .automaticInvited)
    }

    /// The question with its facts and cell; nil if its object does not exist, so that everybody is
    /// refused.
    func consultation(_ asker: Asker) -> Consultation? {
        row(asker).map {
            Consultation(
                action: action, facts: facts(asker), row: "\(action.name) \($0)",
                column: asker.column(in: scope))
        }
    }

    /// The family whose membership decides; nil for an action that needs none.
    private var scope: SampleFamily? {
        Rule.of(action).scope == .anywhere ? nil : family
    }

    // MARK: The row of the written table

    /// The object in the words of the table; nil if it does not exist.
    private func row(_ asker: Asker) -> String? {
        switch action {
        case .profileRead, .profileUpdate, .accountManage, .userErase, .userExport:
            return "own"
        case .memberLeave:
            return asker.world.row(asker.subject, in: family)?.status == .invited
                ? "waiting" : "-"
        case .memberRemove: return removal(asker)
        case .memberApprove:
            if person == nil { return "-" }
            return asker.world.row(person, in: family).flatMap {
                $0.status == .removed ? nil : "-"
            }
        case .memberSetRole: return change(asker)
        case .adminTransfer:
            guard let target = asker.world.active(person, in: family) else { return nil }
            if person == asker.subject { return "own" }
            return asker.world.isEligible(target) ? "another-adult" : "no-adult"
        case .invitationCreate:
            return invitesAdmin ? "parent_admin" : invites == .player ? "player" : "parent"
        case .invitationResend where letter?.graduate != nil:
            let child = asker.world.active(letter?.graduate, in: family)
            return child.flatMap { asker.sendingGuardianship(of: $0) } == .primary
                ? "graduation-by-primary" : "graduation"
        case .invitationRevoke, .invitationResend:
            return letter?.inviter == asker.subject ? "own" : "other"
        case .invitationAccept, .invitationDecline:
            if letter?.address == nil { return "link" }
            return letter?.address == SamplePerson.me.email && asker.world.isVerified
                ? "addressee" : "stranger"
        case .managedGraduate:
            guard let target = asker.world.active(person, in: family) else { return nil }
            return asker.guardianship(of: target) == .primary ? "ward" : "other"
        case .managedUpdate, .actAs, .consentRead, .consentGive, .consentWithdraw:
            guard let target = asker.world.active(person, in: family) else { return nil }
            return asker.guards(target) ? "ward" : "other"
        case .managedRemove:
            guard let target = asker.world.active(person, in: family) else { return nil }
            if !target.person.isManaged { return "other" }
            return asker.guardianship(of: target) == .primary ? "ward" : charge(target, asker)
        case .managedReassign: return handover(asker)
        case .guardianAdd, .guardianRemove, .guardianPromote: return guardianship(asker)
        case .preferencesRead, .preferencesWrite:
            guard let target = asker.world.active(person, in: family) else { return nil }
            let lacking =
                action == .preferencesWrite && asker.world.lacksConsent(target)
                ? "-without-consent" : ""
            if person == asker.subject { return "own" + lacking }
            return asker.guards(target) ? "ward" + lacking : "other"
        case .codeEnter:
            if family == .gated { return "approving" }
            if asker.isBarred(from: family) { return "barred" }
            if terms == .usual { return "open" }
            return isInvited(asker) ? "automatic-invited" : "automatic"
        default: return "-"
        }
    }

    private func removal(_ asker: Asker) -> String? {
        guard let target = asker.world.row(person, in: family), target.status != .removed
        else { return nil }
        if person == asker.subject { return target.isActive ? "own" : nil }
        if target.status == .invited { return "waiting" }
        if target.person.isManaged {
            return asker.guardianship(of: target) == .primary ? "ward" : charge(target, asker)
        }
        return target.householdRole == .parentAdmin ? "admin" : "account"
    }

    /// The table's word for a managed member of other guardians.
    private func charge(_ target: Row, _ asker: Asker) -> String {
        asker.world.isGuardianVouched(of: target)
            || asker.world.isSeatTaken(in: target.family) ? "charge" : "unvouched-charge"
    }

    private func change(_ asker: Asker) -> String? {
        guard let family, let newRole, let target = asker.world.row(person, in: family),
            target.status != .removed
        else { return nil }
        if target.person.isManaged { return "managed" }
        let isTaken = asker.world.isSeatTaken(in: family)
        if person == asker.subject {
            guard target.isActive else { return nil }
            if newRole <= max(target.householdRole, target.ceiling) { return "own-within-ceiling" }
            guard newRole == .parentAdmin else { return "own-above-ceiling" }
            if isTaken { return "own-to-taken-seat" }
            if target.isVouched { return "vouched-to-vacant-seat" }
            return asker.world.isSeatReserved(in: family)
                ? "own-to-vacant-seat" : "own-to-unreserved-seat"
        }
        guard newRole == .parentAdmin else { return "account" }
        return (asker.world.isEligible(target) ? "adult" : "other")
            + (isTaken ? "-to-taken-seat" : "-to-vacant-seat")
    }

    private func handover(_ asker: Asker) -> String? {
        guard let to = asker.world.active(guardian, in: family) else { return nil }
        let isEligible = asker.world.isEligible(to)
        if guardianGoes {
            if isEligible, guardian == asker.subject,
                asker.world.isReplacedGuardian(person, in: family)
            {
                return "with-replaced-guardian-to-oneself"
            }
            return isEligible ? "with-guardian-to-adult" : "other"
        }
        guard let child = asker.world.active(person, in: family) else { return nil }
        guard asker.guardianship(of: child) == .primary else { return "other" }
        if guardian == asker.subject { return "ward-to-oneself" }
        return isEligible ? "ward-to-another-adult" : "other"
    }

    private func guardianship(_ asker: Asker) -> String? {
        guard let child = asker.world.active(person, in: family), child.person.isManaged,
            let guardian = asker.world.active(guardian, in: family)
        else { return nil }
        guard let mine = asker.guardianship(of: child) else { return "other" }
        if action != .guardianAdd, !child.guardians.contains(guardian.person) { return nil }
        switch action {
        case .guardianPromote where asker.world.isBlocked(guardian.person): return nil
        case .guardianAdd: return asker.world.isEligible(guardian) ? "adult" : "no-adult"
        case .guardianRemove where guardian.person == asker.subject: return "own"
        default: return mine == .primary ? "by-primary" : "by-further"
        }
    }

    // MARK: The facts for the module Policy

    /// Actions on behalf of a child that are about an adult.
    private static let aboutGuardians: Set<Action> = [
        .managedReassign, .guardianAdd, .guardianRemove, .guardianPromote,
    ]

    private func facts(_ asker: Asker) -> Facts {
        let world = asker.world
        var facts = Facts(
            isAnonymous: asker.subject == nil, isActing: asker.played.isActing,
            // People who join by code are judged by their standing outside of any family.
            membership: action == .codeEnter
                ? nil : world.row(asker.subject, in: family).map { world.membership($0) })
        if action == .codeEnter {
            facts = facts.with(
                isApprovalRequired: family == .gated, isApprovalAutomatic: terms != .usual,
                isInvited: isInvited(asker), isBarred: asker.isBarred(from: family))
        }
        let isAboutGuardian = Self.aboutGuardians.contains(action)
        let isHandling = action == .invitationResend || action == .invitationRevoke
        let about = isAboutGuardian ? guardian : isHandling ? letter?.graduate : person
        let child = isAboutGuardian && !guardianGoes ? world.active(person, in: family) : nil
        if let about, let target = world.row(about, in: family), !isHandling || target.isActive {
            facts = facts.with(
                target: world.membership(target), isOneself: about == asker.subject,
                guardianship: isAboutGuardian
                    ? child.flatMap { asker.guardianship(of: $0) }
                    : isHandling
                        ? asker.sendingGuardianship(of: target) : asker.guardianship(of: target))
            facts = facts.with(
                isGuardianVouched: target.guardians.isEmpty
                    ? nil : world.isGuardianVouched(of: target),
                isSeatTaken: world.isSeatTaken(in: target.family))
        }
        if action == .preferencesWrite, let target = world.active(person, in: family),
            person == asker.subject || asker.guards(target)
        {
            facts = facts.with(lacksConsent: world.lacksConsent(target))
        }
        if isHandling { facts = facts.with(isGraduation: letter?.graduate != nil) }
        if guardianGoes {
            facts = facts.removingGuardian(
                isReplaced: world.isReplacedGuardian(person, in: family))
        }
        if let newRole, let family, let target = world.row(person, in: family) {
            facts = facts.with(
                newRole: newRole, present: target.householdRole, ceiling: target.ceiling,
                isSeatTaken: world.isSeatTaken(in: family),
                isSeatReserved: world.isSeatReserved(in: family))
        }
        if let letter {
            if letter.inviter == asker.subject { facts.insert(.inviter) }
            if letter.address == nil { facts.insert(.link) }
            if letter.address == SamplePerson.me.email, asker.subject == .me, world.isVerified {
                facts.insert(.addressee)
            }
        }
        if invites == .player { facts.insert(.invitesPlayer) }
        if invitesAdmin { facts.insert(.claimsSeat) }
        return facts
    }
}

extension World {
    func membership(_ row: Row) -> Membership {
        Membership(
            role: row.role, householdRole: row.householdRole, status: row.status,
            isManaged: row.person.isManaged, isCreator: creators[row.family] == row.person,
            isVouched: row.isVouched, isStandIn: isStandIn(row.person, in: row.family),
            isGone: isBlocked(row.person))
    }
}
