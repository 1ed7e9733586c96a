import UseCases

// The use cases by subject, created from the services of this process.

extension Services {
    var families: FamilyService { FamilyService(database) }
    var codes: CodeService { CodeService(database) }
    var members: MemberService { MemberService(database, consentRegister) }
    var children: ChildService { ChildService(database) }
    var guardians: GuardianService { GuardianService(database) }
    var invitations: InvitationService { InvitationService(database, invitationKeys) }
    var receivedInvitations: ReceivedInvitationService { ReceivedInvitationService(database) }
    var consents: ConsentService {
        ConsentService(database, consentRegister, invitationKeys.consentCodes)
    }
    var profiles: ProfileService { ProfileService(database) }
    var accounts: AccountService { AccountService(database, invitationKeys.deletionCodes) }
    var identities: IdentityService { IdentityService(database, offering: offeredSignInMethods) }
    var sessions: SessionService { SessionService(database, consents) }

    /// - Throws: 404 if Hearth issues no tokens of its own, or if the method is switched off.
    func signIn(by way: SignInSetup.Way? = nil) throws(Problem) -> SignInService {
        let setup = try signInSetup(by: way)
        return SignInService(
            database, setup.keys, setup.passwords,
            asking: { [self] in try isGranted($0, $1, $2) },
            onReuse: { [signInMeters] in signInMeters.noteReuse() })
    }

    /// - Throws: 404 if Hearth issues no tokens of its own, or if both methods with mailed codes
    ///   are switched off.
    func signInByMail() throws(Problem) -> SignInService {
        let setup = try signInSetup()
        // Signing up with a password also ends with a mailed code.
        guard setup.offers(.email) || setup.offers(.password) else { throw .routeNotFound }
        return try signIn()
    }

    /// - Throws: 404 if Hearth issues no tokens of its own, or if both methods with mailed codes
    ///   are switched off.
    func addressChanges() throws(Problem) -> AddressChangeService {
        let setup = try signInSetup()
        guard setup.offers(.email) || setup.offers(.password) else { throw .routeNotFound }
        return AddressChangeService(database, setup.keys)
    }

    /// - Throws: 404 if Hearth serves no API keys.
    func servers() throws(Problem) -> ServerService {
        guard let serverAccess else { throw .routeNotFound }
        return ServerService(serverAccess, invitationKeys)
    }

    /// - Throws: 404 if Hearth issues no tokens of its own.
    func pageTickets() throws(Problem) -> PageTicketService {
        PageTicketService(database, try signInSetup().keys)
    }

    /// - Throws: 404 if Hearth issues no tokens of its own, or if passkeys are switched off.
    func passkeys() throws(Problem) -> PasskeyService {
        let setup = try signInSetup(by: .passkey)
        return PasskeyService(
            database, setup.keys, setup.party,
            onCopiedPasskey: { [signInMeters] in signInMeters.noteCopiedPasskey() })
    }
}
