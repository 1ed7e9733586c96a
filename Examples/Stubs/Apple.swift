// What Foundation and HearthClient have only on Apple's systems.
import Foundation
import HearthClient

struct KeychainStorage: SessionStorage {
    init(service: String) {}
    func load() throws -> Data? { nil }
    func save(_ data: Data) throws {}
    func remove() throws {}
}

extension PersonNameComponents {
    func formatted() -> String { "" }
}

extension URL {
    static var applicationSupportDirectory: URL { URL(fileURLWithPath: "/") }
}
