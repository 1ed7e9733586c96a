import Foundation
import HearthClient
import SwiftUI

/// The example app. Its address is that of your Hearth.
@main
struct FamilyApp: App {
    @State private var model = AppModel(
        URL(string: "https://family.example.com")!,
        storage: KeychainStorage(service: "com.example.family"),
        folder: URL.applicationSupportDirectory, device: "This phone")
    var body: some Scene {
        WindowGroup { RootView(model: model).task { await model.run() } }
    }
}

struct RootView: View {
    let model: AppModel
    var body: some View {
        if let home = model.home, home.families.state.profile?.lacksNameOrRole == true {
            IntroduceView(model: home.families)
        } else if let home = model.home {
            FamiliesView(model: model, home: home)
        } else {
            SignInView(model: model.signIn)
        }
    }
}

/// Asks a new person for name and role, which a sign-in with a mailed code doesn't tell.
struct IntroduceView: View {
    let model: ObservableScreen<FamilyScreen>
    @State private var name = ""
    var body: some View {
        Form {
            TextField("Your name", text: $name)
            Button("Parent") { Task { await model.screen.introduce(name: name, role: .parent) } }
            Button("Player") { Task { await model.screen.introduce(name: name, role: .player) } }
            NoticeView(notice: model.state.notice) { model.screen.dismissNotice() }
        }
    }
}

struct FamiliesView: View {
    let model: AppModel
    let home: HomeModel
    @State private var name = ""
    @State private var code = ""

    private var state: FamilyScreenState { home.families.state }
    private var screen: FamilyScreen { home.families.screen }
    private var inbox: ObservableScreen<InvitationsScreen> { home.invitations }
    var body: some View {
        NavigationStack {
            List {
                ForEach(state.families) { family in
                    NavigationLink(family.name) { MembersView(model: home.members(of: family)) }
                }
                ForEach(inbox.state.received) { invitation in
                    Text("\(invitation.inviterName) invites you to \(invitation.familyName)")
                    Button("Accept") { Task { await inbox.screen.accept(invitation) } }
                }
                NoticeView(notice: inbox.state.notice) { inbox.screen.dismissNotice() }
                Section("New") {
                    TextField("Name of a family", text: $name)
                    Button("Create") {
                        screen.typeName(name)
                        Task { await screen.create() }
                    }
                    TextField("Code of a family", text: $code)
                    Button(state.isJoinQueued ? "Waiting for the network" : "Join") {
                        screen.type(code)
                        Task { await screen.join() }
                    }
                }
                Button("Sign out") { Task { await model.signOut() } }
                DeleteAccountButton(model: model)
                NoticeView(notice: state.notice) { screen.dismissNotice() }
            }
        }
    }
}

struct MembersView: View {
    let model: ObservableScreen<MembersScreen>
    var body: some View {
        List {
            ForEach(model.state.members) { member in
                Text("\(member.displayName), \(member.householdRole.displayName)")
            }
            NoticeView(notice: model.state.notice) { model.screen.dismissNotice() }
        }
        .task { await model.screen.follow() }
    }
}

/// Deletion of the account, which the App Store requires of apps that create accounts.
struct DeleteAccountButton: View {
    let model: AppModel
    @State private var isCodeSent = false
    @State private var code = ""
    @State private var problem: String?
    var body: some View {
        if isCodeSent { TextField("The code that we mailed", text: $code) }
        Button("Delete account") {
            Task {
                do {
                    isCodeSent = try await !model.deleteAccount(code: isCodeSent ? code : nil)
                } catch { problem = error.localizedDescription }
            }
        }
        if let problem { Text(problem) }
    }
}

struct NoticeView: View {
    let notice: ScreenNotice?
    let dismiss: @MainActor () -> Void
    var body: some View {
        if let notice {
            Text(notice.text)
            Button("OK", action: dismiss)
        }
    }
}
