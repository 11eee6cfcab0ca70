// SPDX-License-Identifier: Apache-2.0

public import Foundation

// MARK: How many

/// How many items are wanted: `kSecMatchLimitOne` (the default), `kSecMatchLimitAll` or a number.
@safe public nonisolated(unsafe) let kSecMatchLimit: CFString = "m_Limit"

/// One item, which is the result itself.
@safe public nonisolated(unsafe) let kSecMatchLimitOne: CFString = "m_LimitOne"

/// Every item, in an array even if there is one.
@safe public nonisolated(unsafe) let kSecMatchLimitAll: CFString = "m_LimitAll"

// MARK: Which

/// A policy that certificates shall pass: `errSecUnimplemented` for other classes.
///
/// Differs: certificates are judged with the package trait `Trust` alone; without it the first one that would have to
/// be is `errSecUnimplemented`.
@safe public nonisolated(unsafe) let kSecMatchPolicy: CFString = "m_Policy"

/// Items to choose from; accepted and ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchItemList: CFString = "m_ItemList"

/// Keychains to search; accepted and ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchSearchList: CFString = "m_SearchList"

/// DER names of issuers, one of which must be in the chain: an array of data; ignored without a valid name.
@safe public nonisolated(unsafe) let kSecMatchIssuers: CFString = "m_Issuers"

/// An address that the certificate names: a string.
@safe public nonisolated(unsafe) let kSecMatchEmailAddressIfPresent: CFString = "m_EmailAddressIfPresent"

/// A part of the subject; accepted and ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchSubjectContains: CFString = "m_SubjectContains"

/// The start of the subject; accepted and ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchSubjectStartsWith: CFString = "m_SubjectStartsWith"

/// The end of the subject; accepted and ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchSubjectEndsWith: CFString = "m_SubjectEndsWith"

/// The whole subject; accepted and ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchSubjectWholeString: CFString = "m_SubjectWholeString"

/// A host: finds internet passwords for it and for its subdomains whose server is a string.
@safe public nonisolated(unsafe) let kSecMatchHostOrSubdomainOfHost: CFString = "m_HostOrSubdomainOfHost"

/// Whether case matters to the subject; accepted and ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchCaseInsensitive: CFString = "m_CaseInsensitive"

/// Whether diacritics matter to the subject; accepted and ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchDiacriticInsensitive: CFString = "m_DiacriticInsensitive"

/// Whether width matters to the subject; accepted and ignored, as on iOS.
@safe public nonisolated(unsafe) let kSecMatchWidthInsensitive: CFString = "m_WidthInsensitive"

/// Whether certificates must be trusted: a Boolean.
///
/// Differs: as with `kSecMatchPolicy`, certificates are judged with the package trait `Trust` alone.
@safe public nonisolated(unsafe) let kSecMatchTrustedOnly: CFString = "m_TrustedOnly"

/// A date on which certificates must be valid; `NSNull` is now.
@safe public nonisolated(unsafe) let kSecMatchValidOnDate: CFString = "m_ValidOnDate"
