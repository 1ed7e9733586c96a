import Domain
import Jobs
import Postgres
import Repositories

// E-mails about operators' changes, enqueued in the same transaction, like those about members'
// changes.

extension OperatorSession {
    /// Notifies a family's adults of the new Parent Admin.
    func tellAdults(
        _ members: [AdminMember], of admin: AdminMember, in batch: inout Batch
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

    /// Notifies a guardian that another adult took over the children, if there are any.
    func tellFormerGuardian(
        _ guardian: UserID, heir: AdminMember?, _ members: [AdminMember],
        in batch: inout Batch
    ) {
        guard let heir, members.contains(where: { $0.guardian == guardian && $0.status == .active })
        else { return }
        let subject = MailJob.Subject.change(
            .guardianReplaced, heir.family, recipient: guardian, other: heir.user)
        enqueue(MailJob(subject).job(in: heir.family), in: &batch)
    }

    /// Notifies an adult who has become a guardian of a child, or is no longer one.
    func tellGuardian(
        _ guardian: AdminMember, of child: AdminMember, isNamed: Bool, in batch: inout Batch
    ) {
        let subject = MailJob.Subject.change(
            isNamed ? .guardianNamed : .guardianRemoved, child.family, recipient: guardian.user,
            other: child.user)
        enqueue(MailJob(subject).job(in: child.family), in: &batch)
    }

    /// Enqueues a job, and wakes a worker for it after the commit.
    private func enqueue(_ job: NewJob, in batch: inout Batch) {
        batch.enqueue(job)
        batch.notifyWorkers(job.queue)
    }
}
