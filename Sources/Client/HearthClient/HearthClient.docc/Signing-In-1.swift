import HearthClient

let account = Account(url, storage: KeychainStorage(service: "com.example.app"))
let hearth = Hearth(url, credentials: account)
