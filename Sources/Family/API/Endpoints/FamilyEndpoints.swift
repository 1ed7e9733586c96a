import Domain
import UseCases

/// Families: creating, listing, reading and changing them.
enum FamilyEndpoints {
    private static let name = Input<FamilyName>.required("familyName", .text)
    private static let optionalName = Input<FamilyName?>.optional(
        "familyName", .text.orEmpty,
        "The family's name. If missing, a new family gets a default name, and an existing one "
            + "keeps its name.")
    private static let role = Input<MemberRole?>.optional(
        "role", .word, "The caller's role in the family; default: the account's own role.")

    static let create = Operation(
        "createFamily", "Creates a family, or returns the one that the caller has.",
        inputs: [optionalName, role], responses: [.ok(Shapes.createdFamily)],
        refusals: .byAccount + [.tooManyFamilies, .playerHasFamily, .roleMismatch],
        replayNeeds: [.codeRead]
    ) { services, call in
        let family = try services.families.create(
            by: call.context, name: call[optionalName], role: call[role])
        return .of(Shapes.createdFamily, family, family: family.id)
    }

    static let createAnother = Operation(
        "createAnotherFamily", "Creates another family for the caller.",
        inputs: [name],
        responses: [.json(201, Shapes.createdFamily, "Created.")],
        refusals: .byAccount + [.tooManyFamilies, .playerHasFamily], replayNeeds: [.codeRead]
    ) { services, call in
        let family = try services.families.createAnother(
            by: call.context, name: call[name])
        return .of(
            Shapes.createdFamily, family, status: 201, family: family.id,
            location: "/api/family/\(family.id)")
    }

    static let list = Operation.read(
        "listFamilies", "Lists the families that the caller belongs to.",
        responses: [.ok(Shapes.families, "At most 100.")], tag: .allVersions
    ) { call in
        FamilyService.list(by: call.context).map { .of(Shapes.families, $0) }
    }

    static let read = Operation.read(
        "readFamily", "Reads one of the caller's families.",
        inputs: [Inputs.family], responses: [.ok(Shapes.family)], refusals: [.familyNotFound],
        tag: .content
    ) { call in
        try FamilyService.read(by: call.context, family: call[Inputs.family])
            .map { .of(Shapes.family, $0, family: $0.id) }
    }

    private static let latitude = Input<PatchValue<Double>>.clearable(
        "homeLatitude", .number(-90...90),
        "Give it together with homeLongitude; both null clear the home.")
    private static let longitude = Input<PatchValue<Double>>.clearable(
        "homeLongitude", .number(-180...180), "Give it together with homeLatitude.")
    private static let approval = Input<Bool?>.optional(
        "approvalRequired", .flag, "Whether people who join by code wait for approval.")

    static let update = Operation(
        "updateFamily", "Changes a family's name, home or whether joining needs approval.",
        inputs: [Inputs.family, optionalName, latitude, longitude, approval],
        responses: [.ok(Shapes.family)], refusals: .inFamily + .byStanding,
        // The response shows the family's code and its home.
        replayNeeds: [.codeRead, .emailRead]
    ) { services, call in
        let change = FamilyService.Change(
            name: try call[optionalName],
            home: try home(call[latitude], call[longitude]),
            isApprovalRequired: try call[approval])
        let family = try services.families.update(
            by: call.context, family: call[Inputs.family], change)
        return .of(Shapes.family, family, family: family.id)
    }.guarded

    private static func home(
        _ latitude: PatchValue<Double>, _ longitude: PatchValue<Double>
    ) throws(Problem) -> FamilyService.Change.Home? {
        switch (latitude, longitude) {
        case (.absent, .absent): return nil
        case (.null, .null): return .forget
        case (.value(let latitude), .value(let longitude)):
            if let coordinates = Coordinates(latitude: latitude, longitude: longitude) {
                return .set(coordinates)
            }
        default: break
        }
        throw .invalidField("homeLongitude", "given together with `homeLatitude`")
    }
}
