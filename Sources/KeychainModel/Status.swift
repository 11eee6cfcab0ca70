// SPDX-License-Identifier: Apache-2.0

/// An `OSStatus` that the API returns.
package struct Status: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let success = Self(rawValue: 0)
    package static let unimplemented = Self(rawValue: -4)
    package static let diskFull = Self(rawValue: -34)
    package static let inputOutput = Self(rawValue: -36)
    package static let invalidParameter = Self(rawValue: -50)
    package static let writePermission = Self(rawValue: -61)
    package static let allocation = Self(rawValue: -108)
    package static let userCanceled = Self(rawValue: -128)
    package static let missingEntitlement = Self(rawValue: -34018)
    package static let unsupportedFormat = Self(rawValue: -25256)
    package static let unknownFormat = Self(rawValue: -25257)
    package static let multiplePrivateKeys = Self(rawValue: -25259)
    package static let passphraseRequired = Self(rawValue: -25260)
    package static let pkcs12VerificationFailed = Self(rawValue: -25264)
    package static let notAvailable = Self(rawValue: -25291)
    package static let readOnly = Self(rawValue: -25292)
    package static let authenticationFailed = Self(rawValue: -25293)
    package static let noSuchKeychain = Self(rawValue: -25294)
    package static let duplicateKeychain = Self(rawValue: -25296)
    package static let duplicateItem = Self(rawValue: -25299)
    package static let itemNotFound = Self(rawValue: -25300)
    package static let dataTooLarge = Self(rawValue: -25302)
    package static let noSuchAttribute = Self(rawValue: -25303)
    package static let invalidItemReference = Self(rawValue: -25304)
    package static let noSuchClass = Self(rawValue: -25306)
    package static let noDefaultKeychain = Self(rawValue: -25307)
    package static let interactionNotAllowed = Self(rawValue: -25308)
    package static let keySizeNotAllowed = Self(rawValue: -25311)
    package static let dataNotAvailable = Self(rawValue: -25316)
    /// An internal status: the API layer authenticates the user, or returns another status to the caller.
    package static let authenticationNeeded = Self(rawValue: -25330)
    package static let undecodable = Self(rawValue: -26275)
    package static let internalInconsistency = Self(rawValue: -26276)
    package static let verificationFailed = Self(rawValue: -67808)
}

/// One row of the status table.
package struct StatusRule: Sendable {
    package let status: Status
    /// The name of the API constant.
    package let symbol: String
    /// The message for the user, worded as on macOS.
    package let message: String

    private init(_ number: Int32, _ symbol: String, _ message: String) {
        status = Status(rawValue: number)
        self.symbol = symbol
        self.message = message
    }

    /// Every status of the API, in descending order of the numbers.
    ///
    /// Source: Apple's published Security sources.
    // swift-format-ignore
    package static let table: [Self] = [
        .init(     0, "errSecSuccess",               "No error."),
        .init(    -4, "errSecUnimplemented",         "Function or operation not implemented."),
        .init(   -34, "errSecDiskFull",              "The disk is full."),
        .init(   -36, "errSecIO",                    "I/O error."),
        .init(   -49, "errSecOpWr",                  "The file is already open with write permission."),
        .init(   -50, "errSecParam",                 "One or more parameters passed to a function were not valid."),
        .init(   -61, "errSecWrPerm",                "Write permissions error."),
        .init(  -108, "errSecAllocate",              "Failed to allocate memory."),
        .init(  -128, "errSecUserCanceled",          "User canceled the operation."),
        .init(  -909, "errSecBadReq",                "Bad parameter or invalid state for operation."),
        .init( -2070, "errSecInternalComponent",     "An internal component failed."),
        .init(-25240, "errSecACLNotSimple",          "The specified access control list is not in standard (simple) form."),
        .init(-25241, "errSecPolicyNotFound",        "The specified policy cannot be found."),
        .init(-25242, "errSecInvalidTrustSetting",   "The specified trust setting is invalid."),
        .init(-25243, "errSecNoAccessForItem",       "The specified item has no access control."),
        .init(-25244, "errSecInvalidOwnerEdit",      "Invalid attempt to change the owner of this item."),
        .init(-25245, "errSecTrustNotAvailable",     "No trust results are available."),
        .init(-25256, "errSecUnsupportedFormat",     "Import/Export format unsupported."),
        .init(-25257, "errSecUnknownFormat",         "Unknown format in import."),
        .init(-25258, "errSecKeyIsSensitive",        "Key material must be wrapped for export."),
        .init(-25259, "errSecMultiplePrivKeys",      "An attempt was made to import multiple private keys."),
        .init(-25260, "errSecPassphraseRequired",    "Passphrase is required for import/export."),
        .init(-25261, "errSecInvalidPasswordRef",    "The password reference was invalid."),
        .init(-25262, "errSecInvalidTrustSettings",  "The Trust Settings Record was corrupted."),
        .init(-25263, "errSecNoTrustSettings",       "No Trust Settings were found."),
        .init(-25264, "errSecPkcs12VerifyFailure",   "MAC verification failed during PKCS12 import (wrong password?)"),
        .init(-25291, "errSecNotAvailable",          "No keychain is available. You may need to restart your computer."),
        .init(-25292, "errSecReadOnly",              "This keychain cannot be modified."),
        .init(-25293, "errSecAuthFailed",            "The user name or passphrase you entered is not correct."),
        .init(-25294, "errSecNoSuchKeychain",        "The specified keychain could not be found."),
        .init(-25295, "errSecInvalidKeychain",       "The specified keychain is not a valid keychain file."),
        .init(-25296, "errSecDuplicateKeychain",     "A keychain with the same name already exists."),
        .init(-25297, "errSecDuplicateCallback",     "The specified callback function is already installed."),
        .init(-25298, "errSecInvalidCallback",       "The specified callback function is not valid."),
        .init(-25299, "errSecDuplicateItem",         "The specified item already exists in the keychain."),
        .init(-25300, "errSecItemNotFound",          "The specified item could not be found in the keychain."),
        .init(-25301, "errSecBufferTooSmall",        "There is not enough memory available to use the specified item."),
        .init(-25302, "errSecDataTooLarge",          "This item contains information which is too large or in a format that cannot be displayed."),
        .init(-25303, "errSecNoSuchAttr",            "The specified attribute does not exist."),
        .init(-25304, "errSecInvalidItemRef",        "The specified item is no longer valid. It may have been deleted from the keychain."),
        .init(-25305, "errSecInvalidSearchRef",      "Unable to search the current keychain."),
        .init(-25306, "errSecNoSuchClass",           "The specified item does not appear to be a valid keychain item."),
        .init(-25307, "errSecNoDefaultKeychain",     "A default keychain could not be found."),
        .init(-25308, "errSecInteractionNotAllowed", "User interaction is not allowed."),
        .init(-25309, "errSecReadOnlyAttr",          "The specified attribute could not be modified."),
        .init(-25310, "errSecWrongSecVersion",       "This keychain was created by a different version of the system software and cannot be opened."),
        .init(-25311, "errSecKeySizeNotAllowed",     "This item specifies a key size which is too large or too small."),
        .init(-25312, "errSecNoStorageModule",       "A required component (data storage module) could not be loaded. You may need to restart your computer."),
        .init(-25313, "errSecNoCertificateModule",   "A required component (certificate module) could not be loaded. You may need to restart your computer."),
        .init(-25314, "errSecNoPolicyModule",        "A required component (policy module) could not be loaded. You may need to restart your computer."),
        .init(-25315, "errSecInteractionRequired",   "User interaction is required, but is currently not allowed."),
        .init(-25316, "errSecDataNotAvailable",      "The contents of this item cannot be retrieved."),
        .init(-25317, "errSecDataNotModifiable",     "The contents of this item cannot be modified."),
        .init(-25318, "errSecCreateChainFailed",     "One or more certificates required to validate this certificate cannot be found."),
        .init(-25319, "errSecInvalidPrefsDomain",    "The specified preferences domain is not valid."),
        .init(-25320, "errSecInDarkWake",            "In dark wake, no UI possible"),
        .init(-25330, "errSecAuthNeeded",            "Authentication is needed to open the item."),
        .init(-26267, "errSecNotSigner",             "The certificate was not signed by its proposed parent."),
        .init(-26275, "errSecDecode",                "Unable to decode the provided data."),
        .init(-26276, "errSecInternal",              "An internal error occurred in the Security framework."),
        .init(-34018, "errSecMissingEntitlement",    "A required entitlement isn't present."),
        .init(-34019, "errSecUpgradePending",        "The keychain is being upgraded."),
        .init(-34020, "errSecRestrictedAPI",         "Client is restricted and is not permitted to perform this operation."),
        .init(-67585, "errSecServiceNotAvailable",   "The required service is not available."),
        .init(-67602, "errSecHostNameMismatch",      "A host name mismatch has occurred."),
        .init(-67609, "errSecInvalidExtendedKeyUsage", "The extended key usage is not valid."),
        .init(-67635, "errSecIncompleteCertRevocationCheck", "An incomplete certificate revocation check occurred."),
        .init(-67673, "errSecInvalidData",           "Invalid data was encountered."),
        .init(-67712, "errSecInvalidKeyRef",         "An invalid key was encountered."),
        .init(-67808, "errSecVerifyFailed",          "A cryptographic verification failure has occurred."),
        .init(-67818, "errSecCertificateExpired",    "An expired certificate was detected."),
        .init(-67819, "errSecCertificateNotValidYet", "The certificate is not yet valid."),
        .init(-67843, "errSecNotTrusted",            "The trust policy was not trusted."),
    ]
}

extension Status {
    package var rule: StatusRule? { StatusRule.table.first { $0.status == self } }
}
