import AuthenticationServices
import CryptoKit
import Foundation
import HearthClient
import SwiftUI

/// The button "Sign in with Apple". The nonce ties Apple's token to this request.
struct AppleButton: View {
    let screen: SignInScreen
    @State private var nonce = UUID().uuidString

    private static func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }

    var body: some View {
        SignInWithAppleButton(.signIn) { request in
            request.requestedScopes = [.fullName, .email]
            request.nonce = SHA256.hash(data: Data(nonce.utf8)).map(Self.hex).joined()
        } onCompletion: { result in
            switch result {
            case .success(let authorization):
                guard let apple = authorization.credential as? ASAuthorizationAppleIDCredential,
                    let token = apple.identityToken
                else { return }
                let provided = ProviderToken(
                    String(decoding: token, as: UTF8.self), nonce: nonce,
                    authorizationCode: apple.authorizationCode.map {
                        String(decoding: $0, as: UTF8.self)
                    }, fullName: apple.fullName.map { $0.formatted() })
                Task { await screen.signIn(with: provided) }
            case .failure(let error):
                if (error as? ASAuthorizationError)?.code != .canceled { screen.fail(error) }
            }
        }
    }
}
