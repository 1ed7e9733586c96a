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
        WindowGroup {
            RootView(model: model).task { await model.run() }
        }
    }
}

struct RootView: View {
    let model: AppModel

    var body: some View {
        if let home = model.home {
            FamiliesView(model: model, home: home)
        } else {
            SignInView(model: model.signIn)
        }
    }
}

struct SignInView: View {
    let model: ObservableScreen<SignInScreen>
    @State private var email = ""
    @State private var code = ""

    var body: some View {
        Form {
            if model.state.step == .address {
                TextField("E-mail", text: $email)
                Button("Send code") {
                    Task {
                        model.screen.type(email: email)
                        await model.screen.sendCode()
                    }
                }
                AppleButton(screen: model.screen)
            } else {
                TextField("Code", text: $code)
                Button("Sign in") {
                    Task {
                        model.screen.type(code: code)
                        await model.screen.submitCode()
                    }
                }
                Button("Use another address") { model.screen.startOver() }
            }
            NoticeView(notice: model.state.notice)
        }
        .disabled(model.state.isWorking)
    }
}

struct FamiliesView: View {
    let model: AppModel
    let home: HomeModel
    @State private var name = ""
    @State private var code = ""

    private var state: FamilyScreenState { home.families.state }
    var body: some View {
        NavigationStack {
            List {
                ForEach(state.families) { family in
                    NavigationLink(family.name) { MembersView(model: home.members(of: family)) }
                }
                ForEach(home.invitations.state.received) { invitation in
                    Text("\(invitation.inviterName) invites you to \(invitation.familyName)")
                    Button("Accept") {
                        Task { await home.invitations.screen.accept(invitation) }
                    }
                }
                Section("New") {
                    TextField("Name of a family", text: $name)
                    Button("Create") {
                        Task {
                            home.families.screen.typeName(name)
                            await home.families.screen.create()
                        }
                    }
                    TextField("Code of a family", text: $code)
                    Button(state.isJoinQueued ? "Waiting for the network" : "Join") {
                        Task {
                            home.families.screen.type(code)
                            await home.families.screen.join()
                        }
                    }
                }
                Section("Account") {
                    Button("Sign out") { Task { await model.signOut() } }
                    DeleteAccountButton(model: model)
                }
                NoticeView(notice: state.notice)
            }
        }
    }
}

struct MembersView: View {
    let model: ObservableScreen<MembersScreen>

    var body: some View {
        List {
            ForEach(model.state.members) { member in
                HStack {
                    Text(member.displayName)
                    Text(member.householdRole.displayName)
                }
            }
            NoticeView(notice: model.state.notice)
        }
        .task { await model.screen.follow() }
    }
}

/// Deletion of the account, which the App Store requires of apps that create accounts.
struct DeleteAccountButton: View {
    let model: AppModel
    @State private var isAskingForCode = false
    @State private var code = ""
    @State private var problem: String?

    var body: some View {
        if isAskingForCode { TextField("The code that we mailed", text: $code) }
        Button("Delete account") {
            Task {
                do {
                    let typed = isAskingForCode ? code : nil
                    isAskingForCode = try await !model.deleteAccount(code: typed)
                } catch {
                    problem = error.localizedDescription
                }
            }
        }
        if let problem { Text(problem) }
    }
}

struct NoticeView: View {
    let notice: ScreenNotice?

    var body: some View {
        if let notice { Text(notice.text) }
    }
}
