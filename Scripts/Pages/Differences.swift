// SPDX-License-Identifier: Apache-2.0

extension Difference {
    /// Every difference, in the order of Documentation/Compatibility.md.
    static let table: [Self] = calls + authentication + stores + objects + trust + keys + surroundings

    // swift-format-ignore
    private static let calls: [Self] = [
        .init(
            .matchLimitAll,
            at: "`SecItemUpdate` and `SecItemDelete` with `kSecMatchLimitAll`",
            ["SecItemUpdate", "SecItemDelete"],
            apple: "iOS: `errSecParam`; macOS: accepted",
            ours: "`kSecMatchLimitAll` is accepted; `kSecMatchLimitOne` and numbers are `errSecParam`, as on iOS",
            why: "these calls change or delete all matches by default, so the key changes nothing, and code written for macOS passes it",
            .matrix("the limit all")
        ),
        .init(
            .matchKeyAtAdd,
            at: "`SecItemAdd` with a match key or `kSecUseItemList`",
            ["SecItemAdd"],
            apple: "iOS: success, but nothing is stored; macOS: the key is ignored",
            ours: "`errSecParam`",
            why: "it is a bug that iOS returns success",
            .matrix("an unknown match key")
        ),
        .init(
            .allOrNothing,
            at: "`SecItemUpdate` of several items or of an identity, if one part fails",
            ["SecItemUpdate", "ItemChange+Update", "ItemChange+Identities"],
            apple: "some items may be changed",
            ours: "no item is changed",
            why: "an update is one transaction",
            Proof("IdentityChangeTests", "changes of two classes are atomic")
        ),
        .init(
            .identityDeletion,
            at: "`SecItemDelete` of identities, if there are certificates without keys or keys without certificates",
            ["SecItemDelete"],
            apple: "may delete the certificates before it fails because no key matches",
            ours: "`errSecItemNotFound`, and nothing is deleted",
            why: "a deletion is one transaction",
            Proof("IdentityChangeTests", "changes of two classes are atomic")
        ),
        .init(
            .unopenedDeletion,
            at: "`SecItemDelete` by an attribute without a digest, if an item that is locked or has an access control could match",
            ["SecItemDelete"],
            apple: "the item is deleted",
            ours: "`errSecInteractionNotAllowed`",
            why: "an attribute without a digest can be compared only after the item is decrypted; deleting without comparing it could delete another item",
            Proof("LockedDeletionTests", "a locked key is not deleted by an attribute whose digest is not stored")
        ),
        .init(
            .unopenedMiss,
            at: "`SecItemCopyMatching` and `SecItemUpdate` by a match key or an attribute without a digest, if an item that is locked or has an access control matches the rest of the query",
            ["SecItemCopyMatching", "SecItemUpdate"],
            apple: "`errSecItemNotFound` if that key or attribute does not match",
            ours: "`errSecInteractionNotAllowed`, or the user is asked, even if that match key or attribute does not match",
            why: "an attribute without a digest can be compared only after the item is decrypted. The store has digests of account, service, server, label, generic attribute, application label and application tag; of the class, type and sizes of a cryptographic key; and of a certificate's issuer, serial number, subject and key identifiers. If a query for a password or certificate names all unique attributes, one digest of them all is compared",
            Proof(
                "ClosedItemTests",
                "an attribute without a digest cannot exclude a locked item"
            )
        ),
        .init(
            .limitAfterFilters,
            at: "`kSecMatchLimit` with match keys",
            ["SecItemCopyMatching", "CertificateSearch"],
            apple: "the limit is applied before the match keys, so a match can be missed",
            ours: "the limit counts only items that satisfy the match keys",
            why: "a search for one item finds an item if any satisfies the match keys",
            Proof("CertificateReferenceTests", "the limit counts items that pass the match keys")
        ),
        .init(
            .trust,
            at: "`kSecMatchPolicy`, `kSecMatchTrustedOnly` (true), and evaluating a `SecTrust`",
            ["kSecMatchPolicy", "kSecMatchTrustedOnly", "SecTrustCreateWithCertificates"],
            apple: "certificates are evaluated",
            ours: "with the package trait `Trust`, certificates are evaluated; without the trait, `errSecUnimplemented` as soon as a certificate must be evaluated",
            why: "the evaluation requires swift-certificates, which most programs do not need",
            Proof("TrustMatchTests", "certificates are evaluated, or errSecUnimplemented without the trait")
        ),
        .init(
            .userInterface,
            at: "an item that requires authentication of the user",
            ["LAContext"],
            apple: "the system asks for a face, a finger or the passcode",
            ours: "`pinentry` asks for the passcode of the keychain; with the trait `Fingerprint`, `pinentry` tells the user to touch the sensor, and fprintd recognizes the finger",
            why: "Linux has no system service that asks. fprintd provides no cryptographic key, so an item that a finger opens is sealed under its class key, and this library enforces that a finger is recognized",
            Proof("PromptCountTests", "each call prompts as often as documented", row: "data")
        ),
        .init(
            .contextKeychain,
            at: "`LAContext`",
            ["LAContext"],
            apple: "authenticates the owner of the device",
            ours: "authenticates with the passcode of the keychain that the process uses by default",
            why: "here a passcode belongs to a keychain, not to the device",
            Proof("ContextTests", "an authenticated context opens items until it is invalidated")
        ),
    ]

    // swift-format-ignore
    private static let stores: [Self] = [
        .init(
            .damagedItem,
            at: "a damaged item that a search finds",
            ["SecItemCopyMatching"],
            apple: "the item is treated as absent, and deleted",
            ours: "`errSecDecode`; the item is left unchanged",
            why: "deleting unreadable data hides damage, and loses what a backup could repair",
            Proof("DamagedItemTests", "a damaged item is reported by a lookup and by a list")
        ),
        .init(
            .damagedIdentity,
            at: "`SecItemAdd` or `SecItemUpdate` of an item with the same unique attributes as a damaged one",
            ["SecItemAdd", "SecItemUpdate"],
            apple: "the damaged item is replaced",
            ours: "`errSecDuplicateItem`; `SecItemDelete` removes the damaged item if the query names every unique attribute, or only indexed attributes",
            why: "replacing a damaged item would lose what a backup could repair",
            Proof("DamagedItemTests", "a damaged item still counts for uniqueness")
        ),
        .init(
            .passcodeClass,
            at: "adding an item with `kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly` without a passcode",
            ["SecItemAdd"],
            apple: "`errSecAuthFailed` or `errSecNotAvailable`, depending on the version",
            ours: "`errSecAuthFailed`",
            why: "Apple's newest published source returns this status",
            Proof(
                "KeychainStoreTests.ProtectionClassTests",
                "adding an item of the passcode class fails without a passcode"
            )
        ),
        .init(
            .passcodeRemoval,
            at: "`SecItemDelete` of an item that needed the passcode, after the passcode was removed",
            ["SecItemDelete"],
            apple: "success: such items stay, although they cannot be opened, until they are deleted",
            ours: "`errSecItemNotFound`: the removal of the passcode has deleted the item",
            why: "no later passcode could open the item",
            Proof(
                "KeychainStoreTests.ConstrainedItemTests",
                "removing the passcode deletes items that cannot be opened any more"
            )
        ),
        .init(
            .autoLock,
            at: "the time-out after which the keychain locks by itself",
            ["setAutoLock"],
            apple: "macOS: the time-out counts from the last use",
            ours: "the time-out counts from the unlock",
            why: "the kernel removes the unlocked class keys at a time that is set when an unlock stores them",
            Proof(
                "KeyCacheTests",
                "automatic locking locks every process and keeps afterFirstUnlock classes open"
            )
        ),
        .init(
            .constraints,
            at: "an item whose `SecAccessControl` requires a biometric",
            ["SecAccessControlCreateWithFlags"],
            apple: "the item opens for the enrolled user; an item with `biometryCurrentSet` is lost once other biometrics are enrolled",
            ours: "with the trait `Fingerprint`, the item opens for a recognized finger; without the trait, it opens only if `or` also allows the passcode. An item with `biometryCurrentSet` is not found while other fingers are enrolled, and is found again when the first set is enrolled again",
            why: "fprintd reports the enrolled set only as names of fingers, and such a report should not destroy an item",
            Proof("KeychainFingerprintTests", "a biometryCurrentSet item is not found while other fingers are enrolled")
        ),
        .init(
            .changeDigest,
            at: "`kSecAttrSHA1`",
            ["kSecAttrSHA1"],
            apple: "a digest of the attributes and the value",
            ours: "20 bytes that change with every change of the item; two items with equal contents have different bytes",
            why: "the bytes are computed from the sealed item: a digest of the secret would allow guessing the secret",
            Proof("UpdateTests", "an empty update only changes the modification date")
        ),
        .init(
            .tokens,
            at: "`kSecAttrTokenID`",
            ["kSecAttrTokenID"],
            apple: "the item is in a token, such as the Secure Enclave",
            ours: "the attribute is an ordinary string, except for `kSecAttrTokenIDSecureEnclave` with a cryptographic key, which selects a key that the daemon keeps; keys in other tokens are `errSecUnimplemented`",
            why: "smart cards and other tokens are not supported",
            Proof("KeychainStoreTests.IdentityTests", "each attribute of the primary key makes an item different")
        ),
        .init(
            .otherReferences,
            at: "`kSecValuePersistentRef` with a persistent reference of Apple's older format (12 bytes), or with one to an item in a token",
            ["kSecValuePersistentRef"],
            apple: "finds the item",
            ours: "`errSecParam`",
            why: "this keychain never returned such references",
            .matrix("a legacy reference")
        ),
        .init(
            .appClips,
            at: "the private attribute of app clips",
            ["errSecRestrictedAPI"],
            apple: "`errSecRestrictedAPI` in an app clip",
            ours: "the attribute is `errSecParam` in every dictionary, as on iOS outside app clips",
            why: "Linux has no app clips",
            .matrix("the app clip attribute")
        ),
    ]

    // swift-format-ignore
    private static let objects: [Self] = [
        .init(
            .publicKeyIdentity,
            at: "a search for identities, if a public key that was added with `kSecValueRef` has a certificate",
            ["SecItemCopyMatching", "ItemSearch+Identities"],
            apple: "the pair is found as an identity, but the result has no object for it",
            ours: "the pair is not an identity",
            why: "an identity consists of a certificate and its private key",
            Proof("IdentityReferenceTests", "a stored public key forms no identity")
        ),
        .init(
            .certificateAttributes,
            at: "a search for identities by attributes that only certificates have",
            ["SecItemCopyMatching", "QueryDictionary+Identity"],
            apple: "a search by subject, public key hash, type or encoding fails with an error of the database",
            ours: "the search finds the identities whose certificates have these attributes",
            why: "Apple's error is a bug",
            Proof(
                "IdentityMatchTests",
                "certificate attributes apply to the certificate, all others to the key"
            )
        ),
        .init(
            .certificateBytes,
            at: "the result dictionary of an identity",
            ["SecItemCopyMatching"],
            apple: "has the certificate's bytes under a dictionary key that is not public",
            ours: "the certificate's bytes are only in the object under `kSecValueRef`",
            why: "no program can know a dictionary key that is not public",
            Proof(
                "IdentityMatchTests",
                "the dictionary of an identity combines the attributes of both parts"
            )
        ),
        .init(
            .certificateSize,
            at: "`SecCertificateCreateWithData` with more than 256 KiB",
            ["SecCertificateCreateWithData"],
            apple: "the certificate is parsed",
            ours: "`nil`",
            why: "untrusted input has size limits",
            Proof("HostileCertificateTests", "a certificate that is too large is rejected before it is parsed")
        ),
    ]

    // swift-format-ignore
    private static let trust: [Self] = [
        .init(
            .network,
            at: "evaluating a `SecTrust`",
            ["SecTrustCreateWithCertificates"],
            apple: "fetches missing intermediate certificates, and checks revocation online",
            ours: "intermediate certificates must be supplied, and nothing is fetched",
            why: "a keychain search opens no network connection",
            Proof("TrustTests", "there is no trusted chain without the intermediate certificate")
        ),
        .init(
            .unmarkedAnchors,
            at: "evaluating an anchor that is not marked as a certificate authority",
            ["SecTrustCreateWithCertificates"],
            apple: "trusted",
            ours: "not trusted",
            why: "swift-certificates, which evaluates chains here, accepts only anchors that are marked so",
            Proof("TrustTests", "only certificates that chain to an anchor are trusted")
        ),
        .init(
            .policies,
            at: "`SecPolicyCreateWithProperties` for mail, time stamps, code signing and so on",
            ["SecPolicyCreateWithProperties"],
            apple: "a policy is created",
            ours: "`nil`",
            why: "this package would never evaluate such a policy",
            Proof("PolicyTests", "an unknown policy identifier returns nil")
        ),
        .init(
            .revocation,
            at: "`SecPolicyCreateRevocation` with `kSecRevocationRequirePositiveResponse`, evaluated or as `kSecMatchPolicy`",
            ["SecPolicyCreateRevocation"],
            apple: "asks the certificate authority",
            ours: "the evaluation fails with `errSecIncompleteCertRevocationCheck`, and a search finds no certificate; without this flag, revocation is not checked",
            why: "no OCSP response or CRL is fetched, and a missing response is not a positive one",
            Proof("TrustExceptionTests", "a required revocation status is always unknown")
        ),
        .init(
            .exceptionBytes,
            at: "`SecTrustCopyExceptions`",
            ["SecTrustCopyExceptions"],
            apple: "a property list of failed checks with a digest of the certificate",
            ours: "bytes of another format, which include the certificate; neither platform reads the other's bytes",
            why: "Apple documents the bytes as opaque",
            Proof("TrustExceptionTests", "malformed exceptions are ignored")
        ),
        .init(
            .exceptionReasons,
            at: "`SecTrustCopyExceptions` for a certificate without a trusted chain",
            ["SecTrustCopyExceptions"],
            apple: "each failed check of each certificate is an exception of its own",
            ours: "one exception covers the missing chain, whatever the cause; host name, purpose and dates are exceptions of their own, for every host and every certificate of the chain",
            why: "swift-certificates reports the causes of a missing chain only as text",
            Proof("TrustTests", "all failures of a certificate are reported")
        ),
        .init(
            .trustResult,
            at: "`SecTrustCopyResult`",
            ["SecTrustCopyResult"],
            apple: "the dictionary also has extended validation, revocation, certificate transparency, and each check under a dictionary key that is not public",
            ours: "the dictionary has the result of the evaluation and its date",
            why: "nothing else is determined in an evaluation here",
            Proof("TrustExceptionTests", "SecTrustCopyResult returns the result and the verify date")
        ),
        .init(
            .identityKeychains,
            at: "`SecIdentityCreateWithCertificate` with an array of keychains",
            ["SecIdentityCreateWithCertificate"],
            apple: "macOS: searches these keychains",
            ours: "`errSecParam`; with `nil` instead of the array, searches the keychain of the process",
            why: "there are no file keychains",
            Proof("IdentityReferenceTests", "SecIdentityCreateWithCertificate finds the private key in the keychain")
        ),
        .init(
            .archives,
            at: "`SecPKCS12Import` of a file without a MAC",
            ["SecPKCS12Import"],
            apple: "refuses the file",
            ours: "reads the file if the passphrase decrypts it",
            why: "openssl writes such files",
            Proof("ReadTests", "a file contains the keys and certificates it was created from", row: "no authentication")
        ),
    ]

    // swift-format-ignore
    private static let keys: [Self] = [
        .init(
            .keySizes,
            at: "`SecKeyCreateWithData` with RSA keys below 1,024 or above 8,192 bits, P-192, P-224, Ed25519 or X25519",
            ["SecKeyCreateWithData"],
            apple: "accepts these keys",
            ours: "`errSecParam` for RSA keys below 1,024 or above 8,192 bits; `errSecUnimplemented` for P-192, P-224, Ed25519 and X25519",
            why: "swift-crypto lacks P-192 and P-224, and no `SecKeyAlgorithm` exists for Ed25519 or X25519",
            Proof("KeyCreationTests", "an unsupported curve is distinguished from a malformed point")
        ),
        .init(
            .newKeys,
            at: "`SecKeyCreateRandomKey` for RSA below 2,048 bits or not a multiple of 128, and for the Secure Enclave",
            ["SecKeyCreateRandomKey"],
            apple: "creates these keys",
            ours: "`errSecParam` for RSA keys below 2,048 bits or whose size is not a multiple of 128; a key for the Secure Enclave is a software key that the daemon keeps, and without the daemon `errSecUnimplemented`",
            why: "such RSA keys are too weak, and a software key must not pass for a hardware key",
            Proof("KeyCreationTests", "invalid parameters are rejected by both generation functions")
        ),
        .init(
            .pairs,
            at: "`SecKeyCreateRandomKey` if the second key of the new pair cannot be stored",
            ["SecKeyCreateRandomKey"],
            apple: "the first key stays stored",
            ours: "neither key is stored",
            why: "storing a key pair is one transaction",
            Proof("PermanentKeyTests", "if the second key cannot be stored, neither is")
        ),
        .init(
            .agreements,
            at: "`SecKeyCopyKeyExchangeResult` with a requested size of more than 1 MiB",
            ["SecKeyCopyKeyExchangeResult"],
            apple: "derives a result of that size",
            ours: "`errSecParam`",
            why: "sizes that a caller requests have limits",
            Proof("AgreementTests", "a secret of the maximum size is derived")
        ),
        .init(
            .algorithms,
            at: "algorithms that [Keys](Keys.md) lists as not offered",
            ["SecKeyAlgorithm+Names"],
            apple: "offered",
            ours: "`errSecUnimplemented`",
            why: "[Keys](Keys.md) gives the reason for each algorithm",
            Proof(
                "KeyOperationTests",
                "incompatible and unimplemented algorithms return different errors"
            )
        ),
    ]

    // swift-format-ignore
    private static let surroundings: [Self] = [
        .init(
            .messages,
            at: "`SecCopyErrorMessageString`",
            ["SecCopyErrorMessageString"],
            apple: "the message is in the user's language",
            ours: "the message is in English; for a status that only Apple's own modules return, it is the number of the status",
            why: "the messages are not translated",
            Proof("StatusTests", "each status has a constant and a message")
        ),
        .init(
            .appleShare,
            at: "`kSecClassAppleSharePassword`",
            ["kSecClassAppleSharePassword"],
            apple: "macOS: a class of file keychains",
            ours: "the constant exists, but every call with it returns `errSecNoSuchClass`",
            why: "Apple's data protection keychain returns the same status",
            .matrix("the AppleShare class")
        ),
        .init(
            .fileKeychains,
            at: "`kSecUseKeychain`",
            ["kSecUseKeychain"],
            apple: "macOS: the key selects a file keychain",
            ours: "the key is accepted and ignored",
            why: "there are no file keychains",
            .matrix("a file keychain")
        ),
        .init(
            .allocators,
            at: "`CFAllocator`",
            ["CFAllocator"],
            apple: "has several allocators",
            ours: "`nil` and `kCFAllocatorNull` are the only values",
            why: "Swift allocates the memory of all objects",
            Proof(
                "CoreFoundationTests",
                "the deallocator determines whether no-copy data frees its bytes"
            )
        ),
        .init(
            .importKeychain,
            at: "`SecItemImport` with a keychain",
            ["SecItemImport"],
            apple: "macOS: stores the items in the keychain",
            ours: "the function has no keychain to store in; pass the imported items to `SecItemAdd`",
            why: "there are no file keychains",
            Proof("ImportTests", "all output parameters are optional")
        ),
        .init(
            .importIdentities,
            at: "`SecItemImport` of a PKCS #12 archive",
            ["SecItemImport"],
            apple: "macOS: returns identities only if a keychain is passed",
            ours: "always returns identities",
            why: "here an identity that is not stored in a keychain can be used",
            Proof("PassphraseFileTests", "an archive from openssl is an identity and a chain")
        ),
        .init(
            .importAccess,
            at: "`SecItemImportExportKeyParameters`",
            ["SecItemImportExportKeyParameters"],
            apple: "macOS: the structure has a field for a `SecAccess`",
            ours: "the structure has no such field",
            why: "a `SecAccess` is a list of trusted programs of a file keychain, and there are no file keychains",
            Proof("ImportTests", "a passphrase is a string or data")
        ),
        .init(
            .typeNumbers,
            at: "`CFTypeID`",
            ["CFTypeID"],
            apple: "the type IDs of the `Sec` types vary from run to run",
            ours: "the type IDs are the same in every run",
            why: "the type IDs are constants: Linux has no registry of CoreFoundation types",
            Proof("CoreFoundationTests", "every type has a unique type ID")
        ),
        .init(
            .halfPairs,
            at: "`CFString` with half of a surrogate pair",
            ["CFString"],
            apple: "the half is kept",
            ours: "the half is replaced by U+FFFD when the string is created, so two names that differ only in such a half are equal",
            why: "Foundation on Linux replaces the half before the keychain sees the string",
            Proof("HostileDictionaryTests", "an unpaired surrogate is replaced by Foundation and the item stays findable")
        ),
        .init(
            .ignoredMembers,
            at: "`SecItemCopyMatching` with a collection under an ignored key",
            ["SecItemCopyMatching"],
            apple: "the collection may have any size",
            ours: "`errSecParam` if the collection has more than 10,000 members, counted over all levels",
            why: "reading a collection that contains itself would never end",
            Proof("HostileDictionaryTests", "an ignored value may have ten thousand members")
        ),
        .init(
            .booleans,
            at: "`CFBoolean`",
            ["CFBoolean"],
            apple: "a type of its own",
            ours: "an alias of `NSNumber`, like `CFNumber`: a program that extends both types with the same member or conformance does not compile; `kCFBooleanTrue` and `kCFBooleanFalse` are Booleans",
            why: "with a type of its own, `true as CFBoolean` would not compile, and `as! CFBoolean` would trap on a Boolean in a result",
            Proof("EffectTests", "Booleans, numbers and data are bridged in both directions")
        ),
    ]
}
