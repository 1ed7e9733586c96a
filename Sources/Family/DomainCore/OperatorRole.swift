/// Role of an operator: what the operator may do.
package enum OperatorRole: String, Sendable, CaseIterable {
    /// Reads, without payloads, whole addresses and names of children.
    case viewer
    /// Helps people: ends sessions, blocks, sends invitations again.
    case support
    /// Does everything.
    case admin
}
