// Written by scripts/update-schema.

extension RepeatableFiles {
    /// SHA-256 and name of each file, as `hearth-migrate checksums` prints them.
    static let list = """
        a7509c01df96a38f5f5fd236505bec172c93b22cb3d2a897937df5eef4e8d92c  addresses_and_names.sql
        0988e56e950d33e0ec0cb0a0cc955113f29c8e1369d87767cc706aea2a45624f  audit.sql
        8f04e679f97146c325e9a2e19e4e557d57e290419b3e66fd6b52eeb393e196cc  codes.sql
        6a404657673b80f1e6daae929e426bcc48c12eae083aeed123929158a1530638  direct_request.sql
        68ec5d766e168a27c73cbe520ca0f893c3437b4c3599d8233045aa185cce6fee  direct_views.sql
        d5d15187989d74efe6496895d80fb336097f1f343080dcb5eaf2f240ad78c2d0  entering.sql
        5d8b91c79f5a8670041b28a4a3cef44ad3b1c2f9216f2ec8f7fe629248e80a87  erasure.sql
        22993717751ba0831cb1d35ce16be276508f5973df717d8390b46a780b2bf909  families.sql
        c93c70be2de22a2b8262b56d3952160576391de77e844f0608b5e5ad884fb893  faults.sql
        818fc8ec408a62c57f34cde4f34ee1c9ceeb28cf6d64e897de027f96977e8794  household_roles.sql
        e716b803be4802c1a5873dda92336713457a930c9fe050473c3bbc844d480279  idempotency.sql
        b7e6ade2a2d542fe62bb13d36393eaa7d4726c59a1b8bd3cc7ad757e6d4bad04  identity.sql
        80c9b3637ded199f20d027f0d1ec95dccfa286756e814bf08812ab78763aa14a  invited.sql
        2de942c89d0b0a8b571e43d08beaf52f99528d43fe52d7f0cce49127aeb9915c  inviting.sql
        61f4b315f6708fce6d4ce194adb3fa5f154863abd1dd255ec124ae9d1ab3c97e  jobs_control.sql
        204a1168bc77fc4705c302470f88ba685857a5463697251945dd708365656743  jobs_leases.sql
        19b3fa77f0171db6be43ef944a4843179a8ba6cce561d834c1a4c1ef817cd2d5  jobs_queue.sql
        4f0112e2ed21de6e68198bda6dc2f5c030ed659cfdf174d3f0896c994ac3f4a8  jobs_schedules.sql
        76089b249276863c042a1194b770bb5eeb7ca5b288333fbf4f9c636f3fad18be  joining.sql
        06e24f6ef070e444a2ef743e1ee3d22672c52d520805eadf13ee75da1c371c66  limits.sql
        2845d0056e710ee4d7db742863e7971a6c4167075a87bf3f8f9103baa9c19c5b  mail.sql
        b029ad33228b325ccbf0ea149bfefc0ba5cab12238b031a7eedb443710247cf1  managed_members.sql
        9cb95b05e615fe962487cfd7036583c24ac59d22aa83c9bbe59ce2d279b9a4e0  members.sql
        3d74705c3ef164ad2ec29fe6769fbd69bf5acd2ca1d4260a932a543ea9d6bd47  monitoring.sql
        b4b1cbf68dd52d3415095b57b2002f893909948ba452354ba38f5c5d27878a69  operators.sql
        720b569fa93d3b502acf47aaa9cc27bb0027e6b6c8c58512a0d4501bfd48f244  operators_invitations.sql
        958105f56aae591a2f31d128097ee84ae5edc62d54b9917e1798683a46208a95  operators_jobs.sql
        e7a91737e964092060ca1754ad8f507cd7f032ca917219e9598de9dd36a0fb18  operators_members.sql
        e33db0561689cf07cd9bb721497ac5286b11c2808f34ef9f043752e1b4328f13  preferences.sql
        003a4aedf76d9c809129a3863b98525dc240ed85f69afb7390517086026f46b5  profiles.sql
        46807f813e6a68efb7c51ac5ecb3ab43ce6b6db872cb7b5729435a1785b78916  rate_limits.sql
        e338bb8105a9ebcce388e65ab8f24d65da40bcad077743c1d9c54f7c368b4a84  refusals.sql
        05cce2ad6e3ce62eed6aebc672fee4a475393a1908b1db805739ab0011261376  slots.sql
        f80337da0ed69aa540697308634516ca74c1522d2fc3382f5375c59a045e3792  timestamps.sql
        182892af388165cba329529a31ccb51d91bfa146487d1092af2269b532761e32  upkeep.sql
        """
}
