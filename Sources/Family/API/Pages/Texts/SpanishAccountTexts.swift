import Basics
import Domain
import UseCases

// The texts in Spanish about the reader's own account.

extension SpanishTexts {
    static func text(_ text: AccountText) -> HTML {
        switch text {
        case .you: "Tú"
        case .changeYou: "Cambiar estos datos"
        case .mailLanguage: "Idioma de nuestros correos"
        case .mailLanguageHint: "Las páginas usan el idioma de tu navegador."
        case .noMailLanguage: "Sin elegir"
        case .yourRole(let role): "Eres \(noun(role))."
        case .whatIsYourName: "¿Cómo te llamas?"
        case .whoAreYou: "¿Quién eres?"
        case .nameAdvice: "Tu familia lo verá."
        case .keepName: "Guardar"
        case .nameKept: "Guardado."
        case .yourInvitations: "Invitaciones para ti"
        case .acceptOf(let family): "Aceptar la invitación de \(family)"
        case .declineOf(let family): "Rechazar la invitación de \(family)"
        case .yourFamilies: "Tus familias"
        case .noFamily:
            "No formas parte de ninguna familia. Si te invitaron, abre el enlace que recibiste."
        case .noFamilyButInvited:
            "No formas parte de ninguna familia. Puedes aceptar una invitación aquí arriba."
        case .members(let count): count == 1 ? "una persona" : "\(String(count)) personas"
        case .leave: "Dejar"
        case .leaveOf(let family): "Dejar \(family)"
        case .yourRequests: "Familias a las que pediste unirte"
        case .requestedOn(let moment):
            "Lo pediste el \(day(moment)). La familia aún no ha respondido."
        case .withdraw: "Retirar"
        case .withdrawOf(let family): "Retirar la solicitud para unirte a \(family)"
        case .requestWithdrawn: "Has retirado tu solicitud."
        case .requestOver: "Esta solicitud ya se respondió o se retiró."
        case .whereSignedIn: "Dónde tienes la sesión abierta"
        case .thisOne: "este dispositivo"
        case .unknownDevice: "Dispositivo desconocido"
        case .lastUsed(let moment, let method):
            "\(means(method)) &middot; último uso: \(day(moment))"
        case .openedFrom(let app, let device, let moment):
            """
            abierta desde \(app)\(device.map { " en <bdi>\($0)</bdi>" } ?? "") &middot; último \
            uso: \(day(moment))
            """
        case .latestSignIns: "Últimos inicios de sesión"
        case .latestSignInsAdvice(hasPassword: true):
            """
            Inicios de sesión, intentos fallidos, cierres de sesión y cambios de contraseña \
            recientes. Si no reconoces un inicio de sesión, cierra esa sesión y cambia la \
            contraseña.
            """
        case .latestSignInsAdvice(hasPassword: false):
            """
            Inicios de sesión, intentos fallidos y cierres de sesión recientes. Si no reconoces un \
            inicio de sesión, cierra esa sesión.
            """
        case .showSignIns: "Ver"
        case .eventAt(let moment): "\(day(moment)), \(moment.clock) UTC"
        case .event(let kind, let way, let count): event(kind, way, count)
        case .end: "Cerrar sesión"
        case .endOf(let device):
            device.isEmpty
                ? "Cerrar sesión en un dispositivo desconocido" : "Cerrar sesión en \(device)"
        case .endOthers: "Cerrar sesión en todos los demás"
        case .sessionsEnded: "Hecho: se ha cerrado la sesión allí."
        case .sessionOver: "Esa sesión ya estaba cerrada."
        }
    }

    static func text(_ text: AccountDataText) -> HTML {
        switch text {
        case .howYouSignIn: "Cómo puedes iniciar sesión"
        case .way(let kind): way(kind)
        case .since(let moment): "desde el \(day(moment))"
        case .remove: "Quitar"
        case .removeOf(let kind, let name): "Quitar: \(way(kind)) \(name)"
        case .wayRemoved: "Se ha quitado esa forma de iniciar sesión."
        case .wayGone: "Ya estaba quitado."
        case .removeWay: "¿Quitar esta forma de iniciar sesión?"
        case .removeAdvice: "Ya no podrás iniciar sesión así."
        case .passwordGoesToo:
            """
            Tu contraseña solo funciona con una dirección de correo, y esta es la última: \
            también se quita la contraseña.
            """
        case .keepWay: "No quitarla"
        case .addPasskey: "Añadir una llave de acceso"
        case .passkeyName: "Nombre de esta llave de acceso"
        case .passkeyNameHint: "Por ejemplo, el dispositivo o el gestor que la guarda."
        case .passkeyAdded: "Se ha guardado tu llave de acceso."
        case .passkeyLater:
            "Para añadir una llave de acceso, cierra la sesión e iníciala otra vez."
        case .changePassword: "Cambiar tu contraseña"
        case .currentPasswordLabel: "Contraseña actual"
        case .passwordEndsSessions: "Se cerrará la sesión en tus demás dispositivos."
        case .passwordKept: "Tu contraseña está guardada."
        case .changeAddress: "Cambiar tu dirección de correo"
        case .newAddressLabel: "Nueva dirección de correo"
        case .addressAdvice:
            """
            Enviaremos un código a la nueva dirección. Cuando lo introduzcas, ya no podrás iniciar \
            sesión con la anterior, y se cerrará la sesión en tus demás dispositivos.
            """
        case .addressLater:
            "Para cambiar tu dirección de correo, cierra la sesión e iníciala otra vez."
        case .addressCodeSent(let email):
            """
            Hemos enviado un código a <strong><bdi>\(email)</bdi></strong>. Introdúcelo para usar \
            esta dirección.
            """
        case .useAddress: "Usar esta dirección"
        case .addressKept: "Tu dirección de correo ha cambiado."
        case .consentNeeded:
            """
            Sin este consentimiento hay cosas que no podrás hacer. Termina al momento. Puedes \
            darlo otra vez más adelante.
            """
        case .yourData: "Tus datos"
        case .download: "Descargar una copia"
        case .downloadAdvice:
            "Un archivo con todo lo que guardamos sobre ti y los menores bajo tu tutela."
        case .eraseAccount: "Borrar tu cuenta"
        case .eraseAdvice:
            "Tu cuenta se borra al momento y dejas tus familias. No se puede deshacer."
        case .eraseForGood: "Borrar para siempre"
        case .iAmSure: "Sí, borrar mi cuenta para siempre"
        case .childrenToo:
            "Borrar también a los menores que se quedarían sin ninguna persona que tenga su tutela"
        case .beforeErasing: "Antes de borrar tu cuenta:"
        case .endOperatorRoleFirst:
            """
            Tu cuenta administra este servicio. Otra persona que lo administre tiene que quitarle \
            ese papel.
            """
        case .giveSeatFirst(let family, let page):
            """
            Pasa a otra persona la administración de <a href="\(page)"><bdi>\(family)</bdi></a>.
            """
        case .nameGuardianFirst(let child, page: let page, hasBox: false):
            """
            Nombra a otra persona que tenga la tutela de <a href="\(page)"><bdi>\(child)</bdi></a>.
            """
        case .nameGuardianFirst(let child, page: let page, hasBox: true):
            """
            Nombra a otra persona que tenga la tutela de \
            <a href="\(page)"><bdi>\(child)</bdi></a>, o marca la casilla de los menores.
            """
        case .tickFirst: "Marca la casilla de confirmación y pulsa el botón otra vez."
        case .erasureCodeSent:
            """
            Para saber que eres tú, te hemos enviado un código por correo. Introdúcelo para borrar \
            la cuenta.
            """
        case .erased: "Tu cuenta está borrada"
        case .erasedAdvice: "Puedes cerrar esta página."
        }
    }

    private static func means(_ method: SignInMethod) -> String {
        switch method {
        case .exchange: "Otro proveedor"
        case .email: "Código por correo"
        case .password: "Contraseña"
        case .passkey: "Llave de acceso"
        }
    }

    private static func event(
        _ kind: SignInEventKind, _ way: SignInMethod?, _ count: Int
    ) -> HTML {
        let detail = way.map { ": \(means($0))" } ?? ""
        return switch kind {
        case .signIn: "Inicio de sesión\(detail)"
        case .failed: "Intento fallido\(detail)"
        case .passwordChange: "Contraseña cambiada"
        case .passwordReset: "Contraseña restablecida por correo"
        case .signOut: "Sesión cerrada"
        case .more: "\(String(count)) más en esta hora"
        }
    }

    private static func way(_ kind: IdentityKind) -> HTML {
        switch kind {
        case .issuer: "Otro proveedor"
        case .email: "Códigos por correo"
        case .password: "Contraseña"
        case .passkey: "Llave de acceso"
        }
    }
}
