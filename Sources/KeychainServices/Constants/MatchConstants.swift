// SPDX-License-Identifier: Apache-2.0

public import Foundation

// MARK: Limit

/// The maximum number of results: `kSecMatchLimitOne` (the default), `kSecMatchLimitAll` or a number.
@safe public nonisolated(unsafe) let kSecMatchLimit: CFString = "m_Limit"

/// One item, not in an array.
@safe public nonisolated(unsafe) let kSecMatchLimitOne: CFString = "m_LimitOne"

/// All items, always in an array.
@safe public nonisolated(unsafe) let kSecMatchLimitAll: CFString = "m_LimitAll"

// MARK: Filters

/// A policy that certificates must satisfy; `errSecUnimplemented` for other classes.
///
/// Differs: certificates are evaluated only with the package trait `Trust`; without it the first certificate
/// to evaluate is `errSecUnimplemented`.
@safe public nonisolated(unsafe) let kSecMatchPolicy: CFString = "m_Policy"

/// Items to search; ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchItemList: CFString = "m_ItemList"

/// Keychains to search; ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchSearchList: CFString = "m_SearchList"

/// DER names of issuers, one of which must be in the chain: an array of data.
///
/// Ignored without a valid name.
@safe public nonisolated(unsafe) let kSecMatchIssuers: CFString = "m_Issuers"

/// An email address in the certificate: a string.
@safe public nonisolated(unsafe) let kSecMatchEmailAddressIfPresent: CFString = "m_EmailAddressIfPresent"

/// A part of the subject; ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchSubjectContains: CFString = "m_SubjectContains"

/// A prefix of the subject; ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchSubjectStartsWith: CFString = "m_SubjectStartsWith"

/// A suffix of the subject; ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchSubjectEndsWith: CFString = "m_SubjectEndsWith"

/// The whole subject; ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchSubjectWholeString: CFString = "m_SubjectWholeString"

/// Matches internet passwords whose server is a string: the given host or a subdomain.
@safe public nonisolated(unsafe) let kSecMatchHostOrSubdomainOfHost: CFString = "m_HostOrSubdomainOfHost"

/// Whether to ignore case in the subject; ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchCaseInsensitive: CFString = "m_CaseInsensitive"

/// Whether to ignore diacritics in the subject; ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchDiacriticInsensitive: CFString = "m_DiacriticInsensitive"

/// Whether to ignore character width in the subject; ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchWidthInsensitive: CFString = "m_WidthInsensitive"

/// Whether certificates must be trusted: a Boolean.
///
/// Differs: as with `kSecMatchPolicy`, certificates are evaluated only with the package trait `Trust`.
@safe public nonisolated(unsafe) let kSecMatchTrustedOnly: CFString = "m_TrustedOnly"

/// A date on which certificates must be valid; `NSNull` means now.
@safe public nonisolated(unsafe) let kSecMatchValidOnDate: CFString = "m_ValidOnDate"
