/// Recruiting Compass's plan for families that either players or parents create.
enum SymmetricFamilies {
    static let document = AppDocument(
        "Recruiting Compass: symmetric family units",
        [
            goal, infrastructure, familyUnit, schemaQueries, familyManaging, invitationModel,
            inviteErrors,
            sending, pendingInvitations, lookingUp, accepting, joiningByCode, deepLinks,
            joinScreen, managementScreen, signUp, onboarding, smokeTest,
        ],
        onTheDevice: [
            DeviceMatter("Tasks 1, 2, 13", "renamed types, mocks, tests of the app", "its code"),
            DeviceMatter("Task 4", "the field is cleared, a toast is shown", "screens"),
            DeviceMatter("Task 6", "parsing `recruiting-compass://reset-password`", "its scheme"),
            DeviceMatter("Tasks 8, 9", "icons, colours, sheets, navigation", "screens"),
            DeviceMatter("Task 10", "cards, accessibility labels, hints", "screens"),
            DeviceMatter("Task 11", "the field for a code is not drawn", "screens"),
            DeviceMatter("Task 12", "\"Skip for now\"", "navigation"),
            DeviceMatter("Task 14", "building with Xcode, the simulator", "development"),
            DeviceMatter(
                "Unresolved 1, 4, 5, 6", "names of methods, formatters, mocks", "its code"),
        ])
}
