import Domain
import Repositories

/// Something that should not be, as an operator is told it.
struct Finding {
    let kind: String
    var family: FamilyID?
    var subject: UserID?
    let message: String
    /// What to do about it.
    let remedy: String
    var isMended = false

    /// For people: what, where, and what to do.
    var lines: [String] {
        let place = [
            family.map { "family \($0)" }, subject.map { "about \($0)" },
        ].compactMap { $0 }
        return [kind + (place.isEmpty ? "" : ": " + place.joined(separator: ", "))]
            + ["  " + message, isMended ? "  mended" : "  -> " + remedy]
    }
}

extension Finding {
    static let schemaUnfit = Finding(
        kind: "schema_unfit", message: "the schema is not the one that this program was made for",
        remedy: "run hearth-migrate up, or this program's release")

    /// A fault in the data.
    init(_ fault: FoundFault, isMended: Bool) {
        let known = Self.words[fault.kind]
        self.init(
            kind: fault.kind, family: fault.family, subject: fault.subject,
            message: known?.message ?? fault.kind,
            remedy: fault.isMendable
                ? "hearth-admin doctor --fix" : known?.remedy ?? "look at it by hand",
            isMended: isMended)
    }

    /// Something wrong with a queue.
    init(_ fault: QueueFault) {
        let one = fault.count == 1
        let jobs = one ? "1 job" : "\(fault.count) jobs"
        let (what, remedy) =
            switch fault.kind {
            case "jobs_dead":
                (
                    "\(jobs) of '\(fault.queue)' \(one ? "was" : "were") given up",
                    "hearth-admin job list --state dead, then job retry or job cancel; "
                        + "or invite resend, for the mail of an invitation"
                )
            case "jobs_failing":
                (
                    "\(jobs) of kind '\(fault.jobKind ?? "?")' \(one ? "has" : "have") failed "
                        + "8 times or more, most with: \(fault.error ?? "?")",
                    "mend what the error tells of; they are tried again until their time is over"
                )
            case "jobs_overdue":
                (
                    "\(jobs) of '\(fault.queue)' should have begun 15 minutes ago",
                    "see whether hearth-worker runs, and what it logs"
                )
            case "queue_paused":
                (
                    "'\(fault.queue)' holds still after a failure that concerns every job",
                    "see what hearth-worker logs; it goes on by itself once the cause is gone"
                )
            default:
                (
                    "\(jobs) \(one ? "waits" : "wait"), and no worker is heard of",
                    "start hearth-worker"
                )
            }
        self.init(kind: fault.kind, message: what, remedy: remedy)
    }

    private static let words: [String: (message: String, remedy: String)] = [
        "child_without_guardian": (
            "a managed member has no active adult as its guardian",
            "add an adult (member add), then hearth-admin doctor --fix"
        ),
        "family_without_adult": (
            "the family has members, but no grown-up among them",
            "hearth-admin invite send FAMILY, or member add"
        ),
        "several_parent_admins": (
            "the family has several Parent Admins",
            "hearth-admin family transfer-admin FAMILY MEMBER"
        ),
        "slot_wrong": (
            "a member's slot is missing, taken twice or beyond the limit",
            "hearth-admin member remove, until there is room"
        ),
        "player_in_several_families": (
            "a player is active in several families", "hearth-admin member remove, from all but one"
        ),
        "member_kind_wrong": (
            "a membership and its user differ in being managed", "restore the row from a backup"
        ),
        "creator_mark_wrong": (
            "a membership and its family differ in who created it",
            "restore the row from a backup"
        ),
        "code_wrong": ("the family and the register of codes disagree", ""),
        "emptiness_wrong": ("since when the family stands empty is not noted rightly", ""),
        "invitation_overdue": (
            "an invitation expired an hour ago or more and is still pending: does the worker run?",
            ""
        ),
        "code_overdue": (
            "a code expired an hour ago or more and is still kept: does the worker run?", ""
        ),
        "invitation_without_secret": (
            "the link of a pending invitation can't be opened", "hearth-admin invite resend"
        ),
        "erased_user_left_over": (
            "something is left of a person who was erased", "restore nothing of it; report it"
        ),
    ]
}
