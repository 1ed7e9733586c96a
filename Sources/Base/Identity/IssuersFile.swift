import Crypto
import JSON

/// Reads the file that names the trusted issuers: a JSON array of objects.
///
/// | field | meaning |
/// |---|---|
/// | `issuer` | the `iss` of its tokens; required, unique |
/// | `kind` | `supabase`, `cognito`, `apple` or `generic`; required |
/// | `audiences` | array of accepted audiences (Cognito: client ids); required |
/// | `primary` | whether its subjects are UUIDs that users are stored under |
/// | `emailsConfirmed` | Supabase: whether sign-ups are confirmed by e-mail |
/// | `tokenUse` | Cognito: `id` or `access`; left out, both |
/// | `requireNonce` | Apple: whether an exchange needs the nonce that the token was asked for with |
/// | `teamId`, `keyId`, `privateKeyFile` | Apple: with these an authorization code can be traded |
/// | `tokenURL`, `revokeURL` | Apple: its endpoints, if they are elsewhere |
/// | `hs256SecretFile` | a file with a secret of at least 32 bytes |
/// | `jwksFile` | a file with a set of public keys |
/// | `jwksURL` | the address of the issuer's public keys: `https`, or `http` on this machine |
///
/// Paths are relative to the file's folder. A key source is needed: a secret, public keys by file
/// or address, or both.
package struct IssuersFile: Sendable {
    /// All that is wrong with the file, each sentence naming its place.
    package struct Mistakes: Error, Sendable, Equatable, CustomStringConvertible {
        package let sentences: [String]

        package var description: String { sentences.joined(separator: "\n") }
    }

    package let issuers: [Issuer]

    /// Reads the file at a path, and the files that it names.
    package init(path: String) throws(Mistakes) {
        let bytes: [UInt8]
        do throws(FileReading.Failure) {
            bytes = try FileReading.contents(of: path)
        } catch {
            throw Mistakes(sentences: [error.description])
        }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        do throws(Mistakes) {
            try self.init(parsing: bytes) { name throws(FileReading.Failure) in
                try FileReading.contents(of: name.hasPrefix("/") ? name : folder + name)
            }
        } catch {
            throw Mistakes(sentences: error.sentences.map { "\(path): \($0)" })
        }
    }

    /// The mistakes in the file at a path and in the files that it names; empty if there are none.
    package static func problems(_ path: String) -> [String] {
        do throws(Mistakes) {
            _ = try IssuersFile(path: path)
            return []
        } catch {
            return error.sentences
        }
    }

    /// Reads the file's contents; `read` gives the contents of files that it names.
    init(
        parsing bytes: [UInt8], read: @escaping IssuerReader.Read
    ) throws(Mistakes) {
        let elements: [JSONField]
        do throws(JSONError) {
            elements = try JSONField(try JSONValue(parsing: bytes)).elements()
        } catch {
            throw Mistakes(sentences: [error.description])
        }
        var issuers: [Issuer] = []
        var sentences: [String] = []
        if elements.isEmpty { sentences.append("The document must name at least one issuer") }
        for element in elements {
            var reader = IssuerReader(element, read: read)
            if let issuer = reader.issuer() {
                if issuers.contains(where: { $0.name == issuer.name }) {
                    sentences.append("`\(element.path).issuer` is there already")
                }
                issuers.append(issuer)
            }
            sentences += reader.mistakes
        }
        guard sentences.isEmpty else { throw Mistakes(sentences: sentences) }
        self.issuers = issuers
    }
}
