import Foundation
import HearthClient

// An app on a device, for the tests that kill it: makes changes, prints each one's name or word
// once the change is on disk, and sends the queue.
//
// usage: client-device STORE ACCOUNT FAMILY URL TASK        the token is in HEARTH_TOKEN
//
// HEARTH_OTHER_CODE may have the code of another family, to be joined and left.
//
// TASK is a number of names to give the family: the process ends once the queue is empty. Or it is
// `admin` or `member`: the process makes eight changes of many kinds as such a person while an
// engine sends and follows, and goes on following until it is killed.

let arguments = CommandLine.arguments
guard arguments.count == 6, let url = URL(string: arguments[4]),
    let token = ProcessInfo.processInfo.environment["HEARTH_TOKEN"]
else {
    print("usage: client-device STORE ACCOUNT FAMILY URL TASK")
    exit(64)
}
let family = FamilyID(arguments[3])
let account = UserID(arguments[2])
let store = try FamilyStore(at: URL(fileURLWithPath: arguments[1]), of: account)
// The client never retries a request by itself: the tests examine how the queue sends it again.
let hearth = Hearth(url, credentials: BearerToken(token), policy: .never)

if let count = Int(arguments[5]) {
    try await NamingDevice(store: store, hearth: hearth, family: family).give(count)
} else {
    try await EditingDevice(
        store: store, hearth: hearth, family: family, account: account,
        isAdmin: arguments[5] == "admin",
        otherCode: ProcessInfo.processInfo.environment["HEARTH_OTHER_CODE"].flatMap {
            FamilyCode(typed: $0)
        }
    ).edit()
}
