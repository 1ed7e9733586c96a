package import Domain
import Repositories

/// A fault, as shown to an operator.
package struct Finding: Sendable {
    package let kind: String
    package var family: FamilyID?
    package var subject: UserID?
    package let message: String
    /// Advice on how to repair the fault.
    package let remedy: String
    package var isRepaired = false
    /// Whether the remedy may contain line breaks, because the migrations wrote them. Line breaks
    /// in other remedies may come from a name that somebody chose, and could fake a line of output.
    var keepsLineBreaks = false

    /// Lines for people: the fault, the object with the fault, and the remedy.
    package var lines: [String] {
        let location = [
            family.map { "family \($0)" }, subject.map { "about \($0)" },
        ].compactMap { $0 }
        return [kind + (location.isEmpty ? "" : ": " + location.joined(separator: ", "))]
            + ["  " + message] + (isRepaired ? ["  repaired"] : remedyLines)
    }

    /// The lines of the remedy. Statements of several lines are not indented, since the indentation
    /// would become part of a function's text; an empty line ends them.
    private var remedyLines: [String] {
        guard keepsLineBreaks, remedy.unicodeScalars.contains("\n") else {
            return ["  -> " + remedy]
        }
        func split(_ text: String) -> [String] {
            text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
                .map { String($0) }
        }
        guard remedy.hasPrefix("as "), let mark = remedy.firstRange(of: ": ") else {
            return split("  -> " + remedy) + [""]
        }
        return ["  -> \(remedy[..<mark.lowerBound]):"]
            + split(remedy[mark.upperBound...] + ";") + [""]
    }
}

extension Finding {
    /// The kind of a finding about an area in which the database refused the statements of
    /// `doctor`.
    static let unchecked = "area_unchecked"

    /// The finding that the database refuses the statements that examine an area.
    static func unchecked(_ area: String, _ reason: String) -> Finding {
        Finding(
            kind: unchecked, message: "\(area): \(reason)",
            remedy: "fix the other findings, check that HEARTH_ADMIN_DATABASE_URL logs in as "
                + "hearth_admin, and run doctor again")
    }

    /// The finding that the database stores text in an encoding other than UTF8.
    static func foreign(encoding: String) -> Finding {
        Finding(
            kind: "encoding_unfit",
            message: "the database has the encoding \(encoding); it must have UTF8",
            remedy: "create another database with ENCODING 'UTF8' TEMPLATE template0, and copy the "
                + "data with pg_dump and psql")
    }

    /// Finding about domains of stored addresses whose A-labels the database does not know.
    static func unknown(domains: [String], isRepaired: Bool) -> Finding {
        Finding(
            kind: "domain_unknown",
            message: "addresses of \(domains.count == 1 ? "a domain" : "\(domains.count) domains") "
                + "match nothing, because the A-label isn't stored: "
                + domains.prefix(5).joined(separator: ", "),
            remedy: "hearth-admin doctor --fix", isRepaired: isRepaired)
    }

    static let schemaUnfit = Finding(
        kind: "schema_unfit", message: "the schema does not match this program",
        remedy: "run hearth-migrate up, or use the program of the database's release")

    /// The finding that the worker has created no partition of the audit log for a month.
    static func missing(auditMonth month: String, isRepaired: Bool) -> Finding {
        Finding(
            kind: "audit_month_missing",
            message: "the audit log has no partition for \(month), so its entries would go to "
                + "audit_log_other: is the worker running?",
            remedy: "hearth-admin doctor --fix", isRepaired: isRepaired)
    }

    /// Finding about a fault in the data.
    init(_ fault: FoundFault, isRepaired: Bool) {
        let known = Self.words[fault.kind]
        self.init(
            kind: fault.kind, family: fault.family, subject: fault.subject,
            message: known?.message ?? fault.kind,
            remedy: fault.isMendable
                ? "hearth-admin doctor --fix" : known?.remedy ?? "repair it by hand",
            isRepaired: isRepaired)
    }

    /// Finding about timestamps in the future that a fast clock has stored.
    init(_ future: FutureTimestamps, isRepaired: Bool) {
        let rows = future.count == 1 ? "1 row" : "\(future.count) rows"
        self.init(
            kind: "moment_ahead",
            message: "\(rows) of \(future.table) \(future.count == 1 ? "has" : "have") a "
                + "\(future.column) in the future, up to \(future.furthest): a clock was fast",
            remedy: "correct the clocks, then hearth-admin doctor --fix", isRepaired: isRepaired)
    }

    /// Finding about a queue of jobs.
    init(_ fault: QueueFault) {
        let one = fault.count == 1
        let jobs = one ? "1 job" : "\(fault.count) jobs"
        let (what, remedy) =
            switch fault.kind {
            case "jobs_dead":
                (
                    "\(jobs) of '\(fault.queue)' \(one ? "was" : "were") discarded",
                    "hearth-admin job list --state dead, then job retry or job cancel; for an "
                        + "invitation's e-mail, invite resend"
                )
            case "jobs_failing":
                (
                    "\(jobs) of kind '\(fault.jobKind ?? "?")' \(one ? "has" : "have") failed "
                        + "8 times or more, most with: \(fault.error ?? "?")",
                    "fix the cause of the error; the jobs are retried until their time is over"
                )
            case "jobs_overdue":
                (
                    "\(jobs) of '\(fault.queue)' should have begun 15 minutes ago",
                    "check that hearth-worker is running, and read its log"
                )
            case "queue_paused" where fault.isByOperator == true:
                (
                    "'\(fault.queue)' has been paused since "
                        + "\(fault.since?.description ?? "?") by an operator: "
                        + "\(fault.error ?? "?")",
                    "hearth-admin job resume \(fault.queue), when the reason is gone"
                )
            case "queue_paused":
                (
                    "'\(fault.queue)' has been paused since "
                        + "\(fault.since?.description ?? "?") after a failure that affects every "
                        + "job: \(fault.error ?? "?")",
                    "fix the cause; every 30 seconds one job is tried, and the queue resumes when "
                        + "one succeeds"
                )
            default:
                (
                    "\(jobs) \(one ? "waits" : "wait"), and no worker is running",
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
        "guardianship_wrong": (
            "a managed member's list of guardians has a member who is not an active adult, or "
                + "lacks the primary guardian",
            ""
        ),
        "family_without_adult": (
            "the family has members, but no adult",
            "hearth-admin invite send FAMILY, or member add"
        ),
        "several_parent_admins": (
            "the family has several Parent Admins",
            "hearth-admin family transfer-admin FAMILY MEMBER"
        ),
        "slot_wrong": (
            "a member's slot is missing, used twice or above the limit",
            "hearth-admin member remove, until there is a free slot"
        ),
        "player_in_several_families": (
            "a player is active in several families", "hearth-admin member remove, from all but one"
        ),
        "role_differs": (
            "an account is in a family in another role (player or parent) than its own",
            "hearth-admin member remove, from the families of one of the two roles"
        ),
        "stand_in_wrong": (
            "the adults who stand in for the creator and the Parent Admin are recorded wrongly", ""
        ),
        "member_kind_wrong": (
            "a membership and its user disagree about whether the member is managed",
            "restore the row from a backup"
        ),
        "creator_mark_wrong": (
            "a membership and its family disagree about who created the family",
            "restore the row from a backup"
        ),
        "code_wrong": ("the family's code and the table of codes disagree", ""),
        "emptiness_wrong": ("the recorded time at which the family became empty is wrong", ""),
        "invitation_overdue": (
            "an invitation expired at least an hour ago and is still pending: is the worker "
                + "running?",
            ""
        ),
        "code_overdue": (
            "a code expired at least an hour ago and is still stored: is the worker running?", ""
        ),
        "invitation_without_secret": (
            "the link of a pending invitation can't be opened", "hearth-admin invite resend"
        ),
        "mailbox_of_two": (
            "another account has verified the same mailbox in another spelling, so this account "
                + "can't sign in with its address",
            "let the person keep one account; hearth-admin user list --search DOMAIN shows both"
        ),
        "id_not_of_sign_in": (
            "the account's id is not the subject of its primary sign-in, so direct clients find "
                + "no data by it",
            "the account gets this id at its next sign-in, unless another account has it; then "
                + "run hearth-admin user show with that id"
        ),
        "erased_user_left_over": (
            "data of an erased person is left over", "don't restore it; report this as a bug"
        ),
    ]
}
