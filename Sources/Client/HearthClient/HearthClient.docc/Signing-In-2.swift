import HearthClient

let account = Account(url, storage: KeychainStorage(service: "com.example.app"))
let hearth = Hearth(url, credentials: account)

let ticket = try await account.requestCode(email: email)
let signedIn = try await account.signIn(ticket, code: typed)
if signedIn.isNew {
    try await hearth.updateProfile(ProfileChange(fullName: name, role: .parent))
}
