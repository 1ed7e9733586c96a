// Written by scripts/update-schema.

extension RepeatableFiles {
    /// SHA-256 and name of each file, as `hearth-migrate checksums` prints them.
    static let list = """
        a7509c01df96a38f5f5fd236505bec172c93b22cb3d2a897937df5eef4e8d92c  addresses_and_names.sql
        0988e56e950d33e0ec0cb0a0cc955113f29c8e1369d87767cc706aea2a45624f  audit.sql
        623e3d9e5c0ff96134b32c560d38127091da0ca5300852861ead1e475431aaec  codes.sql
        6a404657673b80f1e6daae929e426bcc48c12eae083aeed123929158a1530638  direct_request.sql
        68ec5d766e168a27c73cbe520ca0f893c3437b4c3599d8233045aa185cce6fee  direct_views.sql
        d5d15187989d74efe6496895d80fb336097f1f343080dcb5eaf2f240ad78c2d0  entering.sql
        5d8b91c79f5a8670041b28a4a3cef44ad3b1c2f9216f2ec8f7fe629248e80a87  erasure.sql
        d94923d57213d42c77d53ac1f69422991f9efc3e3c83aeff5825501db69161b1  families.sql
        c93c70be2de22a2b8262b56d3952160576391de77e844f0608b5e5ad884fb893  faults.sql
        5a33ce9921318a547bc4accca04323957136add823f0ab0342452c501a5536fa  household_roles.sql
        6725936e016217c9e5c85111660d560b4ae786b54c66c06691ab91341b7a0b4f  idempotency.sql
        b7e6ade2a2d542fe62bb13d36393eaa7d4726c59a1b8bd3cc7ad757e6d4bad04  identity.sql
        c2565dd0480a4ddbcab30fb40140504d013f3bd64e7ef9bbf961400e815ab937  invited.sql
        ed12e1d527c75d4d5c27d0b66f92eadd5a252b6e84ebcf9d9be6940f4fcaf953  inviting.sql
        61f4b315f6708fce6d4ce194adb3fa5f154863abd1dd255ec124ae9d1ab3c97e  jobs_control.sql
        204a1168bc77fc4705c302470f88ba685857a5463697251945dd708365656743  jobs_leases.sql
        19b3fa77f0171db6be43ef944a4843179a8ba6cce561d834c1a4c1ef817cd2d5  jobs_queue.sql
        4f0112e2ed21de6e68198bda6dc2f5c030ed659cfdf174d3f0896c994ac3f4a8  jobs_schedules.sql
        27472ca75ebf76fd5f40aca1de110e254c65a90d0e0c904592fdbcc11234d860  joining.sql
        06e24f6ef070e444a2ef743e1ee3d22672c52d520805eadf13ee75da1c371c66  limits.sql
        2845d0056e710ee4d7db742863e7971a6c4167075a87bf3f8f9103baa9c19c5b  mail.sql
        b029ad33228b325ccbf0ea149bfefc0ba5cab12238b031a7eedb443710247cf1  managed_members.sql
        c99266fbad311aeeeeb60699361163bc2618e01f1e536a2e196ed91e0f1963eb  members.sql
        3d74705c3ef164ad2ec29fe6769fbd69bf5acd2ca1d4260a932a543ea9d6bd47  monitoring.sql
        40d862983f34e416d3f0a4a533ec2191505ffaec295e334abf89e0dae7c68fef  operators.sql
        49efe53ade358916b46049fb7b906a2fab1d78f69b2ddc0acc2696737e63214c  operators_invitations.sql
        12d3ea6ae081d69d54030d9c3941a12aca5e0149f4ae4e682cb3c055f13b1cca  operators_jobs.sql
        3d25b887075b756187eb553bc719c538628571919e04a65324cd90b9cd2f6e79  operators_members.sql
        e33db0561689cf07cd9bb721497ac5286b11c2808f34ef9f043752e1b4328f13  preferences.sql
        4f051b5fb4a2a234d2be6531bbb4ec1ecec7654c24338be65efcdb1badda4e2c  profiles.sql
        46807f813e6a68efb7c51ac5ecb3ab43ce6b6db872cb7b5729435a1785b78916  rate_limits.sql
        6ef5c1dfd5e7f5ec8c31ec4c2356c581c2dd10f8132a05321a85a0cda9b296f3  refusals.sql
        7387e7a593beb15ac04bb24a6f29389eb0891200dbd10764c3b4f3406f71f2ec  slots.sql
        f80337da0ed69aa540697308634516ca74c1522d2fc3382f5375c59a045e3792  timestamps.sql
        182892af388165cba329529a31ccb51d91bfa146487d1092af2269b532761e32  upkeep.sql
        """
}
