import Foundation
import HearthClient
import Testing

@Suite("Contract: ways to sign in, the address, consents, erasure", .timeLimit(.minutes(10)))
struct AccountContract {
    @Test(
        "a provider's sign-in is added to one account, and the last way to sign in stays",
        arguments: Backend.allCases)
    func identities(_ backend: Backend) async throws {
        let site = try backend.site()
        let (ada, pat) = (try await site.mailedPerson(), try await site.mailedPerson())
        let first = try await ada.hearth.identities()
        #expect(first.map(\.kind) == [.email] && first[0].email == ada.email)
        let last = try await refusal { try await ada.hearth.removeIdentity(first[0].id) }
        #expect(last == .lastIdentity)

        let token = try site.providerToken()
        let both = try await ada.hearth.addIdentity(token)
        #expect(both.map(\.kind) == [.email, .issuer] && both[1].issuer != nil)
        #expect(try await ada.hearth.addIdentity(token) == both, "it is known already")
        let further = try await refusal {
            try await ada.hearth.addIdentity(try site.providerToken())
        }
        #expect(further == .identityOfIssuerExists)
        try await ada.hearth.createFamily(named: "The Terns")
        let taken = try await refusal { try await pat.hearth.addIdentity(token) }
        #expect(taken == .identityInUse)
        let odd = try await refusal { try await pat.hearth.addIdentity(ProviderToken("odd")) }
        #expect(odd == .invalidToken)

        try await ada.hearth.removeIdentity(both[1].id)
        // A sign-in of a primary issuer gives the account its subject as id, from which the ids of
        // other ways follow.
        let kept = try await ada.hearth.identities()
        #expect(kept.map(\.kind) == [.email] && kept.first?.email == ada.email)
        let gone = try await refusal { try await ada.hearth.removeIdentity(both[1].id) }
        #expect(gone == .identityNotFound)
        let foreign = try await refusal { try await pat.hearth.removeIdentity(kept[0].id) }
        #expect(foreign == .identityNotFound)
    }

    @Test(
        "an account's address changes with the code that the new address gets",
        arguments: Backend.allCases)
    func address(_ backend: Backend) async throws {
        let site = try backend.site()
        let (ada, pat) = (try await site.mailedPerson(), try await site.mailedPerson())
        let new = "\(UUID().uuidString.lowercased())@example.com"
        let same = try await refusal {
            _ = try await ada.hearth.requestAddressChange(to: ada.email)
        }
        #expect(same == .invalidField)
        let ticket = try await ada.hearth.requestAddressChange(to: new)
        #expect(try await ada.hearth.profile().email == ada.email)
        let code = try site.mailedCode(to: new)
        let malformed = try await refusal {
            try await ada.hearth.changeAddress(ticket, code: "12345")
        }
        #expect(malformed == .codeMalformed)
        let wrong = try await refusal {
            try await ada.hearth.changeAddress(ticket, code: code == "000000" ? "000001" : "000000")
        }
        #expect(wrong == .codeWrong)
        let thief = try await refusal { try await pat.hearth.changeAddress(ticket, code: code) }
        #expect(thief != nil && thief != .codeMalformed)
        try await ada.hearth.changeAddress(ticket, code: code)
        #expect(try await ada.hearth.profile().email == new)
        let again = try await refusal { try await ada.hearth.changeAddress(ticket, code: code) }
        #expect(again == .codeExpired)

        let taken = try await pat.hearth.requestAddressChange(to: new)
        let right = try site.mailedCode(to: new)
        let inUse = try await refusal { try await pat.hearth.changeAddress(taken, code: right) }
        #expect(inUse == .identityInUse)
        #expect(try await pat.hearth.profile().email == pat.email)
    }

    @Test(
        "an account can be exported, and erased only if others take over seat and children",
        arguments: Backend.allCases)
    func erasure(_ backend: Backend) async throws {
        let home = try await ClientFamily(backend.site())
        let (ada, pat) = (home.admin.hearth, home.parent.hearth)
        let max = try await ada.addManagedMember(named: "Max")
        let document = try await ada.exportAccount()
        let text = String(decoding: document, as: UTF8.self)
        #expect(text.contains(home.admin.email) && text.contains("Max"))
        #expect(try JSONSerialization.jsonObject(with: document) is [String: Any])

        let own = try await home.member(home.admin)
        do {
            try await ada.eraseAccount()
            Issue.record("the account is erased")
        } catch HearthError.refused(let problem) {
            #expect(problem.code == .erasureBlocked)
            let kinds = Set(problem.blockers.map(\.kind))
            #expect(kinds == [.guardianHasManagedMembers, .transferAdminFirst])
            #expect(Set(problem.blockers.map(\.memberID)) == [max.id, own.id])
        }
        let player = try await home.member(home.player)
        let kid = try await refusal {
            try await ada.eraseAccount(
                handingOver: AccountHandover(guardians: [player.id], admins: [player.id]))
        }
        #expect(kid == .guardianNotAdult || kid == .adminNotAdult)
        let heir = try await home.member(home.parent)
        let stranger = try await ClientFamily(backend.site())
        let outside = try await stranger.member(stranger.parent)
        let unknown = try await refusal {
            try await ada.eraseAccount(
                handingOver: AccountHandover(guardians: [outside.id], admins: [heir.id]))
        }
        #expect(unknown == .memberNotFound)
        try await ada.eraseAccount(
            handingOver: AccountHandover(guardians: [heir.id], admins: [heir.id]))

        let over = await #expect(throws: HearthError.self) { _ = try await ada.profile() }
        #expect(over?.nextStep == .signIn)
        let members = try await pat.members(of: home.family.id)
        #expect(Set(members.map(\.displayName)) == ["Pat", "Kim", "Max"])
        #expect(members.first { $0.id == heir.id }?.householdRole == .parentAdmin)
        #expect(members.first { $0.id == max.id }?.guardians.map(\.userID) == [heir.userID])

        // The last one takes the child along.
        let alone = try await refusal { try await pat.eraseAccount() }
        #expect(alone == .erasureBlocked)
        try await pat.eraseAccount(handingOver: AccountHandover(erasesChildren: true))
        let left = try await home.player.hearth.members(of: home.family.id)
        #expect(left.map(\.displayName) == ["Kim"])
    }

    @Test(
        "guardians and accounts can give and withdraw the consents that the server asks for",
        arguments: Backend.allCases)
    func consents(_ backend: Backend) async throws {
        let home = try await ClientFamily(backend.askingSite())
        let (pat, family) = (home.parent.hearth, home.family.id)
        let max = try await pat.addManagedMember(named: "Max")
        let asked = try await pat.consents(for: max.id)
        #expect(asked.map(\.purpose) == ["profile"] && asked.map(\.isGiven) == [false])
        #expect(asked[0].isRequired && asked[0].currentVersion == "1")
        #expect(asked[0].title == ["und": "Profile"] && asked[0].text == ["und": "We store it."])
        let early = try await refusal {
            _ = try await pat.setPreferences(["a": 1], in: family, of: max.userID)
        }
        #expect(early == .consentRequired)
        let old = try await refusal {
            try await pat.giveConsent(to: "profile", version: "0", for: max.id)
        }
        #expect(old == .consentOutdated)
        let given = try await pat.giveConsent(to: "profile", version: "1", for: max.id)
        let giver = try await pat.profile().id
        #expect(given.isGiven && given.givenBy == giver && given.method == .signedIn)
        #expect(try await pat.consent(to: "profile", for: max.id) == given)
        _ = try await pat.setPreferences(["a": 1], in: family, of: max.userID)
        let ended = try await pat.withdrawConsent(to: "profile", for: max.id)
        #expect(!ended.isGiven && ended.version == nil && ended.givenAt == nil)
        let late = try await refusal {
            _ = try await pat.setPreferences(["a": 2], in: family, of: max.userID)
        }
        #expect(late == .consentRequired)
        let own = try await refusal {
            try await pat.giveConsent(to: "terms", version: "1", for: max.id)
        }
        #expect(own == .purposeNotFound, "this one is for accounts")

        #expect(try await pat.profile().missingConsents.map(\.purpose) == ["terms"])
        let terms = try await pat.giveOwnConsent(to: "terms", version: "1")
        #expect(terms.isGiven && terms.givenBy == nil)
        #expect(try await pat.ownConsents() == [terms])
        #expect(try await pat.profile().missingConsents == [])
        #expect(try await !pat.withdrawOwnConsent(to: "terms").isGiven)
        #expect(try await pat.profile().missingConsents.map(\.purpose) == ["terms"])
        let profile = try await refusal {
            try await pat.giveOwnConsent(to: "profile", version: "1")
        }
        #expect(profile == .purposeNotFound, "this one is for children")
    }

    @Test(
        "attributes are merged and kept, and only members with the right can write them",
        arguments: Backend.allCases)
    func attributes(_ backend: Backend) async throws {
        let home = try await ClientFamily(backend.site())
        let family = home.family.id
        #expect(try await home.player.hearth.attributes(of: family) == [:])
        let first = try await home.admin.hearth.updateAttributes(
            ["colour": "teal", "size": 2], of: family)
        #expect(first == ["colour": "teal", "size": 2])
        let merged = try await home.admin.hearth.updateAttributes(
            ["colour": nil, "deep": ["a": 1]], of: family)
        #expect(merged == ["size": 2, "deep": ["a": 1]])
        #expect(try await home.parent.hearth.attributes(of: family) == merged)
        let stranger = try backend.site().person()
        let foreign = try await refusal { _ = try await stranger.hearth.attributes(of: family) }
        #expect(foreign == .familyNotFound)
        let large = try await refusal {
            _ = try await home.admin.hearth.updateAttributes(
                ["text": .string(String(repeating: "x", count: 20_000))], of: family)
        }
        #expect(large == .attributesTooLarge)
    }
}
