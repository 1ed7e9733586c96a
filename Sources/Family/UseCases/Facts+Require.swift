package import Domain
package import Policy

extension Facts {
    /// Lets a request on only if the policy allows `action`.
    ///
    /// - Parameter absence: What is told to whoever is no member: that what was asked for does not
    ///   exist is all that an outsider may learn.
    /// - Throws: ``Refusal``: the policy's code, or the absence.
    package func require(
        _ action: Action, orAbsent absence: RefusalCode = .familyNotFound
    ) throws(Refusal) {
        switch decide(action, self) {
        case .allowed: return
        case .refused(.familyNotFound): throw Refusal(absence)
        case .refused(let code): throw Refusal(code)
        }
    }

    /// As ``require(_:orAbsent:)``, but tells `code` where nothing stands in the way but that the
    /// member in question is no adult with an account: that is the family's state, not a matter of
    /// who asks.
    func require(_ action: Action, unlessNotAdult code: RefusalCode) throws(Refusal) {
        if !contains(.targetAdult), decide(action, union(.targetAdult)) == .allowed {
            throw Refusal(code)
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
