import Domain
import JSON

/// Files that phones request before they open Hearth's links in an app instead of a browser.
enum AppLinkEndpoints {
    static let appleAppSite = Operation.open(
        "readAppleAppSiteAssociation", "The iOS apps that open links to /join.",
        responses: [
            .media(
                "application/json", schema: .object,
                example: ["applinks": ["details": []]], "Universal links.")
        ],
        faults: [.notFound]
    ) { services, _ in
        let site = services.site
        if site.appleAppIDs.isEmpty { throw Problem.routeNotFound }
        let apps = JSONValue.array(site.appleAppIDs.map { .string($0) })
        let association: JSONValue = [
            "applinks": [
                "details": [
                    ["appIDs": apps, "components": [["/": .string(site.basePath + "/join")]]]
                ]
            ],
            // Apps that may use the site's passkeys.
            "webcredentials": ["apps": apps],
        ]
        return Reply(
            status: 200, mediaType: "application/json", body: Array(association.text().utf8))
    }

    static let androidAssetLinks = Operation.open(
        "readAndroidAssetLinks", "The Android apps that open links to Hearth's pages.",
        responses: [
            .media(
                "application/json", schema: .list(of: .object), example: [],
                "Digital asset links.")
        ],
        faults: [.notFound]
    ) { services, _ in
        let apps = services.site.androidApps
        if apps.isEmpty { throw Problem.routeNotFound }
        let links: JSONValue = .array(
            apps.map { app in
                [
                    "relation": [
                        "delegate_permission/common.handle_all_urls",
                        "delegate_permission/common.get_login_creds",
                    ],
                    "target": [
                        "namespace": "android_app", "package_name": .string(app.package),
                        "sha256_cert_fingerprints": .array(
                            app.fingerprints.map { .string($0) }),
                    ],
                ]
            })
        return Reply(status: 200, mediaType: "application/json", body: Array(links.text().utf8))
    }
}
