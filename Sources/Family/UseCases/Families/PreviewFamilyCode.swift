import Policy
import Repositories

/// Tells which family a code leads to, before one joins.
package struct PreviewFamilyCode: Sendable {
    /// What holders of a code may know about the family.
    package struct Preview: Sendable, Hashable {
        package let familyName: String
        /// Active members, with and without an account; not who waits for approval.
        package let memberCount: Int
        /// Whether the caller would wait for approval: the family approves who joins by its code,
        /// or approval is automatic at the moment.
        package let isApprovalRequired: Bool
    }

    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// Counted like an attempt to join.
    ///
    /// - Throws: ``Refusal``: `codeMalformed`, `codeUnknown`, `codeExpired`,
    ///   `tooManyAttempts`.
    package func callAsFunction(
        by context: RequestContext, typedCode: String, from client: ClientAddress
    ) throws -> Preview {
        try context.caller.facts.require(.codePreview)
        let (found, terms) = try CodeAttempt(typedCode, from: client).preview(
            by: context, in: database)
        switch found.outcome {
        case .refused(let code): throw Refusal(code)
        case .success(.found):
            let facts = terms.map { context.caller.facts.with($0) } ?? context.caller.facts
            return Preview(
                familyName: found.familyName ?? "", memberCount: found.memberCount ?? 0,
                isApprovalRequired: decide(.codeEnter, facts) != .allowed)
        }
    }
}
