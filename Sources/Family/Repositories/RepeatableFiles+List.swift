// Written by scripts/update-schema.

extension RepeatableFiles {
    /// SHA-256 and name of each file, as `hearth-migrate checksums` prints them.
    static let list = """
        2038e8080878ac9a55aae03d91a6bc0c736d4b1f7cbce605f48e9b113d92b793  addresses_and_names.sql
        dca03a45dfedd719bfff16a12f66cea12e47ea12de6bd21ee8d2218a69d0f766  audit.sql
        b2fabf7a94c38895b5aafc73cbbfbcd7211d72e6360c71453e988cdfa9a28c3a  codes.sql
        8f69035a8c694badc24965329c275b3ae7b3e27a14d94ab119ce0f65b2f23346  direct_request.sql
        b877a8d7f4c5e3d019d9ad7f69b6508aba83f0052daeef0fc44543864b2335d4  direct_views.sql
        10b3e7e5af1831cbd77ce988a3aea35b7279fe54c26558bbea401f284e8cdda5  entering.sql
        aec541351b25485375dd0b4b022c3a772fa4163902dfaaae2a6190a82b63b82f  erasure.sql
        de249f383a63c7f4583f85e2ba893e155b2f2f30654679d6c5adf3413082c2c6  families.sql
        c4279fc28bf081816fa0ea22a3e2ddaccafe051a050504b44644544ee9187481  faults.sql
        6787ef8376e8d9422065d8306cfcff82b541546625f618f68a6719307ce7edb8  guardianships.sql
        d6fcd23ec6e3d8f64668f0d04770dfb5718cb22e0b427c666b264b1be38ed210  household_roles.sql
        bc8d1e22aecdce96b0bedbbd69cb9ed9d018ba176c82ab007f01e8b4c8784ea4  idempotency.sql
        f2bb26e5ea3e741bb73b6b78b64f2ce1fa2ad52bb37e5a28cf771cfeb717f884  identity.sql
        82c34e54f5863b2b7fb51207365f9a4b0b137dbe1b551c9a3db87b48c4a52374  invited.sql
        d87965073ff5de4d2f8aea61ea63c0d81c5044808a492e192982a6d5e6c16300  inviting.sql
        95c064851255d76772033311040893d4258f9cf86fbc81c2d1aa6dd1d9ad34c9  jobs_control.sql
        cf1ce0b1bb2467ef051a752aa2f6f9a9ee1008fa792edb84fbf6ae19ef344ac0  jobs_leases.sql
        9075ff60b7d9005c43cd7997e88d1ae8bf7903265605efc337040614af5caed3  jobs_queue.sql
        ba6fefc86d78e1a7079609dd00145f2399ea40bc2870a548a4306c0c9469f423  jobs_schedules.sql
        59a2b5d21d7f45f34d6698cd49990b97e60c435c41a6a7fdf738a1021430273d  joining.sql
        fa4b31e8197072aff2afb51f1db23f13223ad78a80d8aec1f586f49a479589d9  limits.sql
        32277faff4c534e785e8c7d418f2fe010cc527549e49857b33c528b5a3fc5916  mail.sql
        896ebe1e68c892a21d1572561b3a01102c640523e2e88ac97fc91c0e87cdaf52  managed_members.sql
        d796c06337074efbd1d96a62b9ed3737be006185818aa4d1ffa1812a8974d593  members.sql
        a9d374c259fb7cb8ec6457e5239e33847456d136f3263390a73951e3a03216fc  monitoring.sql
        5e1edb3539f43f6e2ac0b957a1145b67b48b5d99f76344ecc9cb17a7581070ef  operators.sql
        123b5af4d071c711e5ebf87fdf619fe75ae54d31ac5be3fc4c924b1530401983  operators_invitations.sql
        3dcdefdad1ffd6fc8cd1ac32287af55cecc502415616c4750d0f5e75419c6e3c  operators_jobs.sql
        0aa52e03d62ad15bad294ce05dfba45c2837b1e966060c45d820867fdf8b0aad  operators_members.sql
        32e64ef2bd6ee2725a76f747e92beea2478e5ccc5e7a0b1fd9aea5b42725f9cc  operators_webhooks.sql
        651a7901d1a16cc0ec8cfe9c5c6f114565b4bf3a3b131da2bd557c3d751a6be2  preferences.sql
        d8dd66468c244486d532abce288a45481780c1e95b156a2f8a0ec4034b610bfb  profiles.sql
        fb7ad393d38634e592258d2e987e572bc5d403c8aae5b9c700dc5ff9f61b0da2  rate_limits.sql
        e7d30a755f92bdeee2d45ce6ff736a6868d506daad0011d4cd3e96149fbbc886  refusals.sql
        e6aefdf2319f1c2270dab3eb88c429b5cea14d8dca27d80317552e651fd3b247  slots.sql
        f80337da0ed69aa540697308634516ca74c1522d2fc3382f5375c59a045e3792  timestamps.sql
        4bb9a768f011829bdc24d81156457393e2426101aafdde67eaf7866f852c67ae  upkeep.sql
        0939371d447b537c62dfbada83a5204f115b856ab358bfc2d863d54035c6f394  webhook_delivery.sql
        c836a27ecdc23c50631f510a58fdbc46c5f8742b0cbd54369813e1ecd0df0ed0  webhook_events.sql
        """
}
