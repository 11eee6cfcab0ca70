// SPDX-License-Identifier: Apache-2.0

// MARK: Statuses

/// The call succeeded.
public let errSecSuccess: OSStatus = 0

/// The function, algorithm or key type is not implemented, or a match key does not apply to the item class.
///
/// A function that needs a package trait returns this status in a build without the trait.
public let errSecUnimplemented: OSStatus = -4

/// The disk is full; existing items are unaffected.
public let errSecDiskFull: OSStatus = -34

/// Reading or writing a file of the store failed.
public let errSecIO: OSStatus = -36

/// A file is already open for writing; never returned here.
public let errSecOpWr: OSStatus = -49

/// An argument is invalid, such as a dictionary with an unknown key or a value of the wrong type.
public let errSecParam: OSStatus = -50

/// The file permissions of the store do not permit the operation.
public let errSecWrPerm: OSStatus = -61

/// Memory allocation failed.
public let errSecAllocate: OSStatus = -108

/// The user or the program cancelled a call or its prompt, or a prompt was not answered in time.
///
/// Also returned if another program uses the fingerprint sensor.
public let errSecUserCanceled: OSStatus = -128

/// A parameter is invalid, or the operation is not possible in the present state; never returned here.
public let errSecBadReq: OSStatus = -909

/// An internal component failed; never returned here.
public let errSecInternalComponent: OSStatus = -2070

/// An access control list is not simple; never returned here.
public let errSecACLNotSimple: OSStatus = -25240

/// The specified policy does not exist; never returned here.
public let errSecPolicyNotFound: OSStatus = -25241

/// A trust setting is invalid; never returned here.
public let errSecInvalidTrustSetting: OSStatus = -25242

/// The item has no access control list; never returned here.
public let errSecNoAccessForItem: OSStatus = -25243

/// The owner of the item cannot be changed; never returned here.
public let errSecInvalidOwnerEdit: OSStatus = -25244

/// There is no result of a trust evaluation; never returned here.
public let errSecTrustNotAvailable: OSStatus = -25245

/// The import or export format is not supported.
public let errSecUnsupportedFormat: OSStatus = -25256

/// The data to import is malformed, has an unknown format, or does not have the given format or item type.
public let errSecUnknownFormat: OSStatus = -25257

/// The key can only be exported in encrypted form; never returned here.
public let errSecKeyIsSensitive: OSStatus = -25258

/// The data to import contains more than one private key, and the flag `importOnlyOne` is set.
public let errSecMultiplePrivKeys: OSStatus = -25259

/// The data or the export format needs a passphrase, and none was given.
public let errSecPassphraseRequired: OSStatus = -25260

/// The password that an object represents cannot be read; never returned here.
public let errSecInvalidPasswordRef: OSStatus = -25261

/// The trust settings are damaged; never returned here.
public let errSecInvalidTrustSettings: OSStatus = -25262

/// There are no trust settings; never returned here.
public let errSecNoTrustSettings: OSStatus = -25263

/// The passphrase of a PKCS #12 file is wrong, or the file is damaged.
public let errSecPkcs12VerifyFailure: OSStatus = -25264

/// The keychain cannot be used, for example because its store cannot be opened or securityd does not answer.
///
/// The evaluation of a certificate returns this status if the system's roots cannot be read.
public let errSecNotAvailable: OSStatus = -25291

/// The store can be read but not written.
public let errSecReadOnly: OSStatus = -25292

/// Authentication failed, the passphrase of a file is wrong, or the item needs a missing passcode or finger.
///
/// The passcode is missing if none is set; a finger is missing if there is no sensor, or no finger is enrolled. In
/// `KeychainControl`, setting the first passcode also fails with this status if a passcode is set already; locking,
/// unlocking, and changes of the passcode or the lock settings do if none is set.
public let errSecAuthFailed: OSStatus = -25293

/// The specified keychain does not exist.
public let errSecNoSuchKeychain: OSStatus = -25294

/// The specified file is not a keychain; never returned here.
public let errSecInvalidKeychain: OSStatus = -25295

/// The keychain already exists.
public let errSecDuplicateKeychain: OSStatus = -25296

/// A callback is already installed; never returned here.
public let errSecDuplicateCallback: OSStatus = -25297

/// A callback is invalid; never returned here.
public let errSecInvalidCallback: OSStatus = -25298

/// An item with the same primary key exists.
public let errSecDuplicateItem: OSStatus = -25299

/// No item matches.
public let errSecItemNotFound: OSStatus = -25300

/// A buffer is too small; never returned here.
public let errSecBufferTooSmall: OSStatus = -25301

/// The secret or the attributes of an item, or the items that a search finds, are too large.
public let errSecDataTooLarge: OSStatus = -25302

/// The item class does not have the attribute, or differs from the class of the object in the dictionary.
public let errSecNoSuchAttr: OSStatus = -25303

/// The item that an object represents cannot be read; never returned here.
public let errSecInvalidItemRef: OSStatus = -25304

/// A search is invalid; never returned here.
public let errSecInvalidSearchRef: OSStatus = -25305

/// The item class is unknown, or differs from the class of the persistent reference.
public let errSecNoSuchClass: OSStatus = -25306

/// There is no default keychain; never returned here.
public let errSecNoDefaultKeychain: OSStatus = -25307

/// The item is locked, or a prompt is required but forbidden or impossible.
public let errSecInteractionNotAllowed: OSStatus = -25308

/// The attribute cannot be changed; never returned here.
public let errSecReadOnlyAttr: OSStatus = -25309

/// The keychain was created by an incompatible version of the software; never returned here.
public let errSecWrongSecVersion: OSStatus = -25310

/// The size of the key is not supported; never returned here.
public let errSecKeySizeNotAllowed: OSStatus = -25311

/// A storage module is missing; never returned here.
public let errSecNoStorageModule: OSStatus = -25312

/// A certificate module is missing; never returned here.
public let errSecNoCertificateModule: OSStatus = -25313

/// A policy module is missing; never returned here.
public let errSecNoPolicyModule: OSStatus = -25314

/// User interaction is required; never returned here.
public let errSecInteractionRequired: OSStatus = -25315

/// The secret of the item cannot be read; never returned here.
public let errSecDataNotAvailable: OSStatus = -25316

/// The secret of the item cannot be modified; never returned here.
public let errSecDataNotModifiable: OSStatus = -25317

/// A certificate of the chain cannot be found; never returned here.
public let errSecCreateChainFailed: OSStatus = -25318

/// A domain of preferences is invalid; never returned here.
public let errSecInvalidPrefsDomain: OSStatus = -25319

/// No prompt is possible in dark wake; never returned here.
public let errSecInDarkWake: OSStatus = -25320

/// Authentication is needed; never returned to a program.
public let errSecAuthNeeded: OSStatus = -25330

/// A certificate was not signed by its supposed issuer; never returned here.
public let errSecNotSigner: OSStatus = -26267

/// Stored or imported data is damaged or cannot be decoded, or a number in the dictionary is not an integer.
public let errSecDecode: OSStatus = -26275

/// An internal inconsistency was detected, or the subject of a certificate has no common name.
public let errSecInternal: OSStatus = -26276

/// The program has no access group, or lacks the group or entitlement that the call needs, or the level of
/// identification that the item requires.
public let errSecMissingEntitlement: OSStatus = -34018

/// The keychain is being migrated; never returned here.
public let errSecUpgradePending: OSStatus = -34019

/// The program may not use the function that it called; on Apple's platforms, this happens in app clips.
///
/// Differs: there are no app clips, so no function returns this status.
public let errSecRestrictedAPI: OSStatus = -34020

/// A service that the function needs is not available; never returned here.
public let errSecServiceNotAvailable: OSStatus = -67585

/// The certificate does not contain the host name of the policy.
public let errSecHostNameMismatch: OSStatus = -67602

/// The extended key usage of the certificate does not permit the purpose of the policy.
public let errSecInvalidExtendedKeyUsage: OSStatus = -67609

/// The revocation status of a certificate is unknown, and the policy requires it.
public let errSecIncompleteCertRevocationCheck: OSStatus = -67635

/// The data passed to a function is invalid; never returned here.
public let errSecInvalidData: OSStatus = -67673

/// A key passed to a function is invalid; never returned here.
public let errSecInvalidKeyRef: OSStatus = -67712

/// A signature does not verify.
public let errSecVerifyFailed: OSStatus = -67808

/// A certificate has expired.
public let errSecCertificateExpired: OSStatus = -67818

/// A certificate is not valid yet.
public let errSecCertificateNotValidYet: OSStatus = -67819

/// A certificate is not trusted.
public let errSecNotTrusted: OSStatus = -67843

// MARK: Aliases

/// The operation is not implemented: alias of ``errSecUnimplemented``.
public let errSecUnsupportedOperation: OSStatus = errSecUnimplemented

/// A key of the dictionary is unknown: alias of ``errSecParam``.
public let errSecItemInvalidKey: OSStatus = errSecParam

/// A key of the dictionary is not a string: alias of ``errSecParam``.
public let errSecItemInvalidKeyType: OSStatus = errSecParam

/// A value of the dictionary has the wrong type: alias of ``errSecParam``.
public let errSecItemInvalidValue: OSStatus = errSecParam

/// The dictionary has no item class: alias of ``errSecParam``.
public let errSecItemClassMissing: OSStatus = errSecParam

/// The function does not support match keys: alias of ``errSecParam``.
public let errSecItemMatchUnsupported: OSStatus = errSecParam

/// The function does not support item lists: alias of ``errSecParam``.
public let errSecUseItemListUnsupported: OSStatus = errSecParam

/// The function does not return data: alias of ``errSecParam``.
public let errSecReturnDataUnsupported: OSStatus = errSecParam

/// The function does not return attributes: alias of ``errSecParam``.
public let errSecReturnAttributesUnsupported: OSStatus = errSecParam

/// The function does not return objects: alias of ``errSecParam``.
public let errSecReturnRefUnsupported: OSStatus = errSecParam

/// The function does not return persistent references: alias of ``errSecParam``.
public let errSecReturnPersistentRefUnsupported: OSStatus = errSecParam

/// The function does not accept objects: alias of ``errSecParam``.
public let errSecValueRefUnsupported: OSStatus = errSecParam

/// The function does not accept persistent references: alias of ``errSecParam``.
public let errSecValuePersistentRefUnsupported: OSStatus = errSecParam

/// The pointer for the result is `nil`: alias of ``errSecParam``.
public let errSecReturnMissingPointer: OSStatus = errSecParam

/// The function does not support limits: alias of ``errSecParam``.
public let errSecMatchLimitUnsupported: OSStatus = errSecParam

/// Keys of the dictionary are mutually exclusive: alias of ``errSecParam``.
public let errSecItemIllegalQuery: OSStatus = errSecParam
