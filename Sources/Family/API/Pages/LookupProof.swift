import Crypto
import Domain
import HTTPServer
import UseCases

/// A proof in the form of an invitation's page: the lookup of the invitation was counted when this
/// browser opened the page.
///
/// An answer that is refused because of the name or the role shows the page again. With the proof,
/// that is not counted as a further lookup. The proof is valid for one token in one browser, so it
/// allows no lookup of another invitation.
enum LookupProof {
    /// Name of the form field.
    static let field = "seen"
    /// Maximum number of characters of a proof that is compared.
    private static let longest = 64

    /// Creates the proof for the page of an invitation; nil on a site without forms.
    static func make(
        of token: InvitationToken, for visit: PageVisit
    ) throws(CryptoError) -> String? {
        guard let keys = visit.services.signIn?.keys, let cookie = visit.cookie else { return nil }
        return Base64URL.text(try keys.pageForms[0].authenticate(content(token, cookie)))
    }

    /// Returns true if a form has the proof for an invitation.
    static func isValid(
        in form: FormBody, of token: InvitationToken, for visit: PageVisit
    ) throws(CryptoError) -> Bool {
        guard let keys = visit.services.signIn?.keys, let cookie = visit.cookie,
            let sent = form.value(field), sent.utf8.count <= longest,
            let seal = Base64URL.decode(sent)
        else { return false }
        let message = content(token, cookie)
        for key in keys.pageForms where try key.isValid(seal, for: message.span) { return true }
        return false
    }

    /// Returns the sealed text. A cookie has no blank, so it differs from the content of a form's
    /// token, which has the same key.
    private static func content(_ token: InvitationToken, _ cookie: PageCookie) -> [UInt8] {
        Array("\(field) \(token.text) \(cookie.value)".utf8)
    }
}
