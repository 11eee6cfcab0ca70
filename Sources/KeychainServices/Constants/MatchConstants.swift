// SPDX-License-Identifier: Apache-2.0

public import Foundation

// MARK: Limit

/// The maximum number of results: `kSecMatchLimitOne` (the default), `kSecMatchLimitAll` or a number.
@safe public nonisolated(unsafe) let kSecMatchLimit: CFString = "m_Limit"

/// A value of `kSecMatchLimit`: one item is returned, not in an array.
@safe public nonisolated(unsafe) let kSecMatchLimitOne: CFString = "m_LimitOne"

/// A value of `kSecMatchLimit`: all items are returned, always in an array.
@safe public nonisolated(unsafe) let kSecMatchLimitAll: CFString = "m_LimitAll"

// MARK: Filters

/// A policy that certificates must satisfy, including the certificates of identities.
///
/// A search for passwords or keys with this key returns `errSecUnimplemented`.
///
/// Differs: certificates are evaluated only with the package trait `Trust`; without it, a search that must
/// evaluate a certificate returns `errSecUnimplemented`.
@safe public nonisolated(unsafe) let kSecMatchPolicy: CFString = "m_Policy"

/// The items to search; ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchItemList: CFString = "m_ItemList"

/// The keychains to search; ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchSearchList: CFString = "m_SearchList"

/// Names in DER, one of which must name an issuer in the certificate's chain: an array of data.
///
/// The key is ignored if the array contains no valid name. Otherwise, a search for passwords or keys with this
/// key returns `errSecUnimplemented`.
@safe public nonisolated(unsafe) let kSecMatchIssuers: CFString = "m_Issuers"

/// The email address that certificates must contain: a string.
///
/// A search for passwords or keys ignores this key.
@safe public nonisolated(unsafe) let kSecMatchEmailAddressIfPresent: CFString = "m_EmailAddressIfPresent"

/// A string that the subject must contain; ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchSubjectContains: CFString = "m_SubjectContains"

/// A string with which the subject must start; ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchSubjectStartsWith: CFString = "m_SubjectStartsWith"

/// A string with which the subject must end; ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchSubjectEndsWith: CFString = "m_SubjectEndsWith"

/// A string that the subject must equal; ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchSubjectWholeString: CFString = "m_SubjectWholeString"

/// A host name: matches internet passwords whose server is this host or a subdomain.
///
/// Servers that are stored as data do not match. A search for other classes with this key returns
/// `errSecUnimplemented`.
@safe public nonisolated(unsafe) let kSecMatchHostOrSubdomainOfHost: CFString = "m_HostOrSubdomainOfHost"

/// Whether to ignore case in the subject; ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchCaseInsensitive: CFString = "m_CaseInsensitive"

/// Whether to ignore diacritics in the subject; ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchDiacriticInsensitive: CFString = "m_DiacriticInsensitive"

/// Whether to ignore character width in the subject; ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchWidthInsensitive: CFString = "m_WidthInsensitive"

/// Whether certificates must be trusted: a Boolean.
///
/// A search for passwords or keys ignores this key.
///
/// Differs: as with `kSecMatchPolicy`, certificates are evaluated only with the package trait `Trust`.
@safe public nonisolated(unsafe) let kSecMatchTrustedOnly: CFString = "m_TrustedOnly"

/// A date on which certificates must be valid; `NSNull` means now.
///
/// A search for passwords or keys ignores this key.
@safe public nonisolated(unsafe) let kSecMatchValidOnDate: CFString = "m_ValidOnDate"
