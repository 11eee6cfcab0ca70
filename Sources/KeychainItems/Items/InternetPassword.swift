// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// A password of a server; its account and all that describes the server make it unique.
public struct InternetPassword: PasswordItem {
    /// What the keychain knows of the item.
    public var content: ItemContent

    /// Makes an item of what the keychain knows.
    public init(content: ItemContent) { self.content = content }

    /// The class of internet passwords.
    public static var itemClass: KeychainItemClass { .internetPassword }

    /// Describes a password of a server.
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

    /// The security domain, as of a Windows network; `nil` if the item has none.
    public var securityDomain: ItemString? {
        get { content.nonEmpty(.securityDomain) }
        set { content[.securityDomain] = newValue }
    }

    /// How the user is authenticated; `nil` if the item does not say.
    public var authenticationType: AuthenticationType? {
        get { content.nonEmpty(.authenticationType).map { AuthenticationType(rawValue: $0.description) } }
        set { content[.authenticationType] = newValue.map { ItemString($0.rawValue) } }
    }
}

/// A protocol, by the four letters that `kSecAttrProtocol` has for it.
public struct InternetProtocol: RawRepresentable, Hashable, Sendable {
    /// The four letters.
    public let rawValue: String

    /// Names a protocol by its four letters.
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

/// How a server authenticates the user, by the four letters that `kSecAttrAuthenticationType` has for it.
public struct AuthenticationType: RawRepresentable, Hashable, Sendable {
    /// The four letters.
    public let rawValue: String

    /// Names a way by its four letters.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// HTTP Basic.
    public static let httpBasic = Self(rawValue: "http")
    /// HTTP Digest.
    public static let httpDigest = Self(rawValue: "httd")
    /// A form on a page.
    public static let htmlForm = Self(rawValue: "form")
    /// NTLM.
    public static let ntlm = Self(rawValue: "ntlm")
}

extension ItemContent {
    /// A string other than the empty one, which stands for none.
    fileprivate func nonEmpty(_ attribute: Attribute) -> ItemString? {
        self[attribute].flatMap { $0.bytes.isEmpty ? nil : $0 }
    }

    /// Four letters; a number stands for none.
    fileprivate func name(_ attribute: Attribute) -> String? {
        if case .text(let name)? = attributes[attribute] { name } else { nil }
    }
}
