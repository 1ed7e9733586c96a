/// TribeBoard's requirements, each with its acceptance criteria.
enum TribeBoardRequirements {
    static let document = AppDocument(
        "TribeBoard: requirements",
        [
            authentication, sessions, creating, joining, roles, dashboard, synchronization,
            conflicts, privacy, codes,
        ],
        onTheDevice: [
            DeviceMatter("1.1, 1.2", "onboarding screen, Apple's dialogue", "screens"),
            DeviceMatter("2.1, 3.1", "input fields", "screens"),
            DeviceMatter("2.6, 3.7, 4.5", "navigation to the next screen", "screens"),
            DeviceMatter("6.1, 6.5", "writing to SwiftData first, reading it offline", "storage"),
            DeviceMatter("7.3", "the Keychain", "storage of the device"),
        ])
}
