import Domain
import Identity
import UseCases

extension Caller {
    /// Whom a verified token speaks for.
    ///
    /// An address of a form that Hearth does not store counts as none. Anonymous users and
    /// service keys are nobody: they see their own empty state.
    init(_ token: VerifiedToken, actingAs: UserID?) {
        let email = token.email.flatMap { EmailAddress($0) }
        self.init(
            issuer: token.issuer,
            subject: token.subject,
            adoptedID: token.isPrimary ? UserID(token.subject) : nil,
            email: email,
            isEmailVerified: email != nil && token.isEmailVerified,
            fullName: token.fullName,
            role: token.role.flatMap { MemberRole(rawValue: $0) },
            isAnonymous: token.bearer != .person,
            tokenIssuedAt: token.issuedAt,
            actingAs: actingAs)
    }
}
