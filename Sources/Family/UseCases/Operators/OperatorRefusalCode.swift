/// Why an operator's command did nothing, for a reason that clients of the API never meet.
///
/// Beside ``RefusalCode``, because each of those has a status and a message in the API's error
/// table, and these have neither. What both can meet is there.
package enum OperatorRefusalCode: String, Sendable, CaseIterable {
    // What the database's functions raise.
    /// The transaction has not named its operator.
    case notAnOperator = "not_an_operator"
    case userNotFound = "user_not_found"
    /// The audit trail does not say yet that this export was begun.
    case exportNotBegun = "export_not_begun"
    /// Entries of the audit trail's month may still come.
    case auditMonthOpen = "audit_month_open"
    /// Entries of the trail would be dropped that no recorded export has.
    case auditNotExported = "audit_not_exported"
    case webhookNotFound = "webhook_not_found"
    /// Somebody else has rotated the secret in the meantime.
    case webhookChanged = "webhook_changed"
    /// No worker took up a test.
    case webhookNotTried = "webhook_not_tried"

    // What the words of a command lead to.
    case familyAmbiguous = "family_ambiguous"
    case memberAmbiguous = "member_ambiguous"
    case userAmbiguous = "user_ambiguous"
    case jobNotFound = "job_not_found"
    case addressNotSuppressed = "address_not_suppressed"
    case alreadyAdmin = "already_admin"
    /// Links would be made with another key than the others have.
    case secretKeyDiffers = "secret_key_differs"
    /// Nobody in the family could invite such a person.
    case noInviter = "no_inviter"
}
