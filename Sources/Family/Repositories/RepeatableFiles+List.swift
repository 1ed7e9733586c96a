// Written by scripts/update-schema.

extension RepeatableFiles {
    /// SHA-256 and name of each file, as `hearth-migrate checksums` prints them.
    static let list = """
        2038e8080878ac9a55aae03d91a6bc0c736d4b1f7cbce605f48e9b113d92b793  addresses_and_names.sql
        3090152904adb5c52daef01dba806b4d7fb5a00195b9e68ea300b00ce439eeb6  attributes.sql
        dca03a45dfedd719bfff16a12f66cea12e47ea12de6bd21ee8d2218a69d0f766  audit.sql
        7fc6ef2b6638ceeffaed4ba82b3ed60f0d765fdbaa6e7ab216519b99c2986f63  changes.sql
        e1d6e4fa875047aa83ea04798a66a88f512f95b1bed9358f1ec1aeccdfabe1dc  codes.sql
        7cf87b6a9b6e9c5a42a68c8354871131aa5f064e40634322c94b28417ba664b2  direct_request.sql
        bf388dafbae3d32409cef7a5d7228300533922f4a77026782bd083189ca1a520  direct_views.sql
        10b3e7e5af1831cbd77ce988a3aea35b7279fe54c26558bbea401f284e8cdda5  entering.sql
        132ed5951e2a7690beddd626a95563269cb086e41d4407cc374f52d6b50b9525  erasure.sql
        edbabadf0399fe5323369319e787cc64044c375b9403c16d658977a4ee68fa2e  families.sql
        c4279fc28bf081816fa0ea22a3e2ddaccafe051a050504b44644544ee9187481  faults.sql
        0f4b55add1c8a3707bff01099c7f2d9e26beaa27a8f6049b05a6310d8f62c3ce  giving_way.sql
        6787ef8376e8d9422065d8306cfcff82b541546625f618f68a6719307ce7edb8  guardianships.sql
        493988fcd7b46df399230652a567dace4caec4b83b1e61a2ca0b371d7267c519  household_roles.sql
        bc8d1e22aecdce96b0bedbbd69cb9ed9d018ba176c82ab007f01e8b4c8784ea4  idempotency.sql
        0815a26f720a95dce67b274b7088c66674725684cffe99525d98f7c8ea40ad24  identities.sql
        697b90640f8746e63cc08746819311a17fcf18a59d6f3b9ded0f8d78a4451dd3  identity.sql
        8ab658f1587e85aa9b5dc1563dd4682149c5bc79a21fb282f303234acd9f6df7  invited.sql
        f79b8190f1789450c0191e5211c50dfd83ca863d1ce78bd574a240d1c7110786  inviting.sql
        95c064851255d76772033311040893d4258f9cf86fbc81c2d1aa6dd1d9ad34c9  jobs_control.sql
        cf1ce0b1bb2467ef051a752aa2f6f9a9ee1008fa792edb84fbf6ae19ef344ac0  jobs_leases.sql
        9075ff60b7d9005c43cd7997e88d1ae8bf7903265605efc337040614af5caed3  jobs_queue.sql
        ba6fefc86d78e1a7079609dd00145f2399ea40bc2870a548a4306c0c9469f423  jobs_schedules.sql
        8d914683601646430e7f5845878f062049f344422b9fd8e5aa61fbdc450fb197  joining.sql
        c1beade62c9db4e07b35177fe0c1a9a4f464b15bd90070ccf29f5e8ceb298e05  limits.sql
        3325d86d7520b694675e17e8347def6764b626107eadc6a803f032d08d8edb3b  mail.sql
        1fafcabed52b39a72bc0beead999c93ee346f3fc823a2c1bef71fe2aa362af02  mailed_tickets.sql
        896ebe1e68c892a21d1572561b3a01102c640523e2e88ac97fc91c0e87cdaf52  managed_members.sql
        6c912d4c48fc5e8f885bd9223905ad918c6c7ffa3baaddc251d336619c5cd50b  members.sql
        a9d374c259fb7cb8ec6457e5239e33847456d136f3263390a73951e3a03216fc  monitoring.sql
        5e1edb3539f43f6e2ac0b957a1145b67b48b5d99f76344ecc9cb17a7581070ef  operators.sql
        123b5af4d071c711e5ebf87fdf619fe75ae54d31ac5be3fc4c924b1530401983  operators_invitations.sql
        d944adcf4a19d33a13771bae3fb7deec3fd3b1e696a6fcf5f8aa51e4e0a4c3ee  operators_jobs.sql
        ad248a514a60b6817f49a2395f58f35def132b186444affc77cc9246d989d826  operators_members.sql
        32e64ef2bd6ee2725a76f747e92beea2478e5ccc5e7a0b1fd9aea5b42725f9cc  operators_webhooks.sql
        3562431fecc4a243a4bdc621e4ee4d3599e585de50d77bcc671ebcf75f3f5342  own_account.sql
        a8962fde633c1bd94b5689c9811e54c1949929913b3bf13097ef99e2c241c6b7  passwords.sql
        651a7901d1a16cc0ec8cfe9c5c6f114565b4bf3a3b131da2bd557c3d751a6be2  preferences.sql
        aeb857e0323abb8f317ea276e51f488f0b90126f9099dc927be641c574278943  profiles.sql
        a2260a85a895bc5b8752417aa482d5ac418c6839ac75c08e83f7700dd5d2b3d0  provider_tokens.sql
        fb7ad393d38634e592258d2e987e572bc5d403c8aae5b9c700dc5ff9f61b0da2  rate_limits.sql
        e7d30a755f92bdeee2d45ce6ff736a6868d506daad0011d4cd3e96149fbbc886  refusals.sql
        abb0357bd4279ffee1f317c148c6f508b67ba5e51a87c4de2f2be87cadcfef1a  refused_invitations.sql
        43f848de5f530b593463b3a058f70803e648cbc5b3c2556f0d5084a95a22bcdd  sessions.sql
        ab92f430acdad58d1fbdc1ab1ea2bb08d4869ba20fbbd9875e8ed371d9c6b1db  slots.sql
        f80337da0ed69aa540697308634516ca74c1522d2fc3382f5375c59a045e3792  timestamps.sql
        134b21d6684305a2e4e9bbb8422cb3998be277b40580d92619bb1864a0a7d470  upkeep.sql
        0939371d447b537c62dfbada83a5204f115b856ab358bfc2d863d54035c6f394  webhook_delivery.sql
        c836a27ecdc23c50631f510a58fdbc46c5f8742b0cbd54369813e1ecd0df0ed0  webhook_events.sql
        """
}
