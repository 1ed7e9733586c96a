import HearthClient

guard let own = try store.ownProfile() else { return }
try store.enqueue(.createFamily(named: "The Terns", by: own))
if let family = try store.families().first {
    try store.enqueue(.addManagedMember(named: "Max", to: family.id))
}
