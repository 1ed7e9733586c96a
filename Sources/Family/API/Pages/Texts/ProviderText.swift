import Basics

/// Texts about signing in with a provider. The parameter without a label is the provider's name.
enum ProviderText {
    case continueWith(String)
    /// The text in place of a provider's button while the provider can't be reached.
    case isAway(String)
    case finishing, waysToSignIn
    case add(String)
    case addQuestion(String, account: String?)
    case addAdvice(String)
    case addLater, added
    case failed(ProviderFailure, String?)
}

extension EnglishTexts {
    static func text(_ text: ProviderText) -> HTML {
        switch text {
        case .continueWith(let name): "Continue with \(name)"
        case .isAway(let name):
            "\(name) can’t be reached at the moment. Try again later, or sign in another way."
        case .finishing: "One moment: you’re being signed in."
        case .waysToSignIn: "Ways to sign in"
        case .add(let name): "Add \(name)"
        case .addQuestion(let name, let account):
            if let account {
                """
                Do you want to sign in to this account with <bdi>\(name)</bdi> from now on, as \
                <strong><bdi>\(account)</bdi></strong>?
                """
            } else {
                "Do you want to sign in to this account with <bdi>\(name)</bdi> from now on?"
            }
        case .addAdvice(let name):
            "Whoever can sign in to that \(name) account can then sign in to this one."
        case .addLater: "To add another way to sign in, sign out and sign in again first."
        case .added: "The way to sign in was added."
        case .failed(let failure, let name): sentence(failure, name ?? "the provider")
        }
    }

    private static func sentence(_ failure: ProviderFailure, _ name: String) -> HTML {
        switch failure {
        case .cancelled: "You didn’t continue at \(name). You can try again, or choose another way."
        case .refused:
            "\(name) didn’t sign you in. Try again, or choose another way."
        case .expired:
            """
            This sign-in took too long, was already finished, or began in another browser. Start \
            again.
            """
        case .away:
            "There’s no response from \(name). Try again later, or choose another way."
        case .busy: "Many people are signing in right now. Load this page again in a few seconds."
        case .mismatched:
            "The response from \(name) doesn’t match this sign-in, so it was refused. Start again."
        case .misconfigured:
            "Signing in with \(name) isn’t set up correctly on this site. Choose another way."
        case .otherSession:
            "You’ve signed out or changed accounts in the meantime, so nothing was added."
        }
    }
}

extension SpanishTexts {
    static func text(_ text: ProviderText) -> HTML {
        switch text {
        case .continueWith(let name): "Continuar con \(name)"
        case .isAway(let name):
            """
            Ahora no se puede acceder a \(name). Inténtalo más tarde o inicia sesión de otra forma.
            """
        case .finishing: "Un momento: estamos iniciando tu sesión."
        case .waysToSignIn: "Formas de iniciar sesión"
        case .add(let name): "Añadir \(name)"
        case .addQuestion(let name, let account):
            if let account {
                """
                ¿Quieres iniciar sesión en esta cuenta con <bdi>\(name)</bdi> a partir de ahora, \
                como <strong><bdi>\(account)</bdi></strong>?
                """
            } else {
                """
                ¿Quieres iniciar sesión en esta cuenta con <bdi>\(name)</bdi> a partir de ahora?
                """
            }
        case .addAdvice(let name):
            "Quien pueda entrar en esa cuenta de \(name) podrá entrar también en esta."
        case .addLater:
            "Para añadir otra forma de iniciar sesión, cierra antes la sesión e iníciala otra vez."
        case .added: "Se ha añadido la forma de iniciar sesión."
        case .failed(let failure, let name): sentence(failure, name ?? "el proveedor")
        }
    }

    private static func sentence(_ failure: ProviderFailure, _ name: String) -> HTML {
        switch failure {
        case .cancelled: "No has continuado en \(name). Inténtalo otra vez o elige otra forma."
        case .refused:
            "No se ha iniciado tu sesión con \(name). Inténtalo otra vez o elige otra forma."
        case .expired:
            """
            Este inicio de sesión tardó demasiado, ya terminó o empezó en otro navegador. Empieza \
            de nuevo.
            """
        case .away: "Ahora no se puede acceder a \(name). Inténtalo más tarde o elige otra forma."
        case .busy:
            """
            Mucha gente está iniciando sesión ahora. Vuelve a cargar esta página en unos segundos.
            """
        case .mismatched:
            """
            Lo que respondió \(name) no corresponde a este inicio de sesión y se ha rechazado. \
            Empieza de nuevo.
            """
        case .misconfigured:
            "El acceso con \(name) no está bien configurado en este sitio. Elige otra forma."
        case .otherSession:
            """
            Mientras tanto has cerrado la sesión o cambiado de cuenta, así que no se ha añadido \
            nada.
            """
        }
    }
}
