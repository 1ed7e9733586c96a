/// Sentence of a banner that a screen shows.
enum ScreenSentence: Sendable, Hashable {
    case familyLeft(String)
    case familyWillBeLeft(String)
    /// Outcome of joining, in Hearth's English words.
    case familyJoined(message: String, isAwaitingApproval: Bool)
    case codeRegenerated
    case requestWithdrawn(family: String)
    case requestWillBeWithdrawn(family: String)
    case invitationSent(email: String)
    case invitationWillBeSent(email: String)
    case invitationResent
    case invitationWillBeResent
    case invitationRevoked
    case invitationWillBeRevoked
    case memberRemoved(String)
    case memberWillBeRemoved(String)
    case memberApproved(String)
    case memberWillBeApproved(String)
    case memberRejected(String)
    case memberWillBeRejected(String)
    /// The change of others is kept; the name is nil if the member is unknown.
    case theirsKept(String?)
    /// The person's own change is kept.
    case yoursKept(String?)
    /// The person's change was overwritten.
    case overwritten(String?)
    /// The person's change may have been made.
    case outcomeUnknown
    case addressMalformed
    case linkMailed
    case fault

    /// Returns the sentence in Spanish or, for any other language, in English.
    ///
    /// - Parameter language: A tag such as `es-MX`.
    func text(in language: String) -> String {
        SentenceLanguage(language) == .spanish ? spanish : english
    }

    private var english: String {
        switch self {
        case .familyLeft(let family): "You left \(family)."
        case .familyWillBeLeft(let family): "You will leave \(family) when you're online."
        case .familyJoined(let message, _): message
        case .codeRegenerated: "New code generated."
        case .requestWithdrawn(let family): "Your request to join \(family) was withdrawn."
        case .requestWillBeWithdrawn(let family):
            "Your request to join \(family) will be withdrawn when you're online."
        case .invitationSent(let email): "Invite sent to \(email)!"
        case .invitationWillBeSent(let email):
            "The invite to \(email) will be sent when you're online."
        case .invitationResent: "Invite sent again."
        case .invitationWillBeResent: "The invite will be sent again when you're online."
        case .invitationRevoked: "Invite revoked."
        case .invitationWillBeRevoked: "The invite will be revoked when you're online."
        case .memberRemoved(let name): "\(name) was removed."
        case .memberWillBeRemoved(let name): "\(name) will be removed when you're online."
        case .memberApproved(let name): "\(name) is in."
        case .memberWillBeApproved(let name): "\(name) will be let in when you're online."
        case .memberRejected(let name): "\(name) was rejected."
        case .memberWillBeRejected(let name): "\(name) will be rejected when you're online."
        case .theirsKept(let name):
            "Somebody changed \(name ?? "a member") after you. Their change was kept."
        case .yoursKept(let name):
            "Your change to \(name ?? "a member") was kept instead of an earlier one."
        case .outcomeUnknown:
            "It is unclear whether your change was made. Please check before you make it again."
        case .overwritten(let name): "Somebody replaced your change to \(name ?? "a member")."
        case .addressMalformed: "Please enter a valid email address"
        case .linkMailed: "Check your email for a link."
        case .fault: "Something went wrong."
        }
    }

    private var spanish: String {
        switch self {
        case .familyLeft(let family): "Has salido de \(family)."
        case .familyWillBeLeft(let family): "Saldrás de \(family) cuando tengas conexión."
        case .familyJoined(_, let isAwaitingApproval):
            isAwaitingApproval
                ? "Tu solicitud está enviada. La familia tiene que aprobarla."
                : "Ya formas parte de la familia."
        case .codeRegenerated: "Hay un código nuevo."
        case .requestWithdrawn(let family):
            "Se ha retirado tu solicitud para entrar en \(family)."
        case .requestWillBeWithdrawn(let family):
            "Tu solicitud para entrar en \(family) se retirará cuando tengas conexión."
        case .invitationSent(let email): "La invitación a \(email) está en camino."
        case .invitationWillBeSent(let email):
            "La invitación a \(email) se enviará cuando tengas conexión."
        case .invitationResent: "La invitación se ha enviado otra vez."
        case .invitationWillBeResent:
            "La invitación se enviará otra vez cuando tengas conexión."
        case .invitationRevoked: "La invitación está retirada."
        case .invitationWillBeRevoked: "La invitación se retirará cuando tengas conexión."
        case .memberRemoved(let name): "\(name) ya no forma parte de la familia."
        case .memberWillBeRemoved(let name):
            "\(name) dejará de formar parte de la familia cuando tengas conexión."
        case .memberApproved(let name): "\(name) ya forma parte de la familia."
        case .memberWillBeApproved(let name):
            "\(name) entrará en la familia cuando tengas conexión."
        case .memberRejected(let name): "La solicitud de \(name) está rechazada."
        case .memberWillBeRejected(let name):
            "La solicitud de \(name) se rechazará cuando tengas conexión."
        case .theirsKept(let name):
            "Otra persona cambió \(Self.spanishMember(name)) después que tú. Se conserva su cambio."
        case .yoursKept(let name):
            "Se conserva tu cambio de \(name ?? "un miembro") en lugar de otro anterior."
        case .outcomeUnknown:
            "No se sabe si tu cambio se ha hecho. Compruébalo antes de repetirlo."
        case .overwritten(let name):
            "Otra persona ha sustituido tu cambio de \(name ?? "un miembro")."
        case .addressMalformed: "Escribe una dirección de correo válida."
        case .linkMailed: "Te hemos enviado un enlace por correo."
        case .fault: "Algo ha fallado."
        }
    }

    /// The member as the object of a Spanish verb.
    private static func spanishMember(_ name: String?) -> String {
        name.map { "a \($0)" } ?? "a un miembro"
    }
}
