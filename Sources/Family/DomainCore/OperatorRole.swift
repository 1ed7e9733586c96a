/// Role of an operator: what the operator may do.
package enum OperatorRole: String, Sendable, CaseIterable {
    /// May read everything but payloads, full addresses and the full names of children.
    case viewer
    /// Helps people: ends sessions, blocks accounts, sends invitations again.
    case support
    /// Does everything.
    case admin
}
