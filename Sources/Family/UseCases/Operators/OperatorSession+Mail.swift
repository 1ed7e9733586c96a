import Domain
import Jobs
import Postgres
import Repositories

// E-mails about operators' changes, enqueued in the same transaction, like those about members'
// changes.

extension OperatorSession {
    /// Tells a family's adults who is Parent Admin now.
    func tellAdults(
        _ members: [OperatedMember], of admin: OperatedMember, in batch: inout Batch
    ) {
        for adult in members
        where adult.status == .active && adult.role == .parent && !adult.isManaged
            && adult.householdRole >= .adult
        {
            let subject = MailJob.Subject.change(
                .adminChanged, admin.family, recipient: adult.user, other: admin.user)
            enqueue(MailJob(subject).job(in: admin.family), in: &batch)
        }
    }

    /// Tells a guardian that another took over the children that it guarded, if there are any.
    func tellFormerGuardian(
        _ guardian: UserID, heir: OperatedMember?, _ members: [OperatedMember],
        in batch: inout Batch
    ) {
        guard let heir, members.contains(where: { $0.guardian == guardian && $0.status == .active })
        else { return }
        let subject = MailJob.Subject.change(
            .guardianReplaced, heir.family, recipient: guardian, other: heir.user)
        enqueue(MailJob(subject).job(in: heir.family), in: &batch)
    }

    /// Tells an adult that it is a guardian of a child now, or is none any more.
    func tellGuardian(
        _ guardian: OperatedMember, of child: OperatedMember, isNamed: Bool, in batch: inout Batch
    ) {
        let subject = MailJob.Subject.change(
            isNamed ? .guardianNamed : .guardianRemoved, child.family, recipient: guardian.user,
            other: child.user)
        enqueue(MailJob(subject).job(in: child.family), in: &batch)
    }

    /// Has a job done as soon as this is committed.
    private func enqueue(_ job: NewJob, in batch: inout Batch) {
        batch.enqueue(job)
        batch.wake(job.queue)
    }
}
