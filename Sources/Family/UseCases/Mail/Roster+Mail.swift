import Domain
import Jobs
import Policy
import Postgres
import Repositories

// E-mails about changes, enqueued in the transaction of the change.

extension Roster {
    /// Notifies the adults of the new Parent Admin.
    func enqueueNewAdminMails(about admin: FamilyMember, in batch: inout Batch) {
        for adult in rows where adult.status == .active && adult.membership.isAdultWithAccount {
            let topic = MailJob.Topic.change(
                .adminChanged, family, recipient: adult.user, other: admin.user)
            batch.enqueue(MailJob(topic).job(in: family))
        }
    }

    /// Notifies an adult who has become a guardian of a child.
    func enqueueGuardianAddedMail(
        _ guardian: FamilyMember, of child: FamilyMember, in batch: inout Batch
    ) {
        let topic = MailJob.Topic.change(
            .guardianNamed, family, recipient: guardian.user, other: child.user)
        batch.enqueue(MailJob(topic).job(in: family))
    }

    /// Notifies an adult who is no longer a guardian of a child, unless that adult ended the
    /// guardianship.
    func enqueueGuardianRemovedMail(
        _ guardian: FamilyMember, of child: FamilyMember, in batch: inout Batch
    ) {
        if guardian.user == subject.user { return }
        let topic = MailJob.Topic.change(
            .guardianRemoved, family, recipient: guardian.user, other: child.user)
        batch.enqueue(MailJob(topic).job(in: family))
    }

    /// Notifies a guardian that another adult took over the children, unless the guardian did this.
    func enqueueGuardianReplacedMail(
        _ guardian: FamilyMember, newGuardian: MemberID?, in batch: inout Batch
    ) throws(Refusal) {
        guard let newGuardian, guardian.user != subject.user,
            !children(guardedOnlyBy: guardian).isEmpty
        else { return }
        let topic = MailJob.Topic.change(
            .guardianReplaced, family, recipient: guardian.user, other: try member(newGuardian).user
        )
        batch.enqueue(MailJob(topic).job(in: family))
    }
}
