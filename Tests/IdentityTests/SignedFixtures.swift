/// Public keys and tokens signed with them, created once with `openssl`; the private keys no longer
/// exist. All three tokens have the same claims and are valid from 1,800,000,000 for an hour.
enum SignedFixtures {
    static let issuer = "https://keys.example.com"
    static let issuedAt: Int64 = 1_800_000_000

    static let rsaModulus =
        "pwMzseiqTKpnm08AOHYvEk456O60yT0f7Y-_VBMLQ8DTYImi0uRZ25Z_zPnJ39Eq7IG_soB_rDthoyE7y9Pv"
        + "2INRL1Bk4L6paHThPtJOfzM5ZwxD7bk_HBWPMYh7UmNJkmJD_5jEeEcu7JHhJ6un5XB7sqh2_iHYOofF7f3L"
        + "3D4zxhe-ozBNLCOBtgZ9kSl5hnex568cvh0N2Cr_VfaQ_JdlHY31OBqi5vk6XcvtC9QdEw_9g5uPVC8fHL31"
        + "rDZOQhxuTYuiXpDqcECqM7COeS8OEGcSQicXaaL-YIvYpZR9QS9fdE4_egrxhQyOima4UuJ01-tiwmVfsLEL"
        + "tyTA9w"

    static let keySet = """
        {"keys": [
          {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "r", "e": "AQAB",
           "n": "\(rsaModulus)"},
          {"kty": "EC", "use": "sig", "crv": "P-256", "kid": "e",
           "x": "HqQNY2ZZs8EJIMZ9thxqri7sah3YSDeHp5GBYqTh-CE",
           "y": "kenporWCnBkcfxakJuIb4M2kae1fQacBLZIe9097MEA"},
          {"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "kid": "o",
           "x": "Gurwd2J_jNAUuZxDpTXVurM7moaYFDNivD-QF1HL2_o"}
        ]}
        """

    static let rs256 =
        "eyJhbGciOiJSUzI1NiIsImtpZCI6InIiLCJ0eXAiOiJKV1QifQ.eyJpc3MiOiJodHRwczovL2tleXMuZXhhb"
        + "XBsZS5jb20iLCJzdWIiOiJzb21lb25lIiwiYXVkIjoiaGVhcnRoIiwiaWF0IjoxODAwMDAwMDAwLCJleHAiO"
        + "jE4MDAwMDM2MDAsImVtYWlsIjoic29tZW9uZUBleGFtcGxlLmNvbSIsImVtYWlsX3ZlcmlmaWVkIjp0cnVlL"
        + "CJuYW1lIjoiU29tZSBPbmUifQ.Rk0bsivstrYxlH3Ll2ChQG-4x2BJ5OsAZMhjYlU6XVrOUy6IHLWvpZAYEi"
        + "Qb8wuSZZp8dwjox04jZEDKXxCX77Zziv9N1ErI90th38dOiKHNKYsT_zdM-MNvzHaqxx1gasYhE6rmG0-5TS"
        + "jF2AnSL9xow3gEoIVOxB-Bi4-NCT70N4YJUyu9PuITPODL7O24liKdP8ehUQep-qrBrAknKRSlAe1zk63iVc"
        + "NeI0BrjdMoonqRbRNZXhauhEu3Qa-HleBMYxHuNnn-0k2tsD5lSQ0O82je0ESI11mL-GFdkeSQaSsXjVqKAN"
        + "NmH4-TSNH3xev0paPiG98X2wO67JdX3g"

    static let es256 =
        "eyJhbGciOiJFUzI1NiIsImtpZCI6ImUiLCJ0eXAiOiJKV1QifQ.eyJpc3MiOiJodHRwczovL2tleXMuZXhhb"
        + "XBsZS5jb20iLCJzdWIiOiJzb21lb25lIiwiYXVkIjoiaGVhcnRoIiwiaWF0IjoxODAwMDAwMDAwLCJleHAiO"
        + "jE4MDAwMDM2MDAsImVtYWlsIjoic29tZW9uZUBleGFtcGxlLmNvbSIsImVtYWlsX3ZlcmlmaWVkIjp0cnVlL"
        + "CJuYW1lIjoiU29tZSBPbmUifQ.XqZ4FuMVIaWVccIAztHh9eQWx1SQfZWYnZPpFDMJqxJNs-tdNSIlwkZtHH"
        + "P1FVvfZhqhwpRNJyGsAalR3FC3aQ"

    static let edDSA =
        "eyJhbGciOiJFZERTQSIsImtpZCI6Im8iLCJ0eXAiOiJKV1QifQ.eyJpc3MiOiJodHRwczovL2tleXMuZXhhb"
        + "XBsZS5jb20iLCJzdWIiOiJzb21lb25lIiwiYXVkIjoiaGVhcnRoIiwiaWF0IjoxODAwMDAwMDAwLCJleHAiO"
        + "jE4MDAwMDM2MDAsImVtYWlsIjoic29tZW9uZUBleGFtcGxlLmNvbSIsImVtYWlsX3ZlcmlmaWVkIjp0cnVlL"
        + "CJuYW1lIjoiU29tZSBPbmUifQ.h_QpSQK3S1kFdJwz7IaL2OLWzwyzztJOCobS5EQCBOjFlrilXuege7Qj3q"
        + "d1HbpxuiOVAzCrgN8eoEVrHvCbCw"
}
