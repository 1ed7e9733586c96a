#if canImport(Security)
    public import Foundation
    import Security

    /// Keeps a session in the Keychain of this device. It is there after the device was unlocked
    /// once, so that the app can work in the background, and leaves the device in no backup.
    public struct KeychainStorage: SessionStorage {
        private let service: String
        private let account: String
        private let accessGroup: String?

        /// - Parameters:
        ///   - service: Such as the app's bundle identifier.
        ///   - account: Tells several sessions of one app apart.
        ///   - accessGroup: Shares it with the app's extensions.
        public init(service: String, account: String = "hearth", accessGroup: String? = nil) {
            self.service = service
            self.account = account
            self.accessGroup = accessGroup
        }

        /// What the Keychain holds.
        public func load() throws -> Data? {
            var query = self.query
            query[kSecReturnData] = true
            query[kSecMatchLimit] = kSecMatchLimitOne
            var item: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &item)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess else { throw Self.failure("read", status) }
            return item as? Data
        }

        /// Keeps it in place of what the Keychain holds.
        public func save(_ data: Data) throws {
            let change: [CFString: Any] = [kSecValueData: data]
            var status = SecItemUpdate(query as CFDictionary, change as CFDictionary)
            if status == errSecItemNotFound {
                var item = query
                item[kSecValueData] = data
                item[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
                status = SecItemAdd(item as CFDictionary, nil)
            }
            guard status == errSecSuccess else { throw Self.failure("write", status) }
        }

        /// Deletes it.
        public func remove() throws {
            let status = SecItemDelete(query as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else {
                throw Self.failure("delete", status)
            }
        }

        private var query: [CFString: Any] {
            var query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service,
                kSecAttrAccount: account,
            ]
            if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
            return query
        }

        private static func failure(_ verb: String, _ status: OSStatus) -> HearthError {
            .storage(reason: "the Keychain can't \(verb): \(status)")
        }
    }
#endif
