// Written by scripts/update-schema.

extension RepeatableFiles {
    /// SHA-256 and name of each file, as `hearth-migrate checksums` prints them.
    static let list = """
        a0eb64ebfa3aee689cf7ed8e82d526218b433e08930ebd5c006189d7d35d9cb6  accepted_characters.sql
        51eaa62b210853c90f35fbf3df31ca82668b2ada12df287c5d01b66971abbfc2  account_ids.sql
        d4c767ff9797d315ea8c235463da1136500eafd70cc674505d431b6deaccd49a  address_changes.sql
        38027dbbd0882fd68e0d1272787a23c8b3fb7073eb9b35b7c911f403abe4fe49  addresses_and_names.sql
        aefc075128c7760a02decf1ac92661ff780b108946735c3fdf774dd4bbafd96b  api_keys.sql
        c1b0b5e1dc1119919237c3a542e4ac92b9cb70f434bd44b893f13270967838a5  attributes.sql
        c4a9bd4056b075fbba55b0152c60c90725ae9aeadaf81afa384941e2681ffe5b  audit.sql
        28d583af08631e214e6855f24e292c557ed823f92eeac19282493dc5278b24c4  batches.sql
<<<<<<< HEAD
        132b1730a8565b50fe6f13e4f1e341e298e503f777104d4aa264e98b58498392  blocking.sql
=======
        132b1730a8565b50fe6f13e4f1e341e298e503f777104d4aa264e98b58498392  blocking.sql
>>>>>>> 324c0510
        0446671cd64c29b5727780b0836239b75642c4a548ead64f5261797008318afc  answering_invitations.sql
        4a257499fd2da56af54c00d08cadfac19fa6571fc1a63417d39975d81931a4f9  changes.sql
        c662b90db7f559760dc71945bad230d28a9b1f3d921c4317a88d22d210224190  changes_followed.sql
        91454bd1775e4291f3fec69fe66192cd27510090aea8afaf2d27728f5527dc4d  changes_meaning.sql
        0280de4139fa21f09883e8de5463d855bf316004ed9c5ff2425822f6021b8d3f  changes_versions.sql
        9a48d58b65251290eaf95e8e95e5cee027b846764fb8d5764f9d4aba9935eec3  code_settings.sql
        587ea2c08c5a0ae5431f62d8cfde333d69729888d8f85cb1d40b579db1b6e67a  codes.sql
        c3479acedaea381b40e9fe784cf834f123d3236872e53cccc9b6dd53843ce269  consents.sql
        c63fb7447e4cd102817cd6af7bf30438c52d7b594db806f8c6952d7c0006493b  direct_request.sql
        81d8b6d75a7b1bf9c8c9266000d0c07e2449103de13b6535e30aa7e070796d28  direct_views.sql
        897b285ad7c761459723b0f93fd06d05f57c56a7e7fd25fa73e8b729d25002b1  doctor_results.sql
        1cd1d428846e59c655c122c706bb298c37b335ad9d804fd8ad1ef857f3794906  email_tokens.sql
        94b6f88da33dc46333cd6bbf2142b52fe93ff2354d1150fee2a11efe1477172d  erasure.sql
        c4ddc6fa43b1d7e7911e26e170d31510f14824caf98c7927493853083e97466b  families.sql
        acb118fc492261c08055294252329cf7ad5de6ad81c64c5822fda0b1d04afceb  faults.sql
        7fd0fc35f440a74e203c1943bc5c1d8f9069d572027d43107c5d8d040f14ee9d  fault_checks.sql
        e80b0e6ceca29bce163e05df4e14999f409e145baee1988cd6fff153b4eb5277  graduation.sql
        a2cab82c100ff5dd579caf4571562c90f44249782f6e525d7c8e3acfb2101e71  guardianships.sql
        c4cb9a87b4f91ed55c1a8d6d8aaaab29c90cd2f88f2be0e9167e52e138a3c6e2  household_roles.sql
        99d0c20ebc35fd675c2f191a2897609e6f8e5b83acc125c65c7d46861fe72fc3  idempotency.sql
        71d6915cd85355b64369d0d86aa33d9123956779760d00e14695025b8545daeb  identities.sql
        efa433145202e0fc5bc8881e0b5b481732dbb769a3b6bc2ae3ff02e4d5e2212f  identity.sql
        7e7c525a6a05b14ae9e2d2b0d04bc4d30c10afd076e8cc4abcec5bf4116b481a  jobs_control.sql
        d93fd40164aac71a30897920983c32fd321d9f87f2b3f6d5a7c0c6256500498a  jobs_leases.sql
        77087235976a22f3bd1ee491e6b62a9733fd123205baa311843732720af36408  jobs_queue.sql
        a8cc5b1b1c2b9f3501953b6ada883affa8ac5fb8ecdc5bef13a13957afe0c1e9  jobs_schedules.sql
<<<<<<< HEAD
        6615a15ebf99f6ee8297c57e4cf8de18cf6591350ab1af9b4eb2a2b15c7e3520  join_requests.sql
        e3b64d5adfead06ad62ea44925158ad28173077696b90c7df424a2528bad9d4f  joining.sql
        cc5ced0bdf1c7405740367720883f5dbeb6f1ce3a9fb78ebe32afbd6f3b4f62f  leaving_own_family.sql
        c218430c1314f5991b6f02abe708213b9d975fb60c184364bdab6f35a6611a4b  limits.sql
=======
        6615a15ebf99f6ee8297c57e4cf8de18cf6591350ab1af9b4eb2a2b15c7e3520  join_requests.sql
        e3b64d5adfead06ad62ea44925158ad28173077696b90c7df424a2528bad9d4f  joining.sql
        cc5ced0bdf1c7405740367720883f5dbeb6f1ce3a9fb78ebe32afbd6f3b4f62f  leaving_own_family.sql
        c218430c1314f5991b6f02abe708213b9d975fb60c184364bdab6f35a6611a4b  limits.sql
>>>>>>> 324c0510
        f250d8e880bca9c2ba68e21caf0f994506a8907a58116e48ab435cac6c5e3787  link_keys.sql
        04c98b123e22b600a534aa4f25eaa82fd5fb499b2911590aa904a057f4472566  linking.sql
        e0ae6e76f61955c36f9e29d7520683b46f0f1778089f5eec7d044d8112673cf2  locales.sql
        cce92718f51345deb7dcb842e8b6ca68957e7d866dab387713da79304227cb9f  locking_families.sql
        63cdfc094fc1dc9b2ac2b83e74ac5cb032153c1bae63bed28b28ae1dbbbbecb0  mail.sql
        c5ba719f11dbbc4f83b62fc0dda60af8202785f5c36315746091d08fc9fd7e4d  managed_members.sql
        ce24a59a4ac2f2bccad7ea57e6a6f4510663fa067280ad4e96fd5fce32fa3055  members.sql
        a0e5cb0d7438570840a1ad6d789aa35298c14d41d34a9458ce100c324a7347df  monitoring.sql
        3600f1958ce476e61535043d48ec6de9230dc552c1f3e752c6729660cc7344fd  operator_roles.sql
        eda29445a25843408acc79312e0616efba87093bcc70c832b18c0e7d32ae4471  operators.sql
<<<<<<< HEAD
        0a416ea918888c2214380530d8d87c1f0fba528a4e37e2045f0f557231f8ee29  audit_months.sql
        6ffec21daad918f6eec272139d8fdd33cabd0ad23b0059cae81ab4ea399d8e33  operators_invitations.sql
=======
        0a416ea918888c2214380530d8d87c1f0fba528a4e37e2045f0f557231f8ee29  audit_months.sql
        6ffec21daad918f6eec272139d8fdd33cabd0ad23b0059cae81ab4ea399d8e33  operators_invitations.sql
>>>>>>> 324c0510
        ee204050ea8ead46e7d2c7655d34d2422c1fcaec262258a57fb4c21ff4a25225  operators_jobs.sql
        1d200f1dcf16a73945a066436275489e6dd35f3ff037c0aa58b1c14033f66801  operators_limits.sql
        1d3f619642c50eac3bc98c1ca7820ae541c6a5e18606c0b6493b9921ec0a71c0  operators_members.sql
        f761a72237cb885d8ac6f9df6ad0494b95d3e6775259a1e27e68dfae3841296d  operators_webhooks.sql
        8994026944d387772566dc69937ee1d6b05bb23a2ab349d233436e84b7fee48c  own_account_erasure.sql
        668c7444277f95f1ff1d4e8c5bb3c3b3a0fca2f0bc31453e913f3f02a77883d2  own_account_export.sql
        70f5bebda969799db9b26b4cb0ddd678a8855474b3ebd41d30e898b49f7a0183  passkeys.sql
        594cb76dfcd6dc9e358dd5f54b906f1dc09c4894e1d2ffadd833c34c7b239d87  passwords.sql
        4e428405c9461a5346ccbc985382c0f834ca1a59621b3fb43961f142a23f983e  preferences.sql
        9161bf54006fe035103d731d214da4d6eb792c1b905274a271d71e04ea54ff90  processes.sql
        c3c9e665a87c08bd3bbc9f210c953be21a6d191993a49e001461874391a05691  profiles.sql
        a4755831c997a537599b8dd983c9e0875a61691ec0a72b1689d9012ca26071b4  provider_tokens.sql
        75c1bad539e8f4ab0a33948b94d0cd990f6976c8647d74745a7fda3c37e74571  rate_limits.sql
        d95bfcdb1601c0c7d02baacd087cc00fbc75eb179d81b604989bf475a54b2ff4  refusals.sql
        3488331f9085c1cbbda14d5ca9edc9e988eecd32ae126f1242c4f20218232051  refused_invitations.sql
        807f5599f0037d3cb0ffb2eaa07afe14fee03096ebb85f9321151bb0c226b6b7  role_changes.sql
<<<<<<< HEAD
        b281d7244f762202509d888fde2c26a471e963fb93744a9465334dd569c1238e  sending_invitations.sql
        2a1a9aaf1beffb74d52b0ce6755a66bd7900ea609aac0954b1a5335c379caabf  servers.sql
=======
        b281d7244f762202509d888fde2c26a471e963fb93744a9465334dd569c1238e  sending_invitations.sql
        2a1a9aaf1beffb74d52b0ce6755a66bd7900ea609aac0954b1a5335c379caabf  servers.sql
>>>>>>> 324c0510
        4cb09c8080ffc6f6805e9fc49eb84ff1c88c51c9bc825ab767b43f058f9eec4e  sessions.sql
        c0426d09a5c39d2428cf4f050e292e858083579323c1749bc7197fdaa35c6555  barrier.sql
        2e67ecf95ddf3d62c094c71f30a8d96138b08a0c751a30a3167c5cb73e5bedda  conditional_reads.sql
        67fc0b97215bf67632b4e7e125800d35a7425e9abc74685593b1cfb960953fa9  page_tickets.sql
        c25b643a7ac9720c6bfd3a18656080ef2f8d544d46ea281137734af089a538b2  sign_ins_log.sql
        6e0fd7961f1777aa95655ab64317fbed1aecd1dc712f9c83a0d423e1c2eb0393  slots.sql
        97a29283b513354de54f1150cfbf7f396bab7406d77916ffe84bf5172f4fe21a  standbys.sql
<<<<<<< HEAD
        64725587c676d528c1af7d283bbbc61994ff7fa32327a4dd08cf38f91952b723  timestamps.sql
=======
        64725587c676d528c1af7d283bbbc61994ff7fa32327a4dd08cf38f91952b723  timestamps.sql
>>>>>>> 324c0510
        45a6fa55ab490e9aabdb32f5c6fa8ae10b919aa857458ca0e7a520c4bf9adb49  timestamps_ahead.sql
        375393069b6c8074452ce87ff4eac8ca5fef8a96fe9bd27157e021ed8e419ead  automatic_approval.sql
        90b509877896eaa884148d82c506f3929706dde62fed9e0b0ed655861609f52e  upkeep.sql
        f805a9727494dce7af5a23177fc7ad8c6eab7d54d4252176e43557c81f6faf16  upkeep_changes.sql
        d1d9911afc0317aad03577f57897c6c52ee3ba727f5734d6d79e3d0bd3de4ab6  webhook_delivery.sql
        b028acf9a9557b95a86dd91b6c396a057753e5257d73c52138538eb2df29b23d  webhook_events.sql
        """
}
