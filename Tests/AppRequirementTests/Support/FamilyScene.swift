import Testing

/// A family of a scene, created by requests that are not part of the transcript.
struct FamilyScene: Sendable {
    let id, code: String
    let creator: Phone
    /// The member who joined by code.
    let joiner: Phone

    /// Kim, a player of Recruiting Compass, and Pat, a parent who joined.
    static func recruiting(named name: String = "The Terns") async throws -> FamilyScene {
        try await FamilyScene(named: name, by: .player(), joiner: .parent())
    }

    /// Ada and Pat, parents in Family Movie Night; Ada is the Parent Admin.
    static func movies(named name: String = "The Emersons") async throws -> FamilyScene {
        try await FamilyScene(
            named: name, by: Phone(name: "Ada", from: .cognito),
            joiner: Phone(name: "Pat", from: .cognito))
    }

    /// Ada and Pat, parents in TribeBoard; Ada is the Parent Admin.
    static func tribe(named name: String = "The Tribe") async throws -> FamilyScene {
        try await FamilyScene(
            named: name, by: Phone(name: "Ada", from: .apple),
            joiner: Phone(name: "Pat", from: .apple))
    }

    init(named name: String, by creator: Phone, joiner: Phone) async throws {
        self.creator = creator
        self.joiner = joiner
        let answer = try await Transcript.withoutNotes {
            try await creator.post("/api/family/create", ["familyName": name])
        }
        id = try #require(answer.json.familyId.text)
        code = try #require(answer.json.familyCode.text)
        try await join(joiner)
    }

    func join(_ phone: Phone) async throws {
        _ = try await Transcript.withoutNotes {
            try await phone.post("/api/family/code/join", ["familyCode": code])
        }
    }

    /// Adds a person who joins the family.
    func another(_ phone: Phone) async throws -> Phone {
        try await join(phone)
        return phone
    }

    /// The id of a person's membership, or of a user as the API shows it.
    func memberID(of phone: Phone) async throws -> String {
        try await member(phone, seenBy: creator).id.text ?? ""
    }

    /// A person's entry in the list of members that another person sees.
    func member(_ phone: Phone, seenBy viewer: Phone) async throws -> Content {
        try await Transcript.withoutNotes {
            let user = try await phone.get("/api/me").json.id.text
            let members = try await viewer.get("/api/family/members?familyId=\(id)").json.members
            return try #require(members.items.first { $0.user_id.text == user })
        }
    }

    /// Adds a child without an account and returns its id with the prefix of managed members.
    func child(of guardian: Phone? = nil, named name: String = "Max") async throws -> String {
        try await Transcript.withoutNotes {
            let path = "/groups/\(id)/members/managed"
            let json = #"{"display_name": "\#(name)", "avatar_key": "avatar_bear"}"#
            let added = try await (guardian ?? creator).send(
                "POST", path, json: json, expect: 201)
            return try #require(added.json.id.text)
        }
    }

    /// Invites an address and returns the invitation's id.
    @discardableResult
    func invite(_ email: String, as role: String = "parent") async throws -> String {
        try await Transcript.withoutNotes {
            let sent = try await creator.post(
                "/api/family/invite", ["email": email, "role": role, "familyUnitId": id])
            return try #require(sent.json.invitationId.text)
        }
    }

    /// Invites a person and returns the token in the link of the e-mail that arrives.
    func inviteToken(for phone: Phone, as role: String = "parent") async throws -> String {
        try await invite(phone.email, as: role)
        return try #require(phone.backend.letter(to: phone.email).token)
    }

    /// Gives a person a household role, as the creator.
    func set(_ phone: Phone, to role: String) async throws {
        let member = try await memberID(of: phone)
        _ = try await Transcript.withoutNotes {
            try await creator.patch("/api/family/members/\(member)", ["householdRole": role])
        }
    }
}
