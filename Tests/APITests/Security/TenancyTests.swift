import Domain
import Testing

/// Every route that belongs to a family, requested by callers who are not in it.
@Suite("Access across families")
struct TenancyTests {
    static let home = Result { try Site().home() }

    /// A request about one family: method, path, body and the expected code.
    struct Question: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        var body: String?
        var code = "family_not_found"

        var testDescription: String { "\(method) \(path)" }
    }

    /// Requests with placeholders: `F` is the family, `M` a member, `C` a child, `I` an invitation.
    static let questions: [Question] = [
        Question(method: "GET", path: "/api/me/profiles?familyId=F"),
        Question(method: "GET", path: "/api/family/F"),
        Question(method: "PATCH", path: "/api/family/F", body: #"{"familyName": "X"}"#),
        Question(method: "GET", path: "/api/family/F/qr.svg"),
        Question(method: "GET", path: "/api/family/F/qr.png"),
        Question(method: "GET", path: "/api/family/members?familyId=F"),
        Question(
            method: "PATCH", path: "/api/family/members/M", body: #"{"householdRole": "kid"}"#,
            code: "member_not_found"),
        Question(method: "DELETE", path: "/api/family/members/M", code: "member_not_found"),
        Question(method: "DELETE", path: "/api/family/members/me?familyId=F"),
        Question(
            method: "POST", path: "/api/family/members/M/approve", code: "member_not_found"),
        Question(
            method: "POST", path: "/api/family/admin/transfer",
            body: #"{"familyId": "F", "memberId": "M"}"#),
        Question(
            method: "POST", path: "/api/family/code/regenerate", body: #"{"familyId": "F"}"#),
        Question(
            method: "POST", path: "/api/family/invite",
            body: #"{"familyUnitId": "F", "email": "x@example.com", "role": "parent"}"#),
        Question(method: "GET", path: "/api/family/invitations?familyId=F"),
        Question(
            method: "POST", path: "/api/family/invitations/I/resend", code: "invitation_not_found"),
        Question(
            method: "DELETE", path: "/api/family/invitations/I", code: "invitation_not_found"),
        Question(
            method: "POST", path: "/api/family/managed",
            body: #"{"familyId": "F", "displayName": "X"}"#),
        Question(
            method: "PATCH", path: "/api/family/managed/C", body: #"{"displayName": "X"}"#,
            code: "member_not_found"),
        Question(method: "DELETE", path: "/api/family/managed/C", code: "member_not_found"),
        Question(
            method: "POST", path: "/api/family/managed/C/guardian", body: #"{"memberId": "M"}"#,
            code: "member_not_found"),
        Question(method: "GET", path: "/groups/F"),
        Question(method: "GET", path: "/api/family/members?familyId=F&status=removed"),
        Question(method: "GET", path: "/api/family/F/attributes"),
        Question(method: "PATCH", path: "/api/family/F/attributes", body: #"{"a": 1}"#),
        Question(
            method: "POST", path: "/groups/F/members/managed", body: #"{"displayName": "X"}"#),
        Question(method: "GET", path: "/groups/F/preferences"),
        Question(method: "PUT", path: "/groups/F/preferences", body: "{}"),
        Question(method: "GET", path: "/groups/F/preferences?member_id=C"),
        Question(method: "GET", path: "/api/family/player-details?familyId=F"),
        Question(
            method: "POST", path: "/api/family/player-details", body: #"{"familyId": "F"}"#),
        Question(method: "GET", path: "/api/family/audit?familyId=F"),
    ]

    private static let targets = Result {
        let home = try Self.home.get()
        return (
            member: try home.member(home.adult), child: try home.child(of: home.admin),
            invitation: try home.invite("waiting@example.com")
        )
    }
    private static let askers = Result {
        let home = try Self.home.get()
        return [
            try home.entry.home("Others").admin, try home.entry.person(.parent),
            try home.formerMember(), try home.entry.nobody(),
        ]
    }

    @Test(
        "a family is indistinguishable from an absent one for everyone outside it",
        arguments: questions)
    func absent(question: Question) throws {
        let home = try Self.home.get()
        let target = try Self.targets.get()
        func fill(_ text: String, exists: Bool) -> String {
            var text = text
            for (letter, id) in [
                ("F", home.id), ("M", target.member), ("C", target.child),
                ("I", target.invitation),
            ] {
                let id = exists ? id : "\(FamilyID.random())"
                text = text.replacing("/\(letter)/", with: "/\(id)/")
                    .replacing("=\(letter)", with: "=\(id)")
                    .replacing("\"\(letter)\"", with: "\"\(id)\"")
                if text.hasSuffix("/\(letter)") { text = text.dropLast() + id }
                text = text.replacing("/\(letter)?", with: "/\(id)?")
            }
            return text
        }
        for asker in try Self.askers.get() {
            let answers = try [true, false].map { exists in
                try asker.send(
                    question.method, fill(question.path, exists: exists),
                    question.body.map { fill($0, exists: exists) })
            }
            for answer in answers { #expect(answer.says(404, question.code)) }
            #expect(answers[0].text("message") == answers[1].text("message"))
        }
        let unsigned = try home.entry.send(
            question.method, fill(question.path, exists: true),
            body: question.body.map { fill($0, exists: true) })
        #expect(unsigned.says(401, "not_signed_in"))
    }
}
