package import Policy

extension Facts {
    /// Lets a request on only if the policy allows `action`.
    ///
    /// - Throws: ``UseCaseError``: the policy's reason, or, where the caller is no member, that the
    ///   family does not exist, which is all that an outsider may learn.
    package func require(_ action: Action) throws(UseCaseError) {
        switch decide(action, self) {
        case .allowed: return
        case .refused(.notAMember): throw UseCaseError(.familyNotFound)
        case .refused(let reason): throw UseCaseError(.refused(reason))
        }
    }
}
