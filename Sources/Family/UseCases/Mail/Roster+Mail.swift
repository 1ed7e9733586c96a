import Domain
import Jobs
import Policy
import Postgres
import Repositories

// E-mails about changes, enqueued in the transaction that makes the change.

extension Roster {
    /// Tells the adults who is Parent Admin now.
    func tellAdults(ofAdmin admin: FamilyMember, in batch: inout Batch) {
        for adult in rows where adult.status == .active && adult.membership.isAdultWithAccount {
            let subject = MailJob.Subject.change(
                .adminChanged, family, recipient: adult.user, other: admin.user)
            batch.enqueue(MailJob(subject).job(in: family))
        }
    }

    /// Tells an adult that it is a guardian of a child now.
    func tellNamedGuardian(_ guardian: FamilyMember, of child: FamilyMember, in batch: inout Batch)
    {
        let subject = MailJob.Subject.change(
            .guardianNamed, family, recipient: guardian.user, other: child.user)
        batch.enqueue(MailJob(subject).job(in: family))
    }

    /// Tells an adult that it is no guardian of a child any more, unless it declined itself.
    func tellRemovedGuardian(
        _ guardian: FamilyMember, of child: FamilyMember, in batch: inout Batch
    ) {
        if guardian.user == subject.user { return }
        let subject = MailJob.Subject.change(
            .guardianRemoved, family, recipient: guardian.user, other: child.user)
        batch.enqueue(MailJob(subject).job(in: family))
    }

    /// Tells a guardian that another adult took over the children, unless the guardian did this.
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
