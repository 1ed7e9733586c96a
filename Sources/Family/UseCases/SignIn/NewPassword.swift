import Domain
import Passwords

/// A password that somebody wants to have, and may.
struct NewPassword {
    /// Characters that a password has, after normalisation.
    static let allowedLengths = 8...256
    /// Of zxcvbn's scores, 0 to 4: at least a million guesses.
    private static let leastScore = 2

    let bytes: [UInt8]

    /// - Parameter ownWords: What an attacker knows of the person: address and name.
    /// - Throws: ``Refusal``: `passwordTooWeak`, with what would help.
    init(_ text: String, ownWords: [String]) throws(Refusal) {
        let text = text.nfc
        guard Self.allowedLengths.contains(text.unicodeScalars.count) else {
            throw Refusal(.passwordTooWeak, .weakness(.length))
        }
        let parts = ownWords.flatMap { word in
            [word] + word.split { !$0.isLetter && !$0.isNumber }.map { String($0) }
        }
        let strength = PasswordStrength(of: text, ownWords: parts.filter { $0.count > 2 })
        guard strength.score >= Self.leastScore else {
            throw Refusal(.passwordTooWeak, .weakness(PasswordWeakness(strength.weakness)))
        }
        bytes = Array(text.utf8)
    }
}

/// What is wrong with a password that somebody wants to have.
package enum PasswordWeakness: Sendable, Equatable, CaseIterable {
    case length, commonWord, ownWord, repetition, sequence, keyboardPattern, date, tooShort, other

    init(_ weakness: PasswordStrength.Weakness?) {
        self =
            switch weakness {
            case .commonWord: .commonWord
            case .ownWord: .ownWord
            case .repetition: .repetition
            case .sequence: .sequence
            case .keyboardPattern: .keyboardPattern
            case .date: .date
            case .tooShort: .tooShort
            case nil: .other
            }
    }
}
