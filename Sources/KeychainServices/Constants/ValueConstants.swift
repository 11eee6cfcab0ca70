// SPDX-License-Identifier: Apache-2.0

public import Foundation

// MARK: Return keys

/// Whether to return the secret: a Boolean; a number causes `errSecParam`.
@safe public nonisolated(unsafe) let kSecReturnData: CFString = "r_Data"

/// Whether to return the attributes, in a dictionary: a Boolean; a number causes `errSecParam`.
@safe public nonisolated(unsafe) let kSecReturnAttributes: CFString = "r_Attributes"

/// Whether to return a key, certificate or identity as an object: a Boolean; a number causes `errSecParam`.
@safe public nonisolated(unsafe) let kSecReturnRef: CFString = "r_Ref"

/// Whether to return a persistent reference: a Boolean; a number causes `errSecParam`.
@safe public nonisolated(unsafe) let kSecReturnPersistentRef: CFString = "r_PersistentRef"

// MARK: Values

/// The secret: data, possibly empty; ignored in a query.
@safe public nonisolated(unsafe) let kSecValueData: CFString = "v_Data"

/// The item as an object: a `SecKey`, `SecCertificate` or `SecIdentity`.
@safe public nonisolated(unsafe) let kSecValueRef: CFString = "v_Ref"

/// A persistent reference: the 20 bytes that an earlier call returned.
///
/// Differs: calls with Apple's older references of 12 bytes, or with references to items on tokens, return
/// `errSecParam`.
@safe public nonisolated(unsafe) let kSecValuePersistentRef: CFString = "v_PersistentRef"

// MARK: Options

/// The items to search: SecItemDelete ignores this key, as on iOS; other functions return `errSecParam`.
@safe public nonisolated(unsafe) let kSecUseItemList: CFString = "u_ItemList"

/// The file-based keychain to use; ignored.
///
/// Differs: there are no file-based keychains on Linux.
@safe public nonisolated(unsafe) let kSecUseKeychain: CFString = "u_Keychain"

/// Selects the data protection keychain; ignored, because there is no other keychain here.
@safe public nonisolated(unsafe) let kSecUseDataProtectionKeychain: CFString = "nleg"

/// The reason shown in an authentication prompt: a string.
@safe public nonisolated(unsafe) let kSecUseOperationPrompt: CFString = "u_OpPrompt"

/// Whether prompts are forbidden: a Boolean.
///
/// Deprecated by Apple.
@safe public nonisolated(unsafe) let kSecUseNoAuthenticationUI: CFString = "u_NoAuthUI"

/// Whether the call may prompt: one of the `kSecUseAuthenticationUI…` values.
@safe public nonisolated(unsafe) let kSecUseAuthenticationUI: CFString = "u_AuthUI"

/// A value of `kSecUseAuthenticationUI`: the call may prompt, which is the default.
@safe public nonisolated(unsafe) let kSecUseAuthenticationUIAllow: CFString = "u_AuthUIA"

/// A value of `kSecUseAuthenticationUI`: a call that would prompt fails instead.
///
/// The call returns `errSecInteractionNotAllowed`.
@safe public nonisolated(unsafe) let kSecUseAuthenticationUIFail: CFString = "u_AuthUIF"

/// A value of `kSecUseAuthenticationUI`: items that would require a prompt are skipped.
///
/// Only SecItemCopyMatching accepts this value.
@safe public nonisolated(unsafe) let kSecUseAuthenticationUISkip: CFString = "u_AuthUIS"

/// The `LAContext` whose authentication results the call uses.
@safe public nonisolated(unsafe) let kSecUseAuthenticationContext: CFString = "u_AuthCtx"

/// A reference to an `LAContext`: data, which is ignored.
///
/// Calls with both this key and `kSecUseAuthenticationContext` return `errSecParam`.
///
/// Apple does not export this constant.
@safe public nonisolated(unsafe) let kSecUseCredentialReference: CFString = "u_CredRef"

/// Whether deleting a synchronizable item leaves a tombstone: Boolean, number or string.
///
/// Apple does not export this constant.
@safe public nonisolated(unsafe) let kSecUseTombstones: CFString = "u_Tomb"

/// Whether to return items of hardware tokens as the database stores them; ignored.
@safe public nonisolated(unsafe) let kSecUseTokenRawItems: CFString = "u_TokenRawItems"

/// The caller's name in prompts; ignored.
@safe public nonisolated(unsafe) let kSecUseCallerName: CFString = "u_CallerName"

/// Whether a search with `kSecMatchIssuers` may return certificates on macOS; ignored.
///
/// Apple does not export this constant.
@safe public nonisolated(unsafe) let kSecUseCertificatesWithMatchIssuers: CFString = "u_CertWithIssuers"

/// Whether to use the system keychain; ignored.
///
/// Apple does not export this constant.
@safe public nonisolated(unsafe) let kSecUseSystemKeychain: CFString = "u_SystemKeychain"

/// Whether to always use the system keychain; ignored.
///
/// Apple does not export this constant.
@safe public nonisolated(unsafe) let kSecUseSystemKeychainAlways: CFString = "u_SystemKeychainAlways"

/// Whether to use the keychain of a logged-out user whose data still synchronize; ignored.
///
/// Apple does not export this constant.
@safe public nonisolated(unsafe) let kSecUseSyncBubbleKeychain: CFString = "u_SyncBubbleKeychain"

/// Whether to use the keychain that all users of an Apple TV share; ignored.
///
/// Apple does not export this constant.
@safe public nonisolated(unsafe) let kSecUseUserIndependentKeychain: CFString = "u_UserIndependentKeychain"

// MARK: Key generation

/// The attributes of the private key, for key generation.
@safe public nonisolated(unsafe) let kSecPrivateKeyAttrs: CFString = "private"

/// The attributes of the public key, for key generation.
@safe public nonisolated(unsafe) let kSecPublicKeyAttrs: CFString = "public"

/// The attributes of the symmetric key, for key generation.
@safe public nonisolated(unsafe) let kSecSymmetricKeyAttrs: CFString = "symmetric"
