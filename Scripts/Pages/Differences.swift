// SPDX-License-Identifier: Apache-2.0

extension Difference {
    /// Every difference, in the order of the page.
    static let table: [Self] = calls + authentication + stores + objects + trust + keys + surroundings

    // swift-format-ignore
    private static let calls: [Self] = [
        .init(
            .matchLimitAll,
            at: "`SecItemUpdate` and `SecItemDelete` with `kSecMatchLimitAll`",
            ["SecItemUpdate", "SecItemDelete"],
            apple: "iOS: `errSecParam`; macOS: accepted",
            ours: "accepted; `kSecMatchLimitOne` and numbers are `errSecParam`, as on iOS",
            why: "`kSecMatchLimitAll` is what these calls do by default, and code written for macOS states it",
            .matrix("the limit all")
        ),
        .init(
            .matchKeyAtAdd,
            at: "`SecItemAdd` with a match key or `kSecUseItemList`",
            ["SecItemAdd"],
            apple: "iOS: success, but nothing is stored; macOS: ignored",
            ours: "`errSecParam`",
            why: "the success of iOS is a bug",
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
            apple: "may delete the certificates and then fail because it finds no keys",
            ours: "`errSecItemNotFound`, and nothing is deleted",
            why: "a deletion is one transaction",
            Proof("IdentityChangeTests", "changes of two classes are atomic")
        ),
        .init(
            .unopenedDeletion,
            at: "`SecItemDelete` of an item that is locked or has an access control, by an attribute without a digest",
            ["SecItemDelete"],
            apple: "deleted",
            ours: "`errSecInteractionNotAllowed`, or the user is asked",
            why: "such attributes can be read only by decrypting the item; deleting without reading could delete another item",
            Proof("LockedDeletionTests", "a locked key is not deleted by an attribute without a digest")
        ),
        .init(
            .unopenedMiss,
            at: "`SecItemCopyMatching` and `SecItemUpdate` by a match key, or by an attribute without a digest, if a locked or constrained item matches otherwise",
            ["SecItemCopyMatching", "SecItemUpdate"],
            apple: "`errSecItemNotFound` if that attribute does not match",
            ours: "`errSecInteractionNotAllowed`, or the user is asked, whether or not that attribute matches",
            why: "such attributes can be read only by decrypting the item. Digests exist of account, service, server, label, generic attribute, application label and tag; of a key's class, type and sizes; and of a certificate's issuer, serial number, subject and key identifiers. The other unique attributes of a password or certificate are compared if the query names all unique ones",
            Proof(
                "ClosedItemTests",
                "an attribute without a digest cannot exclude a locked item"
            )
        ),
        .init(
            .limitAfterFilters,
            at: "`kSecMatchLimit` with match keys",
            ["SecItemCopyMatching", "CertificateSearch"],
            apple: "the limit is applied before the match keys, so a search can miss a match",
            ours: "the limit counts items that pass the match keys",
            why: "a search for one item should find a matching item if there is one",
            Proof("CertificateReferenceTests", "the limit counts items that pass the match keys")
        ),
        .init(
            .trust,
            at: "`kSecMatchPolicy`, `kSecMatchTrustedOnly` (true), and evaluating a `SecTrust`",
            ["kSecMatchPolicy", "kSecMatchTrustedOnly", "SecTrustCreateWithCertificates"],
            apple: "certificates are evaluated",
            ours: "evaluated with the package trait `Trust`; without it `errSecUnimplemented` as soon as a certificate must be evaluated",
            why: "evaluation requires the library swift-certificates, which most programs do not need",
            Proof("TrustMatchTests", "certificates are evaluated, or errSecUnimplemented without the trait")
        ),
        .init(
            .userInterface,
            at: "an item that requires the user",
            ["LAContext"],
            apple: "the system asks for a face, a finger or the passcode",
            ours: "`pinentry` asks for the passcode of the keychain; with the trait `Fingerprint` it announces that a finger is needed, and fprintd recognizes it",
            why: "fprintd confirms the finger but provides no key. An item that a finger opens is sealed under its class key, and this library requires the finger",
            Proof("PromptCountTests", "each call prompts as often as documented", row: "data")
        ),
        .init(
            .contextKeychain,
            at: "`LAContext`",
            ["LAContext"],
            apple: "authenticates the owner of the device",
            ours: "authenticates with the passcode of the keychain that the process uses by default",
            why: "here a passcode belongs to a keychain, not to a device",
            Proof("ContextTests", "an authenticated context opens items until it is invalidated")
        ),
    ]

    // swift-format-ignore
    private static let stores: [Self] = [
        .init(
            .damagedItem,
            at: "a damaged item that a search finds",
            ["SecItemCopyMatching"],
            apple: "treated as absent, and deleted",
            ours: "`errSecDecode`; the item is left unchanged",
            why: "deleting unreadable data hides damage, and loses what a backup could repair",
            Proof("DamagedItemTests", "a damaged item is reported by a lookup and by a list")
        ),
        .init(
            .damagedIdentity,
            at: "`SecItemAdd` or `SecItemUpdate` of an item with the same unique attributes as a damaged one",
            ["SecItemAdd", "SecItemUpdate"],
            apple: "replaces it",
            ours: "`errSecDuplicateItem`; `SecItemDelete` removes a damaged item if the query names every unique attribute, or only indexed ones",
            why: "as above",
            Proof("DamagedItemTests", "a damaged item still counts for uniqueness")
        ),
        .init(
            .passcodeClass,
            at: "adding an item with `kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly` without a passcode",
            ["SecItemAdd"],
            apple: "`errSecAuthFailed` or `errSecNotAvailable`, depending on the version",
            ours: "`errSecAuthFailed`",
            why: "this is what the newest published source of Apple returns",
            Proof(
                "KeychainStoreTests.ProtectionClassTests",
                "adding an item of the passcode class fails without a passcode"
            )
        ),
        .init(
            .passcodeRemoval,
            at: "`SecItemDelete` of an item that needed the passcode, after the passcode was removed",
            ["SecItemDelete"],
            apple: "success, because items that cannot be decrypted stay in the database until they are deleted",
            ours: "`errSecItemNotFound`: removing the passcode deletes the item",
            why: "no passcode could ever decrypt the item again",
            Proof(
                "KeychainStoreTests.ConstrainedItemTests",
                "removing the passcode deletes items that cannot be opened any more"
            )
        ),
        .init(
            .autoLock,
            at: "the time after which the keychain locks by itself",
            ["setAutoLock"],
            apple: "macOS: counts from the last use",
            ours: "counts from the unlock",
            why: "the kernel removes the keys at a time that is set when they are stored",
            Proof(
                "KeyCacheTests",
                "automatic locking locks every process and keeps afterFirstUnlock classes open"
            )
        ),
        .init(
            .constraints,
            at: "an item whose `SecAccessControl` requires a biometric",
            ["SecAccessControlCreateWithFlags"],
            apple: "opens for the enrolled user; with `biometryCurrentSet` it is lost once the enrolled fingers or faces change",
            ours: "opens for a finger with the trait `Fingerprint`; without the trait only if `or` also allows the passcode. With `biometryCurrentSet` it is hidden while other fingers are enrolled, and found again once the original fingers are enrolled again",
            why: "the fingerprint service reports only the names of the enrolled fingers, and such a report should not destroy an item",
            Proof("KeychainFingerprintTests", "a biometryCurrentSet item is not found while other fingers are enrolled")
        ),
        .init(
            .changeDigest,
            at: "`kSecAttrSHA1`",
            ["kSecAttrSHA1"],
            apple: "a digest of attributes and value",
            ours: "20 bytes that change with every change of the item, and differ between equal items",
            why: "computed from the encrypted item: with a digest of the secret, an attacker could check guesses",
            Proof("UpdateTests", "an empty update only changes the modification date")
        ),
        .init(
            .tokens,
            at: "`kSecAttrTokenID`",
            ["kSecAttrTokenID"],
            apple: "the item is in a token, such as the Secure Enclave",
            ours: "an ordinary string attribute; using keys of a token is `errSecUnimplemented`",
            why: "there are no tokens",
            Proof("KeychainStoreTests.IdentityTests", "each attribute of the primary key makes an item different")
        ),
        .init(
            .otherReferences,
            at: "`kSecValuePersistentRef` with an older reference of 12 bytes, or with that of a token",
            ["kSecValuePersistentRef"],
            apple: "finds the item",
            ours: "`errSecParam`",
            why: "this keychain never returned such references",
            .matrix("a legacy reference")
        ),
        .init(
            .appClips,
            at: "app clips",
            ["errSecRestrictedAPI"],
            apple: "some calls of an app clip return `errSecRestrictedAPI`",
            ours: "there are no app clips; their private attribute `clip` is `errSecParam` in every dictionary, as on iOS",
            why: "Linux has no equivalent",
            .matrix("the app clip attribute")
        ),
    ]

    // swift-format-ignore
    private static let objects: [Self] = [
        .init(
            .publicKeyIdentity,
            at: "a public key that was added with `kSecValueRef`, and its certificate",
            ["SecItemCopyMatching", "ItemSearch+Identities"],
            apple: "a search for identities finds them, but returns no object",
            ours: "they are no identity",
            why: "an identity has a private key",
            Proof("IdentityReferenceTests", "a stored public key forms no identity")
        ),
        .init(
            .certificateAttributes,
            at: "a search for identities by attributes that only certificates have",
            ["SecItemCopyMatching", "QueryDictionary+Identity"],
            apple: "fails with an error of the database for subject, public key hash, certificate type and encoding",
            ours: "finds the identities whose certificates have these attributes",
            why: "the error is a bug",
            Proof(
                "IdentityMatchTests",
                "certificate attributes apply to the certificate, all others to the key"
            )
        ),
        .init(
            .certificateBytes,
            at: "the dictionary of an identity",
            ["SecItemCopyMatching"],
            apple: "has the certificate's bytes under an undocumented dictionary key",
            ours: "has the certificate's bytes only in the object under `kSecValueRef`",
            why: "programs cannot rely on an undocumented key",
            Proof(
                "IdentityMatchTests",
                "the dictionary of an identity combines the attributes of both parts"
            )
        ),
        .init(
            .certificateSize,
            at: "`SecCertificateCreateWithData` with more than 256 KiB",
            ["SecCertificateCreateWithData"],
            apple: "parses it",
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
            apple: "fetches missing intermediates, and checks revocation online",
            ours: "intermediates must be supplied, and nothing is fetched",
            why: "a keychain search opens no network connection",
            Proof("TrustTests", "there is no trusted chain without the intermediate certificate")
        ),
        .init(
            .unmarkedAnchors,
            at: "evaluating an anchor that is not marked as a certificate authority",
            ["SecTrustCreateWithCertificates"],
            apple: "trusted",
            ours: "not trusted",
            why: "swift-certificates requires the mark",
            Proof("TrustTests", "only certificates that chain to an anchor are trusted")
        ),
        .init(
            .policies,
            at: "`SecPolicyCreateWithProperties` for mail, time stamps, code signing and so on",
            ["SecPolicyCreateWithProperties"],
            apple: "creates a policy",
            ours: "`nil`",
            why: "this package would never evaluate such a policy",
            Proof("PolicyTests", "an unknown policy identifier returns nil")
        ),
        .init(
            .revocation,
            at: "`SecPolicyCreateRevocation` with `kSecRevocationRequirePositiveResponse`, evaluated or as `kSecMatchPolicy`",
            ["SecPolicyCreateRevocation"],
            apple: "asks the certificate authority",
            ours: "`errSecIncompleteCertRevocationCheck`, and a search finds no certificate; without the flag, revocation is not checked",
            why: "no OCSP response or CRL is fetched, and a missing response is not a positive one",
            Proof("TrustExceptionTests", "a required revocation status is always unknown")
        ),
        .init(
            .exceptionBytes,
            at: "`SecTrustCopyExceptions`",
            ["SecTrustCopyExceptions"],
            apple: "a property list of failed checks with a digest of the certificate",
            ours: "bytes in another format, which include the certificate; neither platform reads the bytes of the other",
            why: "Apple documents the bytes as opaque",
            Proof("TrustExceptionTests", "malformed exceptions are ignored")
        ),
        .init(
            .exceptionReasons,
            at: "`SecTrustCopyExceptions` for a certificate without a trusted chain",
            ["SecTrustCopyExceptions"],
            apple: "each failed check of each certificate is an exception of its own",
            ours: "one exception covers the missing chain, whatever the cause; host name, purpose and dates are exceptions of their own, for every host and every certificate of the chain",
            why: "swift-certificates reports causes only as text",
            Proof("TrustTests", "all failures of a certificate are reported")
        ),
        .init(
            .trustResult,
            at: "`SecTrustCopyResult`",
            ["SecTrustCopyResult"],
            apple: "also contains extended validation, revocation, certificate transparency, and each check under an undocumented key",
            ours: "contains the result and its date",
            why: "the evaluation determines nothing else",
            Proof("TrustExceptionTests", "the result contains the result type and date")
        ),
        .init(
            .identityKeychains,
            at: "`SecIdentityCreateWithCertificate` with keychains",
            ["SecIdentityCreateWithCertificate"],
            apple: "macOS: searches these keychains for the private key",
            ours: "`errSecParam`; with `nil` it searches the keychain",
            why: "there are no file keychains",
            Proof("IdentityReferenceTests", "SecIdentityCreateWithCertificate finds the private key in the keychain")
        ),
        .init(
            .archives,
            at: "`SecPKCS12Import` of a file without a MAC",
            ["SecPKCS12Import"],
            apple: "refuses it",
            ours: "reads it if the passphrase decrypts the file",
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
            apple: "accepts them",
            ours: "`errSecParam` for RSA, `errSecUnimplemented` for the other types",
            why: "swift-crypto lacks P-192 and P-224, and no `SecKeyAlgorithm` is for Ed25519 or X25519",
            Proof("KeyCreationTests", "an unsupported curve is distinguished from a malformed point")
        ),
        .init(
            .newKeys,
            at: "`SecKeyCreateRandomKey` for RSA below 2,048 bits or not a multiple of 128, and for the Secure Enclave",
            ["SecKeyCreateRandomKey"],
            apple: "creates them",
            ours: "`errSecParam` for RSA, `errSecUnimplemented` for the Secure Enclave",
            why: "such RSA keys are too weak, and a software key must not pass for a hardware key",
            Proof("KeyCreationTests", "invalid parameters are rejected by both generation functions")
        ),
        .init(
            .pairs,
            at: "`SecKeyCreateRandomKey` if the second key of the pair cannot be stored",
            ["SecKeyCreateRandomKey"],
            apple: "the first key stays in the keychain",
            ours: "neither key is stored",
            why: "storing a pair is one transaction",
            Proof("PermanentKeyTests", "if the second key cannot be stored, neither is")
        ),
        .init(
            .agreements,
            at: "`SecKeyCopyKeyExchangeResult` of more than 1 MiB",
            ["SecKeyCopyKeyExchangeResult"],
            apple: "derives it",
            ours: "`errSecParam`",
            why: "sizes from callers have limits",
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
            apple: "in the user's language",
            ours: "in English; for statuses that only Apple's own modules return, just the number",
            why: "there are no translations",
            Proof("StatusTests", "each status has a constant and a message")
        ),
        .init(
            .appleShare,
            at: "`kSecClassAppleSharePassword`",
            ["kSecClassAppleSharePassword"],
            apple: "macOS: a class of file keychains",
            ours: "the constant exists, but every call with it returns `errSecNoSuchClass`",
            why: "the data protection keychain of macOS returns this status, too",
            .matrix("the AppleShare class")
        ),
        .init(
            .fileKeychains,
            at: "`kSecUseKeychain`",
            ["kSecUseKeychain"],
            apple: "macOS: selects a file keychain",
            ours: "accepted and ignored",
            why: "there are no file keychains",
            .matrix("a file keychain")
        ),
        .init(
            .allocators,
            at: "`CFAllocator`",
            ["CFAllocator"],
            apple: "several allocators",
            ours: "`nil` and `kCFAllocatorNull` are the only values",
            why: "the memory of Swift objects is always allocated by Swift",
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
            why: "here an identity needs no keychain",
            Proof("PassphraseFileTests", "an archive from openssl is an identity and a chain")
        ),
        .init(
            .importAccess,
            at: "`SecItemImportExportKeyParameters`",
            ["SecItemImportExportKeyParameters"],
            apple: "macOS: has a member with a `SecAccess` reference",
            ours: "has no such member",
            why: "`SecAccess` lists trusted programs, which only file keychains have",
            Proof("ImportTests", "a passphrase is a string or data")
        ),
        .init(
            .typeNumbers,
            at: "`CFTypeID`",
            ["CFTypeID"],
            apple: "the numbers of the `Sec` types vary from run to run",
            ours: "the numbers are the same in every run",
            why: "there is no type registry",
            Proof("CoreFoundationTests", "every type has a unique type ID")
        ),
        .init(
            .halfPairs,
            at: "`CFString` with half of a surrogate pair",
            ["CFString"],
            apple: "keeps the half",
            ours: "the half is replaced by U+FFFD when the string is created, so strings that differ only in such halves are equal",
            why: "Foundation on Linux replaces it before the keychain sees it",
            Proof("HostileDictionaryTests", "an unpaired surrogate is replaced by Foundation and the item stays findable")
        ),
        .init(
            .ignoredMembers,
            at: "`SecItemCopyMatching` with a collection under an ignored key",
            ["SecItemCopyMatching"],
            apple: "accepts a collection of any size",
            ours: "`errSecParam` if it has more than 10,000 members, counted over all levels",
            why: "a collection that contains itself has no end, and the call must not crash",
            Proof("HostileDictionaryTests", "an ignored value may have ten thousand members")
        ),
        .init(
            .booleans,
            at: "`CFBoolean`",
            ["CFBoolean"],
            apple: "a type of its own",
            ours: "`NSNumber`, like `CFNumber`, so extending both with the same member or conformance does not compile; `kCFBooleanTrue` and `kCFBooleanFalse` are Booleans",
            why: "with a type of its own, `true as CFBoolean` would not compile, and `as! CFBoolean` would trap on a Boolean of a result",
            Proof("EffectTests", "Booleans and numbers, bridged in both directions")
        ),
    ]
}
