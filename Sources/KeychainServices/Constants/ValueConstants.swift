// SPDX-License-Identifier: Apache-2.0

public import Foundation

// MARK: What comes back

/// Whether the secret comes back: a real Boolean; the number 1 is `errSecParam`.
@safe public nonisolated(unsafe) let kSecReturnData: CFString = "r_Data"

/// Whether the attributes come back, in a dictionary: a real Boolean.
@safe public nonisolated(unsafe) let kSecReturnAttributes: CFString = "r_Attributes"

/// Whether an object comes back: a real Boolean; passwords have none.
@safe public nonisolated(unsafe) let kSecReturnRef: CFString = "r_Ref"

/// Whether a persistent reference comes back: a real Boolean.
@safe public nonisolated(unsafe) let kSecReturnPersistentRef: CFString = "r_PersistentRef"

// MARK: What goes in

/// The secret: data, possibly empty; in a query it is no filter.
@safe public nonisolated(unsafe) let kSecValueData: CFString = "v_Data"

/// An object: a key, a certificate or an identity.
@safe public nonisolated(unsafe) let kSecValueRef: CFString = "v_Ref"

/// A persistent reference: the 20 bytes that an earlier call returned.
///
/// Differs: references of the older form of 12 bytes and those of tokens, which were never given here, are `errSecParam`.
@safe public nonisolated(unsafe) let kSecValuePersistentRef: CFString = "v_PersistentRef"

// MARK: How the call works

/// Items to work on: `errSecParam`, except in Delete, which ignores it, as on iOS.
@safe public nonisolated(unsafe) let kSecUseItemList: CFString = "u_ItemList"

/// The file keychain to use.
///
/// Differs: there are no file keychains; accepted and ignored.
@safe public nonisolated(unsafe) let kSecUseKeychain: CFString = "u_Keychain"

/// Chooses the data protection keychain, which is the only one here; accepted and ignored.
@safe public nonisolated(unsafe) let kSecUseDataProtectionKeychain: CFString = "nleg"

/// What the program says when it asks for authentication: a string.
@safe public nonisolated(unsafe) let kSecUseOperationPrompt: CFString = "u_OpPrompt"

/// Whether asking is forbidden: a Boolean; deprecated on Apple's platforms.
@safe public nonisolated(unsafe) let kSecUseNoAuthenticationUI: CFString = "u_NoAuthUI"

/// Whether the call may ask: one of the three values below.
@safe public nonisolated(unsafe) let kSecUseAuthenticationUI: CFString = "u_AuthUI"

/// The call may ask: the default.
@safe public nonisolated(unsafe) let kSecUseAuthenticationUIAllow: CFString = "u_AuthUIA"

/// Instead of asking the call fails with `errSecInteractionNotAllowed`.
@safe public nonisolated(unsafe) let kSecUseAuthenticationUIFail: CFString = "u_AuthUIF"

/// Items that would need asking are left out; for SecItemCopyMatching alone.
@safe public nonisolated(unsafe) let kSecUseAuthenticationUISkip: CFString = "u_AuthUIS"

/// The context of an authentication that took place already.
@safe public nonisolated(unsafe) let kSecUseAuthenticationContext: CFString = "u_AuthCtx"

/// A reference to such a context: data; not public on Apple's platforms.
@safe public nonisolated(unsafe) let kSecUseCredentialReference: CFString = "u_CredRef"

/// Whether deleting leaves tombstones: Boolean, number or string; not public on Apple's platforms.
@safe public nonisolated(unsafe) let kSecUseTombstones: CFString = "u_Tomb"

/// Whether items of tokens come back raw; accepted and ignored.
@safe public nonisolated(unsafe) let kSecUseTokenRawItems: CFString = "u_TokenRawItems"

/// The name of the caller for asking; accepted and ignored.
@safe public nonisolated(unsafe) let kSecUseCallerName: CFString = "u_CallerName"

/// Accepted and ignored; not public on Apple's platforms.
@safe public nonisolated(unsafe) let kSecUseCertificatesWithMatchIssuers: CFString = "u_CertWithIssuers"

/// Accepted and ignored; not public on Apple's platforms.
@safe public nonisolated(unsafe) let kSecUseSystemKeychain: CFString = "u_SystemKeychain"

/// Accepted and ignored; not public on Apple's platforms.
@safe public nonisolated(unsafe) let kSecUseSystemKeychainAlways: CFString = "u_SystemKeychainAlways"

/// Accepted and ignored; not public on Apple's platforms.
@safe public nonisolated(unsafe) let kSecUseSyncBubbleKeychain: CFString = "u_SyncBubbleKeychain"

/// Accepted and ignored; not public on Apple's platforms.
@safe public nonisolated(unsafe) let kSecUseUserIndependentKeychain: CFString = "u_UserIndependentKeychain"

// MARK: Making keys

/// The attributes of the private half, in a dictionary for making keys.
@safe public nonisolated(unsafe) let kSecPrivateKeyAttrs: CFString = "private"

/// The attributes of the public half, in a dictionary for making keys.
@safe public nonisolated(unsafe) let kSecPublicKeyAttrs: CFString = "public"

/// The attributes of a symmetric key, in a dictionary for making keys.
@safe public nonisolated(unsafe) let kSecSymmetricKeyAttrs: CFString = "symmetric"
