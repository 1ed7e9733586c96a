import Domain
import Identity
import UseCases

extension Caller {
    /// The caller of a verified token.
    ///
    /// An address that Hearth can't store counts as missing. Anonymous users and service keys count
    /// as nobody: they see an empty state of their own.
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
