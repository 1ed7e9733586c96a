import Domain
import Jobs
import Policy
import Postgres
import Repositories

// E-mails about changes, enqueued in the transaction that makes the change.

extension Roster {
    /// Tells the adults who is Parent Admin now.
    func tellAdults(ofAdmin admin: RosterRow, in batch: inout Batch) {
        for adult in rows where adult.status == .active && adult.membership.isAdultWithAccount {
            let subject = MailJob.Subject.adminChanged(
                family, recipient: adult.user, admin: admin.user)
            batch.enqueue(MailJob(subject).job(in: family))
        }
    }

    /// Tells a member that it was removed; a person who only waited for approval was not a member.
    func tellRemoved(_ member: RosterRow, in batch: inout Batch) {
        guard member.status == .active, !member.isManaged else { return }
        batch.enqueue(
            MailJob(.memberRemoved(family, recipient: member.user)).job(in: family))
    }

    /// Tells a guardian that another adult took over the children, unless the guardian did this.
    func tellFormerGuardian(
        _ guardian: RosterRow, heir: MemberID?, in batch: inout Batch
    ) throws(Refusal) {
        guard let heir, guardian.user != subject.user,
            rows.contains(where: { $0.guardian == guardian.user && $0.status == .active })
        else { return }
        let subject = MailJob.Subject.guardianReplaced(
            family, recipient: guardian.user, guardian: try member(heir).user)
        batch.enqueue(MailJob(subject).job(in: family))
    }
}
