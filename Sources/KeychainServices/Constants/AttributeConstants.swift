// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel

// MARK: Attributes of every class

/// The protection class: one of the `kSecAttrAccessible…` values.
@safe public nonisolated(unsafe) let kSecAttrAccessible: CFString = name(of: .accessible)

/// The access control: a `SecAccessControl`, instead of `kSecAttrAccessible`.
@safe public nonisolated(unsafe) let kSecAttrAccessControl: CFString = name(of: .accessControl)

/// The access group of the item: a string, one of the program's groups.
@safe public nonisolated(unsafe) let kSecAttrAccessGroup: CFString = name(of: .accessGroup)

/// Whether the item synchronizes: a Boolean, or in queries `kSecAttrSynchronizableAny`.
@safe public nonisolated(unsafe) let kSecAttrSynchronizable: CFString = name(of: .synchronizable)

/// A value of `kSecAttrSynchronizable` that matches both synchronizable and other items.
@safe public nonisolated(unsafe) let kSecAttrSynchronizableAny: CFString = "syna"

/// When the item was added: a date.
@safe public nonisolated(unsafe) let kSecAttrCreationDate: CFString = name(of: .creationDate)

/// When the item was last modified: a date.
@safe public nonisolated(unsafe) let kSecAttrModificationDate: CFString = name(of: .modificationDate)

/// The name of the item that is shown to the user: string or data.
@safe public nonisolated(unsafe) let kSecAttrLabel: CFString = name(of: .label)

/// Another name of the item: string or data.
///
/// Apple does not export this constant.
@safe public nonisolated(unsafe) let kSecAttrAlias: CFString = name(of: .alias)

/// The hardware token that stores the item: a string.
///
/// Differs: ``SecKeyCreateRandomKey(_:_:)`` accepts only one token, the Secure Enclave, whose keys the daemon
/// securityd creates and keeps. ``SecItemAdd(_:_:)`` stores any string, and queries compare it like other attributes.
@safe public nonisolated(unsafe) let kSecAttrTokenID: CFString = name(of: .tokenID)

/// The name of the sync view, in Apple's keychain a group of items that synchronize together: a string.
@safe public nonisolated(unsafe) let kSecAttrSyncViewHint: CFString = name(of: .syncViewHint)

/// The sharing group of the item.
///
/// Calls with this attribute return `errSecMissingEntitlement`: only Apple's programs have the entitlement for it. If
/// the new attributes contain it, ``SecItemUpdate(_:_:)`` returns `errSecParam`.
@safe public nonisolated(unsafe) let kSecAttrSharingGroup: CFString = name(of: .sharingGroup)

/// The user of a shared Apple device to whom the item belongs: data of 0 or 16 bytes.
///
/// Here, every item has empty data for this attribute. Apple does not export this constant.
@safe public nonisolated(unsafe) let kSecAttrMultiUser: CFString = name(of: .multiUser)

/// Whether to match tombstones of deleted items: a number.
///
/// Apple does not export this constant.
@safe public nonisolated(unsafe) let kSecAttrTombstone: CFString = name(of: .tombstone)

/// The digest of the item, which changes with every modification: 20 bytes of data.
///
/// Differs: the digest is computed from the encrypted item, so it differs between items with the same contents.
@safe public nonisolated(unsafe) let kSecAttrSHA1: CFString = name(of: .sha1)

/// The identifier for synchronization, which the keychain assigns: a string, never returned.
@safe public nonisolated(unsafe) let kSecAttrUUID: CFString = name(of: .uuid)

/// The name of the database column of persistent references; rejected as a key of a dictionary.
@safe public nonisolated(unsafe) let kSecAttrPersistentReference: CFString = "persistref"

/// Deprecated spelling of `kSecAttrPersistentReference`.
@safe public nonisolated(unsafe) let kSecAttrPersistantReference: CFString = "persistref"

/// The virtual access group of items on hardware tokens.
@safe public nonisolated(unsafe) let kSecAttrAccessGroupToken: CFString = "com.apple.token"

/// Selects the data protection keychain; ignored, because there is no other keychain here.
@safe public nonisolated(unsafe) let kSecAttrNoLegacy: CFString = "nleg"

/// Whether the item belongs to the system.
///
/// Calls with this attribute return `errSecMissingEntitlement`: only Apple's programs have the entitlement for it.
@safe public nonisolated(unsafe) let kSecAttrSysBound: CFString = name(of: .sysBound)

/// The number of a service of Apple's Protected Cloud Storage (PCS).
///
/// Calls with this attribute return `errSecMissingEntitlement`: only Apple's programs have the entitlement for it.
@safe public nonisolated(unsafe) let kSecAttrPCSPlaintextServiceIdentifier: CFString = name(
    of: .pcsServiceIdentifier
)

/// The public key of a service of Apple's Protected Cloud Storage (PCS).
///
/// Calls with this attribute return `errSecMissingEntitlement`: only Apple's programs have the entitlement for it.
@safe public nonisolated(unsafe) let kSecAttrPCSPlaintextPublicKey: CFString = name(of: .pcsPublicKey)

/// The public identity of a service of Apple's Protected Cloud Storage (PCS).
///
/// Calls with this attribute return `errSecMissingEntitlement`: only Apple's programs have the entitlement for it.
@safe public nonisolated(unsafe) let kSecAttrPCSPlaintextPublicIdentity: CFString = name(
    of: .pcsPublicIdentity
)

/// Whether the identifier for synchronization is derived from the item's attributes.
///
/// Calls with this attribute return `errSecMissingEntitlement`: only Apple's programs have the entitlement for it.
@safe public nonisolated(unsafe) let kSecAttrDeriveSyncIDFromItemAttributes: CFString = name(
    of: .deriveSyncID
)

/// Whether the item belongs to an app clip; calls that use it return `errSecParam`.
@safe public nonisolated(unsafe) let kSecAttrAppClip: CFString = name(of: .appClip)

// MARK: Attributes of passwords

/// The account: string or data, part of the primary key.
@safe public nonisolated(unsafe) let kSecAttrAccount: CFString = name(of: .account)

/// The service of a generic password: string or data, part of the primary key.
@safe public nonisolated(unsafe) let kSecAttrService: CFString = name(of: .service)

/// Arbitrary data of the program for a generic password: data or string.
@safe public nonisolated(unsafe) let kSecAttrGeneric: CFString = name(of: .generic)

/// A description for the user: string or data.
@safe public nonisolated(unsafe) let kSecAttrDescription: CFString = name(of: .description)

/// A comment for the user: string or data.
@safe public nonisolated(unsafe) let kSecAttrComment: CFString = name(of: .comment)

/// The creator of the item: a number, encoding four characters.
@safe public nonisolated(unsafe) let kSecAttrCreator: CFString = name(of: .creator)

/// The type of the item: a number, encoding four characters.
@safe public nonisolated(unsafe) let kSecAttrType: CFString = name(of: .type)

/// The writing system (script) of the item's strings: a number.
///
/// Apple does not export this constant.
@safe public nonisolated(unsafe) let kSecAttrScriptCode: CFString = name(of: .scriptCode)

/// Whether to hide the item in lists: a Boolean, returned as a number.
@safe public nonisolated(unsafe) let kSecAttrIsInvisible: CFString = name(of: .isInvisible)

/// Whether the item has no password because the user wants to enter it each time: a Boolean, returned as a number.
@safe public nonisolated(unsafe) let kSecAttrIsNegative: CFString = name(of: .isNegative)

/// Whether the item has an icon of its own: a number.
///
/// Apple does not export this constant.
@safe public nonisolated(unsafe) let kSecAttrHasCustomIcon: CFString = name(of: .hasCustomIcon)

/// Additional data of a password: string or data.
///
/// Apple does not export this constant.
@safe public nonisolated(unsafe) let kSecAttrDataProtected: CFString = name(of: .dataProtected)

// MARK: Attributes of internet passwords

/// The name or address of the server: string or data, part of the primary key.
@safe public nonisolated(unsafe) let kSecAttrServer: CFString = name(of: .server)

/// The security domain of the server: string or data, part of the primary key.
@safe public nonisolated(unsafe) let kSecAttrSecurityDomain: CFString = name(of: .securityDomain)

/// The protocol: one of the `kSecAttrProtocol…` values, part of the primary key.
@safe public nonisolated(unsafe) let kSecAttrProtocol: CFString = name(of: .protocol)

/// The authentication type: a `kSecAttrAuthenticationType…` value, part of the primary key.
@safe public nonisolated(unsafe) let kSecAttrAuthenticationType: CFString = name(of: .authenticationType)

/// The port of the server: a number, part of the primary key.
@safe public nonisolated(unsafe) let kSecAttrPort: CFString = name(of: .port)

/// The path on the server: string or data, part of the primary key.
@safe public nonisolated(unsafe) let kSecAttrPath: CFString = name(of: .path)

/// Notes for an internet password: data.
///
/// Calls with this attribute return `errSecMissingEntitlement`: only Apple's programs have the entitlement for it.
@safe public nonisolated(unsafe) let kSecDataInetExtraNotes: CFString = name(of: .inetExtraNotes)

/// Previous secrets of an internet password: data.
///
/// Calls with this attribute return `errSecMissingEntitlement`: only Apple's programs have the entitlement for it.
@safe public nonisolated(unsafe) let kSecDataInetExtraHistory: CFString = name(of: .inetExtraHistory)

/// The first of four fields for data that the program defines.
///
/// Calls with this attribute return `errSecMissingEntitlement`: only Apple's programs have the entitlement for it.
@safe public nonisolated(unsafe) let kSecDataInetExtraClientDefined0: CFString = name(
    of: .inetExtraClientDefined0
)

/// The second of four fields for data that the program defines.
///
/// Calls with this attribute return `errSecMissingEntitlement`: only Apple's programs have the entitlement for it.
@safe public nonisolated(unsafe) let kSecDataInetExtraClientDefined1: CFString = name(
    of: .inetExtraClientDefined1
)

/// The third of four fields for data that the program defines.
///
/// Calls with this attribute return `errSecMissingEntitlement`: only Apple's programs have the entitlement for it.
@safe public nonisolated(unsafe) let kSecDataInetExtraClientDefined2: CFString = name(
    of: .inetExtraClientDefined2
)

/// The last of four fields for data that the program defines.
///
/// Calls with this attribute return `errSecMissingEntitlement`: only Apple's programs have the entitlement for it.
@safe public nonisolated(unsafe) let kSecDataInetExtraClientDefined3: CFString = name(
    of: .inetExtraClientDefined3
)

// MARK: Attributes of certificates

/// The normalized name of the certificate's subject: data.
@safe public nonisolated(unsafe) let kSecAttrSubject: CFString = name(of: .subject)

/// The normalized name of the certificate's issuer: data, part of the primary key.
@safe public nonisolated(unsafe) let kSecAttrIssuer: CFString = name(of: .issuer)

/// The serial number of the certificate: data, part of the primary key.
@safe public nonisolated(unsafe) let kSecAttrSerialNumber: CFString = name(of: .serialNumber)

/// The subject key identifier, from the certificate's extension: data.
@safe public nonisolated(unsafe) let kSecAttrSubjectKeyID: CFString = name(of: .subjectKeyID)

/// The SHA-1 digest of the certificate's public key: data.
@safe public nonisolated(unsafe) let kSecAttrPublicKeyHash: CFString = name(of: .publicKeyHash)

/// The version of the certificate: a number, part of the primary key.
@safe public nonisolated(unsafe) let kSecAttrCertificateType: CFString = name(of: .certificateType)

/// The encoding of the certificate: a number, 3 for DER.
@safe public nonisolated(unsafe) let kSecAttrCertificateEncoding: CFString = name(of: .certificateEncoding)

// MARK: Attributes of keys

/// The key class: a `kSecAttrKeyClass…` value, returned as a number, part of the primary key.
@safe public nonisolated(unsafe) let kSecAttrKeyClass: CFString = name(of: .keyClass)

/// The SHA-1 digest of the key pair's public key: data, part of the primary key.
///
/// Both keys of a pair have the same digest.
@safe public nonisolated(unsafe) let kSecAttrApplicationLabel: CFString = name(of: .applicationLabel)

/// The program's own name for the key: data or string, part of the primary key.
@safe public nonisolated(unsafe) let kSecAttrApplicationTag: CFString = name(of: .applicationTag)

/// The key type: a `kSecAttrKeyType…` value, returned as a number, part of the primary key.
@safe public nonisolated(unsafe) let kSecAttrKeyType: CFString = name(of: .type)

/// The creator of the key: a number, part of the primary key.
///
/// Apple does not export this constant.
@safe public nonisolated(unsafe) let kSecAttrKeyCreator: CFString = name(of: .creator)

/// The size of the key in bits: a number, part of the primary key.
@safe public nonisolated(unsafe) let kSecAttrKeySizeInBits: CFString = name(of: .keySizeInBits)

/// The effective size of the key in bits: a number, part of the primary key.
@safe public nonisolated(unsafe) let kSecAttrEffectiveKeySize: CFString = name(of: .effectiveKeySize)

/// The start of the key's validity: a date, part of the primary key.
///
/// Apple does not export this constant.
@safe public nonisolated(unsafe) let kSecAttrStartDate: CFString = name(of: .startDate)

/// The end of the key's validity: a date, part of the primary key.
///
/// Apple does not export this constant. Here, a password can also have this attribute, the date when it
/// expires.
@safe public nonisolated(unsafe) let kSecAttrEndDate: CFString = name(of: .endDate)

/// Whether the generated key is also stored in the keychain: a Boolean, returned as a number.
///
/// As on Apple's platforms, ``SecKeyCopyAttributes(_:)`` returns true for every key, whether stored or not.
@safe public nonisolated(unsafe) let kSecAttrIsPermanent: CFString = name(of: .isPermanent)

/// Whether the key is private: a number.
///
/// Apple does not export this constant.
@safe public nonisolated(unsafe) let kSecAttrIsPrivate: CFString = name(of: .isPrivate)

/// Whether the key can be modified: a number.
///
/// Apple does not export this constant.
@safe public nonisolated(unsafe) let kSecAttrIsModifiable: CFString = name(of: .isModifiable)

/// Whether the key can only be exported wrapped: a Boolean, returned as a number.
@safe public nonisolated(unsafe) let kSecAttrIsSensitive: CFString = name(of: .isSensitive)

/// Whether the key was always sensitive: a number.
///
/// Apple does not export this constant.
@safe public nonisolated(unsafe) let kSecAttrWasAlwaysSensitive: CFString = name(of: .wasAlwaysSensitive)

/// Whether the key can be exported: a Boolean, returned as a number.
@safe public nonisolated(unsafe) let kSecAttrIsExtractable: CFString = name(of: .isExtractable)

/// Whether the key was never extractable: a number.
///
/// Apple does not export this constant.
@safe public nonisolated(unsafe) let kSecAttrWasNeverExtractable: CFString = name(of: .wasNeverExtractable)

/// Whether the key encrypts: a Boolean, returned as a number.
@safe public nonisolated(unsafe) let kSecAttrCanEncrypt: CFString = name(of: .canEncrypt)

/// Whether the key decrypts: a Boolean, returned as a number.
@safe public nonisolated(unsafe) let kSecAttrCanDecrypt: CFString = name(of: .canDecrypt)

/// Whether the key can derive keys: a Boolean, returned as a number.
@safe public nonisolated(unsafe) let kSecAttrCanDerive: CFString = name(of: .canDerive)

/// Whether the key signs: a Boolean, returned as a number.
@safe public nonisolated(unsafe) let kSecAttrCanSign: CFString = name(of: .canSign)

/// Whether the key verifies signatures: a Boolean, returned as a number.
@safe public nonisolated(unsafe) let kSecAttrCanVerify: CFString = name(of: .canVerify)

/// Whether the key supports signatures with message recovery: a number.
///
/// Apple does not export this constant.
@safe public nonisolated(unsafe) let kSecAttrCanSignRecover: CFString = name(of: .canSignRecover)

/// Whether the key verifies signatures with message recovery: a number.
///
/// Apple does not export this constant.
@safe public nonisolated(unsafe) let kSecAttrCanVerifyRecover: CFString = name(of: .canVerifyRecover)

/// Whether the key wraps other keys: a Boolean, returned as a number.
@safe public nonisolated(unsafe) let kSecAttrCanWrap: CFString = name(of: .canWrap)

/// Whether the key unwraps other keys: a Boolean, returned as a number.
@safe public nonisolated(unsafe) let kSecAttrCanUnwrap: CFString = name(of: .canUnwrap)

/// The identifier of the key on the hardware token that stores it.
///
/// Calls with this attribute return `errSecMissingEntitlement`: only Apple's programs have the entitlement for it.
@safe public nonisolated(unsafe) let kSecAttrTokenOID: CFString = name(of: .tokenOID)

// MARK: Attributes of file-based keychains

/// The access control list of an item in a file-based keychain.
///
/// Calls that use it return `errSecNoSuchAttr`, because there are no file-based keychains on Linux.
@safe public nonisolated(unsafe) let kSecAttrAccess: CFString = "acls"

/// The volume of an AppleShare password; calls that use it return `errSecNoSuchAttr`.
@safe public nonisolated(unsafe) let kSecAttrVolume: CFString = "volm"

/// The address of an AppleShare password; calls that use it return `errSecNoSuchAttr`.
@safe public nonisolated(unsafe) let kSecAttrAddress: CFString = "addr"

/// The signature of an AppleShare server; calls that use it return `errSecNoSuchAttr`.
@safe public nonisolated(unsafe) let kSecAttrAFPServerSignature: CFString = "afps"

/// The type of a certificate revocation list; calls that use it return `errSecNoSuchAttr`.
@safe public nonisolated(unsafe) let kSecAttrCRLType: CFString = "crlt"

/// The encoding of a certificate revocation list; calls that use it return `errSecNoSuchAttr`.
@safe public nonisolated(unsafe) let kSecAttrCRLEncoding: CFString = "crle"

/// The pseudorandom function for key derivation; not an item attribute.
@safe public nonisolated(unsafe) let kSecAttrPRF: CFString = "prf"

/// The salt for key derivation; not an item attribute.
@safe public nonisolated(unsafe) let kSecAttrSalt: CFString = "salt"

/// The number of rounds for key derivation; not an item attribute.
@safe public nonisolated(unsafe) let kSecAttrRounds: CFString = "rounds"

private func name(of attribute: Attribute) -> CFString { NSString(string: attribute.name) }
