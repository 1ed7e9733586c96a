// The part of AuthenticationServices that the example app uses.
public import Foundation
public import SwiftUI

public class ASAuthorizationAppleIDRequest {
    public enum Scope { case fullName, email }
    public var requestedScopes: [Scope]?
    public var nonce: String?
    init() {}
}

public class ASAuthorizationAppleIDCredential {
    public var identityToken: Data?
    public var authorizationCode: Data?
    public var fullName: PersonNameComponents?
    init() {}
}

public class ASAuthorization {
    public var credential: Any { fatalError() }
    init() {}
}

public struct ASAuthorizationError: Error {
    public enum Code { case canceled, failed }
    public var code: Code { fatalError() }
}

public class ASAuthorizationRequest {
    init() {}
}

public class ASAuthorizationPlatformPublicKeyCredentialAssertionRequest: ASAuthorizationRequest {}

public class ASAuthorizationPlatformPublicKeyCredentialProvider {
    public init(relyingPartyIdentifier: String) {}
    public func createCredentialAssertionRequest(
        challenge: Data
    ) -> ASAuthorizationPlatformPublicKeyCredentialAssertionRequest { fatalError() }
}

public class ASAuthorizationPlatformPublicKeyCredentialAssertion {
    public var credentialID: Data { fatalError() }
    public var rawClientDataJSON: Data { fatalError() }
    public var rawAuthenticatorData: Data! { fatalError() }
    public var signature: Data! { fatalError() }
    public var userID: Data! { fatalError() }
    init() {}
}

public enum ASAuthorizationResult {
    case appleID(ASAuthorizationAppleIDCredential)
    case passkeyAssertion(ASAuthorizationPlatformPublicKeyCredentialAssertion)
}

@MainActor public struct AuthorizationController {
    public func performRequest(
        _ request: ASAuthorizationRequest
    ) async throws -> ASAuthorizationResult { fatalError() }
}

extension EnvironmentValues {
    public var authorizationController: AuthorizationController { fatalError() }
}

public struct SignInWithAppleButton: View {
    public enum Label { case signIn }
    public init(
        _ label: Label, onRequest: @escaping (ASAuthorizationAppleIDRequest) -> Void,
        onCompletion: @escaping @MainActor (Result<ASAuthorization, any Error>) -> Void
    ) {}
    public var body: Never { return fatalError() }
}
