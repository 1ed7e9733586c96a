#if canImport(Security)
    public import Foundation
    import Security

    /// Stores a session in the Keychain of this device. It is readable once the device has been
    /// unlocked after a restart, so that the app can work in the background. No backup contains it.
    public struct KeychainStorage: SessionStorage {
        private let service: String
        private let account: String
        private let accessGroup: String?

        /// - Parameters:
        ///   - service: Service name, such as the app's bundle identifier.
        ///   - account: Account name that distinguishes several sessions of one app.
        ///   - accessGroup: Access group through which the app's extensions share the session.
        public init(service: String, account: String = "hearth", accessGroup: String? = nil) {
            self.service = service
            self.account = account
            self.accessGroup = accessGroup
        }

        /// Returns the session in the Keychain; nil if there is none.
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

        /// Stores the session, replacing the previous one.
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

        /// Deletes the session.
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
