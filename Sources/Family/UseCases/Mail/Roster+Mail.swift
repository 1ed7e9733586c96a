import Domain
import Jobs
import Policy
import Postgres
import Repositories

// E-mails about changes, enqueued in the transaction of the change.

extension Roster {
    /// Notifies the adults of the new Parent Admin.
    func tellAdults(ofAdmin admin: FamilyMember, in batch: inout Batch) {
        for adult in rows where adult.status == .active && adult.membership.isAdultWithAccount {
            let subject = MailJob.Subject.change(
                .adminChanged, family, recipient: adult.user, other: admin.user)
            batch.enqueue(MailJob(subject).job(in: family))
        }
    }

    /// Notifies an adult who has become a guardian of a child.
    func tellNamedGuardian(_ guardian: FamilyMember, of child: FamilyMember, in batch: inout Batch)
    {
        let subject = MailJob.Subject.change(
            .guardianNamed, family, recipient: guardian.user, other: child.user)
        batch.enqueue(MailJob(subject).job(in: family))
    }

    /// Notifies an adult who is no longer a guardian of a child, unless it declined itself.
    func tellRemovedGuardian(
        _ guardian: FamilyMember, of child: FamilyMember, in batch: inout Batch
    ) {
        if guardian.user == subject.user { return }
        let subject = MailJob.Subject.change(
            .guardianRemoved, family, recipient: guardian.user, other: child.user)
        batch.enqueue(MailJob(subject).job(in: family))
    }

    /// Notifies a guardian that another adult took over the children, unless the guardian did this.
    func tellFormerGuardian(
        _ guardian: FamilyMember, heir: MemberID?, in batch: inout Batch
    ) throws(Refusal) {
        guard let heir, guardian.user != subject.user,
            rows.contains(where: { $0.guardians == [guardian.user] })
        else { return }
        let subject = MailJob.Subject.change(
            .guardianReplaced, family, recipient: guardian.user, other: try member(heir).user)
        batch.enqueue(MailJob(subject).job(in: family))
    }
}
