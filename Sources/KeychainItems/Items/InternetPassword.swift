// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// A password for a server.
///
/// An internet password is identified by account, server, protocol, port, path, security domain,
/// authentication type and access group.
public struct InternetPassword: PasswordItem {
    /// The stored attributes of the item.
    public var content: ItemContent

    /// Creates an item from stored attributes.
    public init(content: ItemContent) { self.content = content }

    /// The item class of internet passwords.
    public static var itemClass: KeychainItemClass { .internetPassword }

    /// Creates an item that describes a password for a server.
    ///
    /// - Parameters:
    ///   - server: The name or address of the server.
    ///   - account: The account, such as the user name.
    ///   - protocol: The protocol; `nil` for none.
    ///   - port: The port; `nil` for none.
    public init(server: String, account: String, protocol: InternetProtocol? = nil, port: Int? = nil) {
        content = ItemContent()
        self.account = ItemString(account)
        self.server = ItemString(server)
        self.protocol = `protocol`
        self.port = port
    }

    /// The name or address of the server; empty if the item has none.
    public var server: ItemString {
        get { content[.server] ?? "" }
        set { content[.server] = newValue }
    }

    /// The protocol; `nil` if the item has none.
    public var `protocol`: InternetProtocol? {
        get { content.name(.protocol).map { InternetProtocol(rawValue: $0) } }
        set { content[.protocol] = newValue.map { ItemString($0.rawValue) } }
    }

    /// The port; `nil` if the item has none.
    public var port: Int? {
        get { content[number: .port].flatMap { $0 == 0 ? nil : Int($0) } }
        set { content[number: .port] = newValue.map { Int64($0) } }
    }

    /// The path on the server; `nil` if the item has none.
    public var path: ItemString? {
        get { content.nonEmpty(.path) }
        set { content[.path] = newValue }
    }

    /// The security domain, such as a Windows domain; `nil` if absent.
    public var securityDomain: ItemString? {
        get { content.nonEmpty(.securityDomain) }
        set { content[.securityDomain] = newValue }
    }

    /// The authentication method; `nil` if the item does not specify it.
    public var authenticationType: AuthenticationType? {
        get { content.nonEmpty(.authenticationType).map { AuthenticationType(rawValue: $0.description) } }
        set { content[.authenticationType] = newValue.map { ItemString($0.rawValue) } }
    }
}

/// A network protocol, as a four-letter code of `kSecAttrProtocol`.
public struct InternetProtocol: RawRepresentable, Hashable, Sendable {
    /// The four-letter code.
    public let rawValue: String

    /// Creates a protocol from its four-letter code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// HTTPS.
    public static let https = Self(rawValue: "htps")
    /// HTTP.
    public static let http = Self(rawValue: "http")
    /// SSH.
    public static let ssh = Self(rawValue: "ssh ")
    /// IMAP over TLS.
    public static let imaps = Self(rawValue: "imps")
    /// IMAP.
    public static let imap = Self(rawValue: "imap")
    /// SMTP.
    public static let smtp = Self(rawValue: "smtp")
    /// POP3 over TLS.
    public static let pop3s = Self(rawValue: "pops")
    /// POP3.
    public static let pop3 = Self(rawValue: "pop3")
    /// FTP.
    public static let ftp = Self(rawValue: "ftp ")
    /// FTP over TLS.
    public static let ftps = Self(rawValue: "ftps")
    /// LDAP.
    public static let ldap = Self(rawValue: "ldap")
    /// LDAP over TLS.
    public static let ldaps = Self(rawValue: "ldps")
    /// SMB.
    public static let smb = Self(rawValue: "smb ")
}

/// An authentication method, as a four-letter code of `kSecAttrAuthenticationType`.
public struct AuthenticationType: RawRepresentable, Hashable, Sendable {
    /// The four-letter code.
    public let rawValue: String

    /// Creates an authentication method from its four-letter code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// HTTP Basic.
    public static let httpBasic = Self(rawValue: "http")
    /// HTTP Digest.
    public static let httpDigest = Self(rawValue: "httd")
    /// A form on a web page.
    public static let htmlForm = Self(rawValue: "form")
    /// NTLM.
    public static let ntlm = Self(rawValue: "ntlm")
}

extension ItemContent {
    /// Returns a string attribute; `nil` if it is empty.
    ///
    /// The keychain stores an absent attribute as an empty string.
    fileprivate func nonEmpty(_ attribute: Attribute) -> ItemString? {
        self[attribute].flatMap { $0.bytes.isEmpty ? nil : $0 }
    }

    /// Returns a four-letter code; `nil` if the value is a number.
    ///
    /// The keychain stores an absent attribute as the number 0.
    fileprivate func name(_ attribute: Attribute) -> String? {
        if case .string(let name)? = attributes[attribute] { name } else { nil }
    }
}
