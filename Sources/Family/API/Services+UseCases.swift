import UseCases

// The use cases by subject, made of what this process has.

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
    var identities: IdentityService { IdentityService(database, offering: offeredWays) }
    var sessions: SessionService { SessionService(database, consents) }

    /// - Throws: 404 where Hearth gives no tokens of its own, or where the way is switched off.
    func signIn(by way: SignInSetup.Way? = nil) throws(Problem) -> SignInService {
        let setup = try signInSetup(by: way)
        return SignInService(
            database, setup.keys, setup.passwords,
            asking: { [self] in try isGranted($0, $1, $2) },
            onReuse: { [signInMeters] in signInMeters.noteReuse() })
    }

    /// - Throws: 404 where Hearth gives no tokens of its own.
    func signInByMail() throws(Problem) -> SignInService {
        let setup = try signInSetup()
        // Signing up ends with a mailed code as well.
        guard setup.offers(.email) || setup.offers(.password) else { throw .routeNotFound }
        return try signIn()
    }

    /// - Throws: 404 where Hearth gives no tokens of its own, or where passkeys are switched off.
    func passkeys() throws(Problem) -> PasskeyService {
        let setup = try signInSetup(by: .passkey)
        return PasskeyService(
            database, setup.keys, setup.party,
            noteCopy: { [signInMeters] in signInMeters.noteCopiedPasskey() })
    }
}
