// SPDX-License-Identifier: Apache-2.0

extension Difference {
    /// Every difference, in the order of the page.
    static let table: [Self] = calls + authentication + stores + objects + trust + keys + surroundings

    private static let calls: [Self] = [
        .init(
            .matchLimitAll,
            at: "`SecItemUpdate`, `SecItemDelete` with `kSecMatchLimitAll` in the query",
            ["SecItemUpdate", "SecItemDelete"],
            apple: "iOS: `errSecParam`; macOS: accepted",
            ours: "accepted; `kSecMatchLimitOne` and numbers are `errSecParam`, as on iOS",
            why:
                "it is their default, and code written for macOS says it; nobody who writes \"one\" means \"all\"",
            .matrix("the limit all")
        ),
        .init(
            .matchKeyAtAdd,
            at: "`SecItemAdd` with a match key or `kSecUseItemList`",
            ["SecItemAdd"],
            apple: "iOS: success, and nothing is stored; macOS: ignored",
            ours: "`errSecParam`",
            why: "that success is a bug",
            .matrix("an unknown match key")
        ),
        .init(
            .allOrNothing,
            at: "`SecItemUpdate` of several items or of an identity, one part of which fails",
            ["SecItemUpdate", "ItemChange+Update", "ItemChange+Identities"],
            apple: "some may be changed",
            ours: "none is changed",
            why: "all or nothing",
            Proof("IdentityChangeTests", "changes of two classes are all or nothing")
        ),
        .init(
            .identityDeletion,
            at:
                "`SecItemDelete` of the class identity where there are certificates and no keys, or keys alone",
            ["SecItemDelete"],
            apple: "certificates may be deleted before the keys are missed",
            ours: "`errSecItemNotFound`, and nothing is deleted",
            why: "all or nothing",
            Proof("IdentityChangeTests", "changes of two classes are all or nothing")
        ),
        .init(
            .unopenedDeletion,
            at:
                "`SecItemDelete` of an item that is locked or has an access control, by an attribute without a digest",
            ["SecItemDelete"],
            apple: "deleted",
            ours: "`errSecInteractionNotAllowed`, or the user is asked",
            why: "such attributes are readable only with the item: to delete it unread could delete another",
            Proof("LockedDeletionTests", "a locked key is not deleted by an attribute without a digest")
        ),
        .init(
            .unopenedMiss,
            at:
                "`SecItemCopyMatching`, `SecItemUpdate` by an attribute without a digest or a match key, where a locked "
                + "or constrained item matches in all else. Digests are kept of the account, service, server, label, generic attribute, "
                + "application label and tag, of a key's class, type and sizes, and of a certificate's issuer, serial number, subject and key identifiers; "
                + "the other unique attributes of a password or certificate are compared if the query names all unique ones",
            ["SecItemCopyMatching", "SecItemUpdate"],
            apple: "`errSecItemNotFound` if that attribute does not match",
            ours: "`errSecInteractionNotAllowed`, or the user is asked, whether or not it matches",
            why: "such attributes are readable only with the item",
            Proof(
                "ClosedItemTests",
                "an attribute without a digest does not tell a miss from a hit while it is locked"
            )
        ),
        .init(
            .limitAfterFilters,
            at: "`kSecMatchLimit` together with match keys",
            ["SecItemCopyMatching", "CertificateSearch"],
            apple: "the limit first, so that a match can be missed",
            ours: "the limit counts what passes the match keys",
            why: "a search for one finds one if there is one",
            Proof("CertificateReferenceTests", "a limit counts what passes the match keys")
        ),
        .init(
            .trust,
            at:
                "`kSecMatchPolicy`, `kSecMatchTrustedOnly` when it is true, and the evaluation of a `SecTrust`",
            ["kSecMatchPolicy", "kSecMatchTrustedOnly", "SecTrustCreateWithCertificates"],
            apple: "certificates are judged",
            ours:
                "with the package trait `Trust` they are; without it `errSecUnimplemented` once one has to be",
            why: "judging them takes a library that most programs do without",
            Proof("TrustMatchTests", "a certificate is judged, or the status says that nobody can")
        ),
        .init(
            .userInterface,
            at: "an item that demands the user",
            ["LAContext"],
            apple: "the system asks for a face, a finger or the passcode",
            ours:
                "`pinentry` asks for the passcode of the keychain; with the trait `Fingerprint` it tells that a finger is wanted, and fprintd recognizes it",
            why:
                "fprintd says that it was the right finger, and has no key to give: what a finger opens is sealed under its class, and this library demands the finger",
            Proof("PromptCountTests", "each call asks as often as it says", row: "data")
        ),
        .init(
            .contextKeychain,
            at: "`LAContext`",
            ["LAContext"],
            apple: "proves that the owner of the device is there",
            ours: "proves the passcode of the keychain that the process uses by default",
            why: "a passcode belongs to a keychain here",
            Proof("ContextTests", "a context that has authenticated opens items until it is invalidated")
        ),
    ]

    private static let stores: [Self] = [
        .init(
            .damagedItem,
            at: "a damaged item that a search meets",
            ["SecItemCopyMatching"],
            apple: "treated as absent, and deleted",
            ours: "`errSecDecode`; the item stays as it is",
            why: "a store that deletes what it cannot read hides damage and loses what a backup could mend",
            Proof("DamagedItemTests", "a damaged item is reported to who names it and to who lists")
        ),
        .init(
            .damagedIdentity,
            at: "`SecItemAdd` or `SecItemUpdate` of an item that is unique in the same way as a damaged one",
            ["SecItemAdd", "SecItemUpdate"],
            apple: "replaces it",
            ours:
                "`errSecDuplicateItem`; `SecItemDelete` removes a damaged item if the query names every unique "
                + "attribute, or nothing but indexed ones",
            why: "as above",
            Proof("DamagedItemTests", "a damaged item is still the one that is unique as it is")
        ),
        .init(
            .passcodeClass,
            at: "an item with `kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly` while no passcode is set",
            ["SecItemAdd"],
            apple: "`errSecAuthFailed` or `errSecNotAvailable`, by version",
            ours: "`errSecAuthFailed`",
            why: "what the newest source says",
            Proof(
                "KeychainStoreTests.ProtectionClassTests",
                "without a passcode no item of its class can be stored"
            )
        ),
        .init(
            .passcodeRemoval,
            at: "`SecItemDelete` of an item that needed the passcode, after the passcode was removed",
            ["SecItemDelete"],
            apple: "success: what nothing opens any more stays until it is deleted",
            ours: "`errSecItemNotFound`: removing the passcode deletes the item",
            why: "nothing opens it any more, with whatever passcode",
            Proof(
                "KeychainStoreTests.ConstrainedItemTests",
                "removing the passcode purges what nothing opens any more"
            )
        ),
        .init(
            .autoLock,
            at: "the time after which the keychain locks by itself",
            ["setAutoLock"],
            apple: "macOS: counts from the last use",
            ours: "counts from the unlock",
            why: "the kernel takes the keys away at a time that is fixed when they are put there",
            Proof(
                "KeyCacheTests",
                "a time-out locks every process and leaves what needs the first unlock alone"
            )
        ),
        .init(
            .constraints,
            at: "an item whose `SecAccessControl` demands a biometric",
            ["SecAccessControlCreateWithFlags"],
            apple: "opens for who is enrolled; with `biometryCurrentSet` it is gone once others are",
            ours:
                "opens for a finger with the trait `Fingerprint`, and without it only if `or` allows the passcode instead; with `biometryCurrentSet` it is not there while others are enrolled, and is again when those are",
            why:
                "the enrolled are known by the names of their fingers: no word of the sensor's service destroys an item",
            Proof("KeychainFingerprintTests", "an item of those enrolled is not there while others are")
        ),
        .init(
            .changeDigest,
            at: "`kSecAttrSHA1`",
            ["kSecAttrSHA1"],
            apple: "a digest of the attributes and the value",
            ours: "20 bytes that change with every change of the item; equal items have different ones",
            why: "it is made of what is sealed: a digest of the secret would let it be guessed",
            Proof("UpdateTests", "an empty update only touches the modification date")
        ),
        .init(
            .tokens,
            at: "`kSecAttrTokenID`",
            ["kSecAttrTokenID"],
            apple: "the item is in a token, such as the Secure Enclave",
            ours: "a string like any other; keys of a token are `errSecUnimplemented`",
            why: "there are no tokens",
            Proof("KeychainStoreTests.IdentityTests", "each unique attribute makes another item")
        ),
        .init(
            .otherReferences,
            at:
                "`kSecValuePersistentRef` with one of the older references, of 12 bytes, or with that of a token",
            ["kSecValuePersistentRef"],
            apple: "finds the item",
            ours: "`errSecParam`",
            why: "this keychain never gave any",
            .matrix("a legacy reference")
        ),
        .init(
            .appClips,
            at: "app clips",
            ["errSecRestrictedAPI"],
            apple: "may do less: `errSecRestrictedAPI`",
            ours: "there are none; their private mark is `errSecParam` in every dictionary, as on iOS",
            why: "nothing of the kind on Linux",
            .matrix("the mark of app clips")
        ),
    ]

    private static let objects: [Self] = [
        .init(
            .publicKeyIdentity,
            at: "a public key that was added with `kSecValueRef`, and a certificate of it",
            ["SecItemCopyMatching", "ItemSearch+Identities"],
            apple: "found as an identity for which there is no object",
            ours: "no identity",
            why: "an identity has a private key",
            Proof("IdentityReferenceTests", "a public key that was stored by reference makes no identity")
        ),
        .init(
            .certificateAttributes,
            at: "a search for identities by attributes that only certificates have",
            ["SecItemCopyMatching", "QueryDictionary+Identity"],
            apple: "for subject, public key hash, type and encoding an error of the store",
            ours: "finds the identities whose certificates have them",
            why: "that error is a bug",
            Proof(
                "IdentityMatchTests",
                "attributes of the certificate ask the certificate, all others the key"
            )
        ),
        .init(
            .certificateBytes,
            at: "the dictionary of an identity",
            ["SecItemCopyMatching"],
            apple: "has the bytes of the certificate under a private name",
            ours: "has them in the object under `kSecValueRef` alone",
            why: "no program can know the name",
            Proof(
                "IdentityMatchTests",
                "the dictionary of an identity has attributes of both halves and no name of its own"
            )
        ),
        .init(
            .certificateSize,
            at: "`SecCertificateCreateWithData` with more than 256 KiB",
            ["SecCertificateCreateWithData"],
            apple: "reads what there is",
            ours: "`nil`",
            why: "bytes from outside are bounded",
            Proof("HostileCertificateTests", "what is too large is refused before it is read")
        ),
    ]

    private static let trust: [Self] = [
        .init(
            .network,
            at: "`SecTrustCreateWithCertificates`, evaluated",
            ["SecTrustCreateWithCertificates"],
            apple: "missing certificates are fetched, and revocation is asked about",
            ours: "the certificates between must be given, and nothing is asked",
            why: "a search in a keychain opens no connection",
            Proof("TrustTests", "without the certificate between there is no way")
        ),
        .init(
            .unmarkedAnchors,
            at: "an anchor that is not marked as an authority, evaluated itself",
            ["SecTrustCreateWithCertificates"],
            apple: "trusted",
            ours: "not trusted",
            why: "swift-certificates judges so",
            Proof("TrustTests", "only anchors are trusted")
        ),
        .init(
            .policies,
            at: "`SecPolicyCreateWithProperties` for mail, time stamps, code and so on",
            ["SecPolicyCreateWithProperties"],
            apple: "makes a policy",
            ours: "`nil`",
            why: "there is nothing that would apply them",
            Proof("PolicyTests", "a policy that nobody knows")
        ),
        .init(
            .revocation,
            at:
                "`SecPolicyCreateRevocation` with `kSecRevocationRequirePositiveResponse`, evaluated, or given as `kSecMatchPolicy`",
            ["SecPolicyCreateRevocation"],
            apple: "asks the authority",
            ours:
                "`errSecIncompleteCertRevocationCheck`, and a search finds no certificate; without that flag revocation is left aside",
            why: "nothing is fetched, and what nobody said is not taken as said",
            Proof("TrustExceptionTests", "nobody answers whether something was revoked")
        ),
        .init(
            .exceptionBytes,
            at: "`SecTrustCopyExceptions`",
            ["SecTrustCopyExceptions"],
            apple: "a property list of failed checks with a digest of the certificate",
            ours: "other bytes, with the certificate itself; neither reads the other's",
            why: "the bytes are opaque",
            Proof("TrustExceptionTests", "bytes that are no exceptions forgive nothing")
        ),
        .init(
            .exceptionReasons,
            at: "`SecTrustCopyExceptions` of a certificate from which no way leads to an anchor",
            ["SecTrustCopyExceptions"],
            apple: "each check that failed on each certificate is forgiven by itself",
            ours:
                "that there is no way is forgiven, for whatever reason; name, purpose and dates by themselves, for every host, and for whichever certificate on the way has them",
            why: "swift-certificates says why in sentences alone",
            Proof("TrustTests", "everything that is against a certificate")
        ),
        .init(
            .trustResult,
            at: "`SecTrustCopyResult`",
            ["SecTrustCopyResult"],
            apple:
                "tells also of extended validation, revocation and public logs, and under a private key of each check",
            ours: "the answer and its date",
            why: "nothing else is found out",
            Proof("TrustExceptionTests", "the result has the answer and its date")
        ),
        .init(
            .identityKeychains,
            at: "`SecIdentityCreateWithCertificate` with keychains",
            ["SecIdentityCreateWithCertificate"],
            apple: "macOS: searches them",
            ours: "`errSecParam`; `nil` searches the keychain",
            why: "there are no file keychains",
            Proof("IdentityReferenceTests", "a certificate finds its private key in the keychain")
        ),
        .init(
            .archives,
            at: "`SecPKCS12Import` of a file without authentication",
            ["SecPKCS12Import"],
            apple: "refuses it",
            ours: "reads it, if the passphrase is right for what is encrypted",
            why: "openssl writes such files",
            Proof("ReadTests", "keys and certificates are those that were put in", row: "no authentication")
        ),
    ]

    private static let keys: [Self] = [
        .init(
            .keySizes,
            at:
                "`SecKeyCreateWithData` with an RSA key of less than 1,024 or more than 8,192 bits, P-192, P-224, Ed25519 or X25519",
            ["SecKeyCreateWithData"],
            apple: "reads them",
            ours: "`errSecParam`, and `errSecUnimplemented` for the curves",
            why:
                "the cryptography has none of the curves P-192 and P-224, and none of the names of `SecKeyAlgorithm` is for Ed25519 or X25519",
            Proof("KeyCreationTests", "a curve that is not ours is told from bytes that are no point")
        ),
        .init(
            .newKeys,
            at:
                "`SecKeyCreateRandomKey` for RSA below 2,048 bits or of no multiple of 128, and for the Secure Enclave",
            ["SecKeyCreateRandomKey"],
            apple: "makes them",
            ours: "`errSecParam`; `errSecUnimplemented`",
            why:
                "nobody should make such keys any more; a hardware key that is quietly made of software is worse "
                + "than none",
            Proof("KeyCreationTests", "parameters that say no pair are refused by both functions")
        ),
        .init(
            .pairs,
            at: "`SecKeyCreateRandomKey` where the second half cannot be stored",
            ["SecKeyCreateRandomKey"],
            apple: "the first stays",
            ours: "neither is stored",
            why: "all or nothing",
            Proof("PermanentKeyTests", "if the second half cannot be stored, neither is")
        ),
        .init(
            .agreements,
            at: "`SecKeyCopyKeyExchangeResult` of more than 1 MiB",
            ["SecKeyCopyKeyExchangeResult"],
            apple: "derives it",
            ours: "`errSecParam`",
            why: "a size from outside is bounded",
            Proof("AgreementTests", "as much as is derived at most is derived")
        ),
        .init(
            .algorithms,
            at: "algorithms that [Keys](Keys.md) lists as not offered",
            ["SecKeyAlgorithm+Names"],
            apple: "offered",
            ours: "`errSecUnimplemented`",
            why: "the page says it of each",
            Proof(
                "KeyOperationTests",
                "an algorithm that does not fit is refused, and one that is not offered says so"
            )
        ),
    ]

    private static let surroundings: [Self] = [
        .init(
            .messages,
            at: "`SecCopyErrorMessageString`",
            ["SecCopyErrorMessageString"],
            apple: "in the user's language",
            ours: "in English; of what Apple's modules alone answer with, the number",
            why: "no translations",
            Proof("StatusTests", "each status has its constant and its sentence")
        ),
        .init(
            .appleShare,
            at: "`kSecClassAppleSharePassword`",
            ["kSecClassAppleSharePassword"],
            apple: "macOS: a class of the older keychain",
            ours: "the name exists, every call is `errSecNoSuchClass`",
            why: "as the data protection keychain",
            .matrix("the AppleShare class")
        ),
        .init(
            .fileKeychains,
            at: "`kSecUseKeychain`",
            ["kSecUseKeychain"],
            apple: "macOS: a keychain in a file",
            ours: "accepted and ignored",
            why: "there are no file keychains",
            .matrix("a file keychain")
        ),
        .init(
            .allocators,
            at: "`CFAllocator`",
            ["CFAllocator"],
            apple: "several",
            ours: "`nil` and `kCFAllocatorNull` are the only values",
            why: "Swift allocates",
            Proof(
                "CoreFoundationTests",
                "the deallocator decides whether data without a copy frees its bytes"
            )
        ),
        .init(
            .importKeychain,
            at: "`SecItemImport` with a keychain",
            ["SecItemImport"],
            apple: "macOS: puts the items into the keychain",
            ours: "there is none to name; `SecItemAdd` stores what came out",
            why: "there are no file keychains",
            Proof("ImportTests", "who wants to know nothing passes nothing")
        ),
        .init(
            .importIdentities,
            at: "`SecItemImport` of a PKCS #12 archive",
            ["SecItemImport"],
            apple: "macOS: makes identities only where a keychain is named",
            ours: "makes them",
            why: "an identity needs no keychain here",
            Proof("PassphraseFileTests", "an archive of openssl is an identity and the rest of the chain")
        ),
        .init(
            .importAccess,
            at: "`SecItemImportExportKeyParameters`",
            ["SecItemImportExportKeyParameters"],
            apple: "macOS: has an access reference",
            ours: "has none",
            why: "there are no lists of trusted programs",
            Proof("ImportTests", "a passphrase is text or data")
        ),
        .init(
            .typeNumbers,
            at: "`CFTypeID`",
            ["CFTypeID"],
            apple: "the numbers of the `Sec` types differ from run to run",
            ours: "they are the same in every run",
            why: "there is no registry of types to ask",
            Proof("CoreFoundationTests", "every type has a number of its own")
        ),
        .init(
            .halfPairs,
            at: "`CFString` with half of a surrogate pair",
            ["CFString"],
            apple: "a text keeps it",
            ours: "U+FFFD takes its place where the text is made: names that differ in nothing else are one",
            why: "Foundation on Linux replaces it before the keychain sees it",
            Proof("HostileDictionaryTests", "a lone surrogate is replaced by Foundation and stays findable")
        ),
        .init(
            .ignoredMembers,
            at: "`SecItemCopyMatching` with a collection under a key that is ignored",
            ["SecItemCopyMatching"],
            apple: "a collection of any size",
            ours: "`errSecParam` if it holds more than 10,000 members, all levels together",
            why: "what holds itself has no end, and the four calls never end the program",
            Proof("HostileDictionaryTests", "what is ignored may have ten thousand members")
        ),
        .init(
            .booleans,
            at: "`CFBoolean`",
            ["CFBoolean"],
            apple: "a type of its own",
            ours:
                "`NSNumber`, as `CFNumber` is: an extension of each that adds the same member or conformance does not "
                + "compile; `kCFBooleanTrue` and `kCFBooleanFalse` are Booleans nonetheless",
            why:
                "with a type of its own `true as CFBoolean` would not compile, and `as! CFBoolean` would stop the "
                + "program at a result's Boolean",
            Proof("EffectTests", "a Boolean and a number, bridged both ways")
        ),
    ]
}
