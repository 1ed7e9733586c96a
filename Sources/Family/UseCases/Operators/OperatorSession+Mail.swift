import Domain
import Jobs
import Postgres
import Repositories

// E-mails about operators' changes, enqueued in the same transaction, like those about members'
// changes.

extension OperatorSession {
    /// Notifies a family's adults of the new Parent Admin.
    func enqueueNewAdminMails(
        _ members: [AdminMember], about admin: AdminMember, in batch: inout Batch
    ) {
        for adult in members
        where adult.status == .active && adult.role == .parent && !adult.isManaged
            && adult.householdRole >= .adult
        {
            let topic = MailJob.Topic.change(
                .adminChanged, admin.family, recipient: adult.user, other: admin.user)
            enqueue(MailJob(topic).job(in: admin.family), in: &batch)
        }
    }

    /// Notifies a guardian that another adult has taken over the guardian's children. Does nothing
    /// if there are none, or if `newGuardian` is nil.
    func enqueueGuardianReplacedMail(
        _ guardian: UserID, newGuardian: AdminMember?, _ members: [AdminMember],
        in batch: inout Batch
    ) {
        guard let newGuardian,
            members.contains(where: { $0.guardian == guardian && $0.status == .active })
        else { return }
        let topic = MailJob.Topic.change(
            .guardianReplaced, newGuardian.family, recipient: guardian, other: newGuardian.user)
        enqueue(MailJob(topic).job(in: newGuardian.family), in: &batch)
    }

    /// Notifies an adult who has become a guardian of a child, or is no longer one.
    func enqueueGuardianMail(
        _ guardian: AdminMember, of child: AdminMember, isNamed: Bool, in batch: inout Batch
    ) {
        let topic = MailJob.Topic.change(
            isNamed ? .guardianNamed : .guardianRemoved, child.family, recipient: guardian.user,
            other: child.user)
        enqueue(MailJob(topic).job(in: child.family), in: &batch)
    }

    /// Enqueues a job, and wakes a worker for it after the commit.
    private func enqueue(_ job: NewJob, in batch: inout Batch) {
        batch.enqueue(job)
        batch.notifyWorkers(job.queue)
    }
}
