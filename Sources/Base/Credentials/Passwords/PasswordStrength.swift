import CZxcvbn
import Glibc

/// The strength of a password, estimated by zxcvbn.
package struct PasswordStrength: Sendable, Equatable {
    /// The reason why a password is easy to guess.
    package enum Weakness: Sendable, CaseIterable {
        case commonWord
        /// The password contains a word about the person, such as the name.
        case ownWord
        case repetition
        case sequence
        case keyboardPattern
        case date
        case tooShort
    }

    /// Score from 0, guessed at once, to 4.
    package let score: Int
    /// The main weakness; nil if none stands out.
    package let weakness: Weakness?

    /// Number of bytes that are examined: more would take long and change nothing.
    private static let judgedBytes = 64

    /// - Parameter ownWords: Words about the person that an attacker knows.
    package init(of password: String, ownWords: [String]) {
        let text = String(decoding: Array(password.utf8.prefix(Self.judgedBytes)), as: UTF8.self)
        let words = ownWords.map { strdup(String($0.prefix(100)).lowercased()) }
        defer { for word in words { free(word) } }
        var dictionary: [UnsafePointer<CChar>?] = words.map { UnsafePointer($0) } + [nil]
        var matches: UnsafeMutablePointer<ZxcMatch_t>?
        let bits = ZxcvbnMatch(text, &dictionary, &matches)
        defer { ZxcvbnFreeInfo(matches) }
        // The limits of zxcvbn's scores: 10^3, 10^6, 10^8 and 10^10 guesses.
        score = [3, 6, 8, 10].count { bits * log10(2) >= Double($0) }
        weakness = Self.weakness(matches, text.utf8.count)
    }

    /// Returns the weakness of the longest part.
    private static func weakness(
        _ matches: UnsafeMutablePointer<ZxcMatch_t>?, _ length: Int
    ) -> Weakness? {
        var longest: (length: Int32, weakness: Weakness?) = (0, nil)
        var next = matches
        while let match = next?.pointee {
            if match.Length > longest.length {
                longest = (match.Length, Weakness(match.Type.rawValue))
            }
            next = match.Next
        }
        return longest.weakness ?? (length < 12 ? .tooShort : nil)
    }
}

extension PasswordStrength.Weakness {
    fileprivate init?(_ type: UInt32) {
        let multiple = MULTIPLE_MATCH.rawValue
        switch ZxcTypeMatch_t(rawValue: type & ~multiple) {
        case DICTIONARY_MATCH, DICT_LEET_MATCH: self = .commonWord
        case USER_MATCH, USER_LEET_MATCH: self = .ownWord
        case REPEATS_MATCH: self = .repetition
        case SEQUENCE_MATCH: self = .sequence
        case SPATIAL_MATCH: self = .keyboardPattern
        case DATE_MATCH, YEAR_MATCH: self = .date
        default: return nil
        }
    }
}
