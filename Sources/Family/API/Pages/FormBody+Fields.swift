import Domain
import HTTPServer
import UseCases

extension FormBody {
    /// Returns what a refused form has changed in a field; nil if the field was left as it was
    /// shown, so that it shows what is stored by now.
    func changed(_ name: String) -> String? {
        guard let sent = value(name), sent != value("was_" + name) else { return nil }
        return sent
    }

    /// Returns the member that a field names; nil if it is missing, empty or no id.
    func member(_ name: String) -> MemberID? { value(name).flatMap { MemberID($0) } }

    /// Returns the member that a field names; nil if it is missing or empty.
    ///
    /// - Throws: ``Refusal``: `memberNotFound`.
    func optionalMember(_ name: String) throws(Refusal) -> MemberID? {
        guard let text = value(name), !text.isEmpty else { return nil }
        guard let member = MemberID(text) else { throw Refusal(.memberNotFound) }
        return member
    }

    /// Returns the key of the chosen picture, empty for none; nil if the form has no such choice.
    ///
    /// - Throws: ``Problem`` for a picture that the page doesn't offer.
    func picture() throws(Problem) -> String? {
        guard let key = value("avatar") else { return nil }
        let isOffered =
            key.isEmpty || key == value("was_avatar") || AvatarDrawing(rawValue: key) != nil
        guard isOffered else { throw .invalidField("avatarKey", "one of the offered pictures") }
        return key
    }

    /// Returns true if a box is ticked.
    ///
    /// - Throws: ``Problem`` for a value that a page's box never has.
    func isTicked(_ name: String) throws(Problem) -> Bool {
        guard let text = value(name) else { return false }
        guard text == "yes" else {
            throw Problem(.malformedRequest, "`\(name)` must be `yes`, or left out.")
        }
        return true
    }
}
