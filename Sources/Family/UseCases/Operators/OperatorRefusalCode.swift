/// A reason for refusing an operator's command that clients of the API never get.
///
/// Separate from ``RefusalCode``, because each of those has a status and a message in the API's
/// error table, and these have neither. A reason that clients and operators can both get is a
/// ``RefusalCode``.
package enum OperatorRefusalCode: String, Sendable, CaseIterable {
    // Raised by the database's functions.
    /// The transaction has not named its operator.
    case notAnOperator = "not_an_operator"
    /// The role of an operator of the console does not allow the change, or not on this account.
    case roleDoesNotAllow = "role_does_not_allow"
    case userNotFound = "user_not_found"
    /// The audit log has no entry yet about the start of this export.
    case exportNotBegun = "export_not_begun"
    /// The month of the audit log may still get entries.
    case auditMonthOpen = "audit_month_open"
    /// The command would drop entries of the audit log that no recorded export contains.
    case auditNotExported = "audit_not_exported"
    case webhookNotFound = "webhook_not_found"
    /// The secret was rotated by somebody else in the meantime.
    case webhookChanged = "webhook_changed"
    /// A test was not attempted by any worker.
    case webhookNotTried = "webhook_not_tried"

    case apiKeyNotFound = "api_key_not_found"
    /// Another key that is not revoked has this name.
    case apiKeyExists = "api_key_exists"
    /// The key has expired, so it gets no new secret.
    case apiKeyExpired = "api_key_expired"
    /// The key was rotated, and its previous secret still works.
    case apiKeyRotating = "api_key_rotating"

    /// The child's primary guardian is not the one that the operator has seen.
    case guardianChanged = "guardian_changed"

    // The results of looking up the words of a command.
    case familyAmbiguous = "family_ambiguous"
    case memberAmbiguous = "member_ambiguous"
    case userAmbiguous = "user_ambiguous"
    case jobNotFound = "job_not_found"
    /// The last admin keeps the role.
    case lastAdmin = "last_admin"
    /// The account is an operator with another role.
    case operatorExists = "operator_exists"
    /// The account is not an operator.
    case operatorNotFound = "operator_not_found"
    case addressNotSuppressed = "address_not_suppressed"
    /// The address is suppressed.
    case addressSuppressed = "address_suppressed"
    case alreadyAdmin = "already_admin"
    /// This process would make links with a key other than that of the running programs.
    case secretKeyDiffers = "secret_key_differs"
    /// The family has no member who may send such an invitation.
    case noInviter = "no_inviter"
}
