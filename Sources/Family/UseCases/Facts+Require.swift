package import Domain
package import Policy

extension Facts {
    /// Lets a request on only if the policy allows `action`.
    ///
    /// - Parameter absence: The error for outsiders, who may only learn that the object does not
    ///   exist.
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

    /// As ``require(_:orAbsent:)``, but throws `code` if the only obstacle is that the member in
    /// question is not an adult with an account: that depends on the family's state, not on the
    /// caller.
    func require(_ action: Action, unlessNotAdult code: RefusalCode) throws(Refusal) {
        if !contains(.targetAdult), decide(action, union(.targetAdult)) == .allowed {
            throw Refusal(code)
        }
        try require(action)
    }
}

extension Caller {
    /// The facts of the subject outside any family.
    var facts: Facts {
        Facts(isAnonymous: isAnonymous, isActing: actingAs != nil, membership: nil)
    }
}
