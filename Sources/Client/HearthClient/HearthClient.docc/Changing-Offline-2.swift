import HearthClient

guard let own = try store.ownProfile() else { return }
try store.enqueue(.createFamily(named: "The Terns", by: own))
if let family = try store.families().first {
    try store.enqueue(.addManagedMember(named: "Max", to: family.id))
}

for await conflict in store.conflicts {
    if case .refused(_, let message) = conflict.outcome { show(message) }
    try store.dismiss(conflict)
}
