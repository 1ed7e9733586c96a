package import Configuration

extension Expectation where Value == [String] {
    /// Origins of web apps: scheme, host and optional port, nothing else (RFC 6454).
    package static let origins = Expectation(
        "origins such as https://app.example.org, separated by commas"
    ) { word in
        list(word) { origin in
            guard let base = Expectation<String>.baseURL.value(of: origin), base == origin else {
                return false
            }
            let host = origin.drop { $0 != ":" }.dropFirst(3)
            // Browsers send origins in lower case; one in another case would never match.
            return !host.contains("/") && !host.contains("*") && origin == origin.lowercased()
        }
    }

    /// Application identifiers as Apple writes them: the team's prefix and the bundle identifier.
    package static let appleAppIDs = Expectation(
        "application identifiers such as ABCDE12345.org.example.app, separated by commas"
    ) { word in
        list(word) { id in
            let parts = id.split(separator: ".", omittingEmptySubsequences: false)
            let isPlain = id.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
            }
            return isPlain && parts.count > 1 && parts[0].utf8.count == 10
                && parts.allSatisfy { !$0.isEmpty }
        }
    }

    /// One or more of the given words.
    package static func someOf(_ words: [String]) -> Expectation {
        Expectation("some of \(listing(words, conjunction: "and")), separated by commas") { word in
            list(word) { words.contains($0) }
        }
    }

    /// Android packages, each with the fingerprint of a certificate.
    package static let androidApps = Expectation(
        "PACKAGE:FINGERPRINT such as org.example.app:14:6D:E9:... with 32 bytes in hexadecimal, "
            + "separated by commas"
    ) { word in
        list(word) { app in
            let parts = app.split(separator: ":", omittingEmptySubsequences: false)
            let names = parts[0].split(separator: ".", omittingEmptySubsequences: false)
            let areNames =
                names.count > 1
                && names.allSatisfy { name in
                    let isFirstLetter = name.utf8.first.map { !(48...57).contains($0) } ?? false
                    return isFirstLetter
                        && name.utf8.allSatisfy { byte in
                            (48...57).contains(byte) || (65...90).contains(byte)
                                || (97...122).contains(byte) || byte == UInt8(ascii: "_")
                        }
                }
            return areNames && parts.count == 33
                && parts.dropFirst().allSatisfy {
                    $0.utf8.count == 2 && UInt8($0, radix: 16) != nil
                }
        }
    }

    private static func list(
        _ word: String, _ isExpected: (String) -> Bool
    ) -> [String]? {
        let parts = word.split { $0 == "," || $0.isWhitespace }.map { String($0) }
        return !parts.isEmpty && parts.allSatisfy(isExpected) ? parts : nil
    }
}
