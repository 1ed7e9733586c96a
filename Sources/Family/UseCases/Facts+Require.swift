package import Policy

extension Facts {
    /// Lets a request on only if the policy allows `action`.
    ///
    /// - Parameter absence: What is told to whoever is no member: that what was asked for does not
    ///   exist is all that an outsider may learn.
    /// - Throws: ``UseCaseError``: the policy's reason, or the absence.
    package func require(
        _ action: Action, orAbsent absence: UseCaseError.Code = .familyNotFound
    ) throws(UseCaseError) {
        switch decide(action, self) {
        case .allowed: return
        case .refused(.notAMember): throw UseCaseError(absence)
        case .refused(let reason): throw UseCaseError(.refused(reason))
        }
    }

    /// As ``require(_:orAbsent:)``, but tells `code` where nothing stands in the way but that the
    /// member in question is no adult with an account: that is the family's state, not a matter of
    /// who asks.
    func require(_ action: Action, unlessNotAdult code: UseCaseError.Code) throws(UseCaseError) {
        if !contains(.targetAdult), decide(action, union(.targetAdult)) == .allowed {
            throw UseCaseError(code)
        }
        try require(action)
    }
}

extension Caller {
    /// What is true of it outside any family.
    var facts: Facts {
        Facts(isAnonymous: isAnonymous, isActing: actingAs != nil, membership: nil)
    }
}
