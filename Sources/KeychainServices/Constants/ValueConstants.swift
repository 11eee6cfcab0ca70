// SPDX-License-Identifier: Apache-2.0

public import Foundation

// MARK: Return keys

/// Whether to return the secret: a real Boolean; the number 1 is `errSecParam`.
@safe public nonisolated(unsafe) let kSecReturnData: CFString = "r_Data"

/// Whether to return the attributes, in a dictionary: a real Boolean.
@safe public nonisolated(unsafe) let kSecReturnAttributes: CFString = "r_Attributes"

/// Whether to return an object: a real Boolean; passwords have none.
@safe public nonisolated(unsafe) let kSecReturnRef: CFString = "r_Ref"

/// Whether to return a persistent reference: a real Boolean.
@safe public nonisolated(unsafe) let kSecReturnPersistentRef: CFString = "r_PersistentRef"

// MARK: Values

/// The secret: data, possibly empty; ignored in a query.
@safe public nonisolated(unsafe) let kSecValueData: CFString = "v_Data"

/// An object: a key, a certificate or an identity.
@safe public nonisolated(unsafe) let kSecValueRef: CFString = "v_Ref"

/// A persistent reference: the 20 bytes that an earlier call returned.
///
/// Differs: older references of 12 bytes and those of tokens, which never existed here, are `errSecParam`.
@safe public nonisolated(unsafe) let kSecValuePersistentRef: CFString = "v_PersistentRef"

// MARK: Options

/// Items to search: `errSecParam`, except in Delete, which ignores it, as on iOS.
@safe public nonisolated(unsafe) let kSecUseItemList: CFString = "u_ItemList"

/// The file-based keychain to use.
///
/// Differs: there are no file-based keychains; ignored.
@safe public nonisolated(unsafe) let kSecUseKeychain: CFString = "u_Keychain"

/// Selects the data protection keychain, the only one here; ignored.
@safe public nonisolated(unsafe) let kSecUseDataProtectionKeychain: CFString = "nleg"

/// The reason shown in an authentication prompt: a string.
@safe public nonisolated(unsafe) let kSecUseOperationPrompt: CFString = "u_OpPrompt"

/// Whether prompts are forbidden: a Boolean.
///
/// Deprecated by Apple.
@safe public nonisolated(unsafe) let kSecUseNoAuthenticationUI: CFString = "u_NoAuthUI"

/// Whether the call may prompt: one of the three values below.
@safe public nonisolated(unsafe) let kSecUseAuthenticationUI: CFString = "u_AuthUI"

/// The call may prompt; the default.
@safe public nonisolated(unsafe) let kSecUseAuthenticationUIAllow: CFString = "u_AuthUIA"

/// A call that would prompt fails with `errSecInteractionNotAllowed`.
@safe public nonisolated(unsafe) let kSecUseAuthenticationUIFail: CFString = "u_AuthUIF"

/// Items that would require a prompt are skipped; for SecItemCopyMatching only.
@safe public nonisolated(unsafe) let kSecUseAuthenticationUISkip: CFString = "u_AuthUIS"

/// An `LAContext` with authentication results.
@safe public nonisolated(unsafe) let kSecUseAuthenticationContext: CFString = "u_AuthCtx"

/// A reference to an `LAContext`: data; not public on Apple's platforms.
@safe public nonisolated(unsafe) let kSecUseCredentialReference: CFString = "u_CredRef"

/// Whether deleting leaves tombstones: Boolean, number or string; not public on Apple's platforms.
@safe public nonisolated(unsafe) let kSecUseTombstones: CFString = "u_Tomb"

/// Whether to return raw items of tokens; ignored.
@safe public nonisolated(unsafe) let kSecUseTokenRawItems: CFString = "u_TokenRawItems"

/// The caller's name in prompts; ignored.
@safe public nonisolated(unsafe) let kSecUseCallerName: CFString = "u_CallerName"

/// Ignored; not public on Apple's platforms.
@safe public nonisolated(unsafe) let kSecUseCertificatesWithMatchIssuers: CFString = "u_CertWithIssuers"

/// Ignored; not public on Apple's platforms.
@safe public nonisolated(unsafe) let kSecUseSystemKeychain: CFString = "u_SystemKeychain"

/// Ignored; not public on Apple's platforms.
@safe public nonisolated(unsafe) let kSecUseSystemKeychainAlways: CFString = "u_SystemKeychainAlways"

/// Ignored; not public on Apple's platforms.
@safe public nonisolated(unsafe) let kSecUseSyncBubbleKeychain: CFString = "u_SyncBubbleKeychain"

/// Ignored; not public on Apple's platforms.
@safe public nonisolated(unsafe) let kSecUseUserIndependentKeychain: CFString = "u_UserIndependentKeychain"

// MARK: Key generation

/// The attributes of the private key, for key generation.
@safe public nonisolated(unsafe) let kSecPrivateKeyAttrs: CFString = "private"

/// The attributes of the public key, for key generation.
@safe public nonisolated(unsafe) let kSecPublicKeyAttrs: CFString = "public"

/// The attributes of the symmetric key, for key generation.
@safe public nonisolated(unsafe) let kSecSymmetricKeyAttrs: CFString = "symmetric"
