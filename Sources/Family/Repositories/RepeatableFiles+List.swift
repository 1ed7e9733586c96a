// Written by scripts/update-schema.

extension RepeatableFiles {
    /// SHA-256 and name of each file, as `hearth-migrate checksums` prints them.
    static let list = """
        2038e8080878ac9a55aae03d91a6bc0c736d4b1f7cbce605f48e9b113d92b793  addresses_and_names.sql
        dca03a45dfedd719bfff16a12f66cea12e47ea12de6bd21ee8d2218a69d0f766  audit.sql
        e1d6e4fa875047aa83ea04798a66a88f512f95b1bed9358f1ec1aeccdfabe1dc  codes.sql
        8f69035a8c694badc24965329c275b3ae7b3e27a14d94ab119ce0f65b2f23346  direct_request.sql
        bf388dafbae3d32409cef7a5d7228300533922f4a77026782bd083189ca1a520  direct_views.sql
        10b3e7e5af1831cbd77ce988a3aea35b7279fe54c26558bbea401f284e8cdda5  entering.sql
        aec541351b25485375dd0b4b022c3a772fa4163902dfaaae2a6190a82b63b82f  erasure.sql
        f50b50eaadb8421d3c289af82cb9b996a41336ef107496cc0382d7aa8565a098  families.sql
        168500b80e18be31d33b26d313667b58ddb90e0bd7ff42047ad61dd1db89a20a  faults.sql
        0f4b55add1c8a3707bff01099c7f2d9e26beaa27a8f6049b05a6310d8f62c3ce  giving_way.sql
        bdc97e6c4d9928d2ad17d6cf38fe867df0c2baeb1dabeb587f8e0870c58dde94  household_roles.sql
        bc8d1e22aecdce96b0bedbbd69cb9ed9d018ba176c82ab007f01e8b4c8784ea4  idempotency.sql
        70dc78b838ef5894a0f383ed08b1bcb6d802a126778811d38deeac72c6877518  identity.sql
        0a1eac02444c7db587d58621da84b64dae062f92d576925bd9ae820c5281d2e1  invited.sql
        f79b8190f1789450c0191e5211c50dfd83ca863d1ce78bd574a240d1c7110786  inviting.sql
        95c064851255d76772033311040893d4258f9cf86fbc81c2d1aa6dd1d9ad34c9  jobs_control.sql
        cf1ce0b1bb2467ef051a752aa2f6f9a9ee1008fa792edb84fbf6ae19ef344ac0  jobs_leases.sql
        9075ff60b7d9005c43cd7997e88d1ae8bf7903265605efc337040614af5caed3  jobs_queue.sql
        ba6fefc86d78e1a7079609dd00145f2399ea40bc2870a548a4306c0c9469f423  jobs_schedules.sql
        8d914683601646430e7f5845878f062049f344422b9fd8e5aa61fbdc450fb197  joining.sql
        8739c8d79bf810ddc106d96e70196c4179e050896564bded7c897f4c71fa778b  limits.sql
        60d0eea9552993eb01c1fd39a8442ee7bee619605e98220626ebd935af4156b9  mail.sql
        23a1a264c33fc03dca59a326780fa05aa87899161b490fc23272c2ee099f7021  managed_members.sql
        fe1379c4f2a0f8e8cfb9418885891f2e7ecaab57cb6b3ffbcf66b39fe67c1e4d  members.sql
        a9d374c259fb7cb8ec6457e5239e33847456d136f3263390a73951e3a03216fc  monitoring.sql
        5e1edb3539f43f6e2ac0b957a1145b67b48b5d99f76344ecc9cb17a7581070ef  operators.sql
        123b5af4d071c711e5ebf87fdf619fe75ae54d31ac5be3fc4c924b1530401983  operators_invitations.sql
        3dcdefdad1ffd6fc8cd1ac32287af55cecc502415616c4750d0f5e75419c6e3c  operators_jobs.sql
        4813a1eac6971e866c9c25fdcf3f60a122b02aea5b74c46bf353718472a6a6da  operators_members.sql
        651a7901d1a16cc0ec8cfe9c5c6f114565b4bf3a3b131da2bd557c3d751a6be2  preferences.sql
        1a2c36db80da526eb7edeee5ed733640c632343c985a23e4b6fbed8264e949da  profiles.sql
        fb7ad393d38634e592258d2e987e572bc5d403c8aae5b9c700dc5ff9f61b0da2  rate_limits.sql
        e7d30a755f92bdeee2d45ce6ff736a6868d506daad0011d4cd3e96149fbbc886  refusals.sql
        fdcb14acef3e62cbe66cf4a9db5ffc33859957378b28ad6afaa55a2b79618c25  slots.sql
        f80337da0ed69aa540697308634516ca74c1522d2fc3382f5375c59a045e3792  timestamps.sql
        4bb9a768f011829bdc24d81156457393e2426101aafdde67eaf7866f852c67ae  upkeep.sql
        """
}
