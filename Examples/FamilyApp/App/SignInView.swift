import AuthenticationServices
import CryptoKit
import Foundation
import HearthClient
import SwiftUI

/// Signing in with a mailed code, which also creates accounts, a password, a passkey, or Apple.
struct SignInView: View {
    let model: ObservableScreen<SignInScreen>
    @State private var email = ""
    @State private var password = ""
    @State private var code = ""
    var body: some View {
        Form {
            if model.state.step == .address {
                TextField("E-mail", text: $email)
                Button("Send code") { act { await $0.sendCode() } }
                SecureField("Password", text: $password)
                Button("Sign in") { act { await $0.signIn(password: password) } }
                Button("Forgot password?") { act { await $0.requestPasswordReset() } }
                PasskeyButton(screen: model.screen)
                AppleButton(screen: model.screen)
            } else {
                TextField("Code", text: $code)
                Button("Sign in") { act { await $0.submitCode() } }
                Button("Use another address") { model.screen.startOver() }
            }
            NoticeView(notice: model.state.notice) { model.screen.dismissNotice() }
        }
        .disabled(model.state.isWorking)
    }

    private func act(_ action: @escaping @MainActor (SignInScreen) async -> Void) {
        model.screen.type(email: email)
        model.screen.type(code: code)
        Task { await action(model.screen) }
    }
}

/// The button "Sign in with a passkey".
struct PasskeyButton: View {
    let screen: SignInScreen
    @Environment(\.authorizationController) private var controller
    var body: some View {
        Button("Sign in with a passkey") { Task { await signIn() } }
    }

    private func signIn() async {
        guard let options = await screen.passkeyOptions() else { return }
        let request = ASAuthorizationPlatformPublicKeyCredentialProvider(
            relyingPartyIdentifier: options.relyingPartyID
        ).createCredentialAssertionRequest(challenge: options.challenge)
        do {
            let result = try await controller.performRequest(request)
            guard case .passkeyAssertion(let used) = result else { return }
            await screen.signIn(
                with: PasskeyCredential.used(
                    id: used.credentialID, clientDataJSON: used.rawClientDataJSON,
                    authenticatorData: used.rawAuthenticatorData, signature: used.signature,
                    userID: used.userID))
        } catch {
            if (error as? ASAuthorizationError)?.code != .canceled { screen.fail(error) }
        }
    }
}

/// The button "Sign in with Apple". The nonce ties Apple's token to this request.
struct AppleButton: View {
    let screen: SignInScreen
    @State private var nonce = UUID().uuidString
    var body: some View {
        SignInWithAppleButton(.signIn) { request in
            request.requestedScopes = [.fullName, .email]
            let hash = SHA256.hash(data: Data(nonce.utf8))
            request.nonce = hash.map { String(format: "%02x", $0) }.joined()
        } onCompletion: { result in
            switch result {
            case .success(let authorization):
                guard let apple = authorization.credential as? ASAuthorizationAppleIDCredential,
                    let token = apple.identityToken
                else { return }
                let code = apple.authorizationCode.map { String(decoding: $0, as: UTF8.self) }
                let provided = ProviderToken(
                    String(decoding: token, as: UTF8.self), nonce: nonce, authorizationCode: code,
                    fullName: apple.fullName.map { $0.formatted() })
                Task { await screen.signIn(with: provided) }
            case .failure(let error):
                if (error as? ASAuthorizationError)?.code != .canceled { screen.fail(error) }
            }
        }
    }
}
