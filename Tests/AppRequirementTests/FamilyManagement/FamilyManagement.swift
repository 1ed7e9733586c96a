/// Recruiting Compass's page for players and parents who manage their family.
enum FamilyManagement {
    static let document = AppDocument(
        "Recruiting Compass: Family Management page",
        [
            overview, success, ownCode, regenerating, removing, joining, errors, models, dataOrigin,
            endpoints, authentication, screens, edges, limitations, references,
        ],
        onTheDevice: [
            DeviceMatter("1", "copying and sharing the code", "the clipboard and the share sheet"),
            DeviceMatter("2", "asking before the code is renewed or a member removed", "alerts"),
            DeviceMatter("2, 8", "no network, time-outs, offline indicator", "nothing arrives"),
            DeviceMatter("4", "the token in the Keychain", "storage of the device"),
            DeviceMatter("5", "the page's own state", "memory of the app"),
            DeviceMatter("6", "layout, badges, empty states, loading, banners", "screens"),
            DeviceMatter("6", "upper case while typing, the disabled button", "input fields"),
            DeviceMatter("6, 9", "VoiceOver, touch targets, sizes of devices", "accessibility"),
            DeviceMatter("7, 10", "frameworks, pasteboard, haptics", "the device's system"),
            DeviceMatter("8", "long family names end in an ellipsis", "layout"),
            DeviceMatter(
                "9", "the page loads in less than two seconds on 4G",
                "the network; docs/measurements.md has the server's share"),
            DeviceMatter("9", "smooth scrolling, no memory leaks", "the app's own code"),
        ])
}
