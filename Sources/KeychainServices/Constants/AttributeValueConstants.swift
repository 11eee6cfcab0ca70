// SPDX-License-Identifier: Apache-2.0

public import Foundation

// MARK: Protocols

/// The protocol is FTP.
@safe public nonisolated(unsafe) let kSecAttrProtocolFTP: CFString = "ftp "

/// The protocol is FTP, for a client-side account.
@safe public nonisolated(unsafe) let kSecAttrProtocolFTPAccount: CFString = "ftpa"

/// The protocol is HTTP.
@safe public nonisolated(unsafe) let kSecAttrProtocolHTTP: CFString = "http"

/// The protocol is IRC.
@safe public nonisolated(unsafe) let kSecAttrProtocolIRC: CFString = "irc "

/// The protocol is NNTP.
@safe public nonisolated(unsafe) let kSecAttrProtocolNNTP: CFString = "nntp"

/// The protocol is POP3.
@safe public nonisolated(unsafe) let kSecAttrProtocolPOP3: CFString = "pop3"

/// The protocol is SMTP.
@safe public nonisolated(unsafe) let kSecAttrProtocolSMTP: CFString = "smtp"

/// The protocol is SOCKS.
@safe public nonisolated(unsafe) let kSecAttrProtocolSOCKS: CFString = "sox "

/// The protocol is IMAP.
@safe public nonisolated(unsafe) let kSecAttrProtocolIMAP: CFString = "imap"

/// The protocol is LDAP.
@safe public nonisolated(unsafe) let kSecAttrProtocolLDAP: CFString = "ldap"

/// The protocol is AFP over AppleTalk.
@safe public nonisolated(unsafe) let kSecAttrProtocolAppleTalk: CFString = "atlk"

/// The protocol is AFP over TCP.
@safe public nonisolated(unsafe) let kSecAttrProtocolAFP: CFString = "afp "

/// The protocol is Telnet.
@safe public nonisolated(unsafe) let kSecAttrProtocolTelnet: CFString = "teln"

/// The protocol is SSH.
@safe public nonisolated(unsafe) let kSecAttrProtocolSSH: CFString = "ssh "

/// The protocol is FTP over TLS.
@safe public nonisolated(unsafe) let kSecAttrProtocolFTPS: CFString = "ftps"

/// The protocol is HTTP over TLS.
@safe public nonisolated(unsafe) let kSecAttrProtocolHTTPS: CFString = "htps"

/// The protocol is an HTTP proxy.
@safe public nonisolated(unsafe) let kSecAttrProtocolHTTPProxy: CFString = "htpx"

/// The protocol is an HTTPS proxy.
@safe public nonisolated(unsafe) let kSecAttrProtocolHTTPSProxy: CFString = "htsx"

/// The protocol is an FTP proxy.
@safe public nonisolated(unsafe) let kSecAttrProtocolFTPProxy: CFString = "ftpx"

/// The protocol is SMB.
@safe public nonisolated(unsafe) let kSecAttrProtocolSMB: CFString = "smb "

/// The protocol is RTSP.
@safe public nonisolated(unsafe) let kSecAttrProtocolRTSP: CFString = "rtsp"

/// The protocol is an RTSP proxy.
@safe public nonisolated(unsafe) let kSecAttrProtocolRTSPProxy: CFString = "rtsx"

/// The protocol is DAAP.
@safe public nonisolated(unsafe) let kSecAttrProtocolDAAP: CFString = "daap"

/// The protocol is remote Apple events.
@safe public nonisolated(unsafe) let kSecAttrProtocolEPPC: CFString = "eppc"

/// The protocol is IPP.
@safe public nonisolated(unsafe) let kSecAttrProtocolIPP: CFString = "ipp "

/// The protocol is NNTP over TLS.
@safe public nonisolated(unsafe) let kSecAttrProtocolNNTPS: CFString = "ntps"

/// The protocol is LDAP over TLS.
@safe public nonisolated(unsafe) let kSecAttrProtocolLDAPS: CFString = "ldps"

/// The protocol is Telnet over TLS.
@safe public nonisolated(unsafe) let kSecAttrProtocolTelnetS: CFString = "tels"

/// The protocol is IMAP over TLS.
@safe public nonisolated(unsafe) let kSecAttrProtocolIMAPS: CFString = "imps"

/// The protocol is IRC over TLS.
@safe public nonisolated(unsafe) let kSecAttrProtocolIRCS: CFString = "ircs"

/// The protocol is POP3 over TLS.
@safe public nonisolated(unsafe) let kSecAttrProtocolPOP3S: CFString = "pops"

// MARK: Authentication types

/// The authentication type is Windows NT LAN Manager authentication.
@safe public nonisolated(unsafe) let kSecAttrAuthenticationTypeNTLM: CFString = "ntlm"

/// The authentication type is Microsoft Network authentication.
@safe public nonisolated(unsafe) let kSecAttrAuthenticationTypeMSN: CFString = "msna"

/// The authentication type is distributed password authentication.
@safe public nonisolated(unsafe) let kSecAttrAuthenticationTypeDPA: CFString = "dpaa"

/// The authentication type is remote password authentication.
@safe public nonisolated(unsafe) let kSecAttrAuthenticationTypeRPA: CFString = "rpaa"

/// The authentication type is HTTP Basic authentication.
@safe public nonisolated(unsafe) let kSecAttrAuthenticationTypeHTTPBasic: CFString = "http"

/// The authentication type is HTTP Digest authentication.
@safe public nonisolated(unsafe) let kSecAttrAuthenticationTypeHTTPDigest: CFString = "httd"

/// The authentication type is HTML form authentication.
@safe public nonisolated(unsafe) let kSecAttrAuthenticationTypeHTMLForm: CFString = "form"

/// The authentication type is the protocol's default.
@safe public nonisolated(unsafe) let kSecAttrAuthenticationTypeDefault: CFString = "dflt"

// MARK: Key classes

/// The key is a public key.
@safe public nonisolated(unsafe) let kSecAttrKeyClassPublic: CFString = "0"

/// The key is a private key.
@safe public nonisolated(unsafe) let kSecAttrKeyClassPrivate: CFString = "1"

/// The key is a symmetric key.
@safe public nonisolated(unsafe) let kSecAttrKeyClassSymmetric: CFString = "2"

// MARK: Key types

/// The key is for RSA.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeRSA: CFString = "42"

/// The key is for an elliptic curve over a prime field (P-256, P-384 or P-521).
@safe public nonisolated(unsafe) let kSecAttrKeyTypeECSECPrimeRandom: CFString = "73"

/// Deprecated alias of `kSecAttrKeyTypeECSECPrimeRandom`.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeEC: CFString = "73"

/// Deprecated alias of `kSecAttrKeyTypeECSECPrimeRandom`, from macOS.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeECDSA: CFString = "73"

/// The key is for the Secure Enclave's public key accelerator; not implemented here.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeECSECPrimeRandomPKA: CFString = "2147483678"

/// The key is for attestation by the Secure Enclave; not implemented here.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeSecureEnclaveAttestation: CFString = "2147483679"

/// The key is for anonymous attestation by the Secure Enclave; not implemented here.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeSecureEnclaveAnonymousAttestation: CFString = "2147483680"

/// The key is for Ed25519 signatures.
///
/// Such keys can be imported, stored and exported; no `SecKey` function generates them or signs with them.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeEd25519: CFString = "105"

/// The key is for X25519 key agreement; not implemented here.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeX25519: CFString = "106"

/// The key is for Ed448 signatures; not implemented here.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeEd448: CFString = "107"

/// The key is for X448 key agreement; not implemented here.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeX448: CFString = "108"

/// The key is for Kyber key encapsulation; not implemented here.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeKyber: CFString = "109"

/// The key is for ML-KEM key encapsulation; not implemented here.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeMLKEM: CFString = "110"

/// The key is for ML-DSA signatures; not implemented here.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeMLDSA: CFString = "111"

/// The key is for DES; implemented only on macOS.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeDES: CFString = "14"

/// The key is for triple DES; implemented only on macOS.
@safe public nonisolated(unsafe) let kSecAttrKeyType3DES: CFString = "17"

/// The key is for RC2; implemented only on macOS.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeRC2: CFString = "23"

/// The key is for RC4; implemented only on macOS.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeRC4: CFString = "25"

/// The key is for DSA; implemented only on macOS.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeDSA: CFString = "43"

/// The key is for CAST; implemented only on macOS.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeCAST: CFString = "56"

/// The key is for AES; implemented only on macOS.
@safe public nonisolated(unsafe) let kSecAttrKeyTypeAES: CFString = "2147483649"

// MARK: Hardware tokens

/// The token is the Secure Enclave; here, the daemon securityd creates and keeps the keys.
@safe public nonisolated(unsafe) let kSecAttrTokenIDSecureEnclave: CFString = "com.apple.setoken"

/// The token is the key store of Apple's kernels; does not exist here.
@safe public nonisolated(unsafe) let kSecAttrTokenIDAppleKeyStore: CFString = "com.apple.setoken:aks"

/// The token is the secure element of an Apple device; does not exist here.
@safe public nonisolated(unsafe) let kSecAttrTokenIDSecureElement: CFString = "com.apple.secelemtoken"

// MARK: Pseudorandom functions

/// The pseudorandom function is HMAC with SHA-1.
@safe public nonisolated(unsafe) let kSecAttrPRFHmacAlgSHA1: CFString = "hsha1"

/// The pseudorandom function is HMAC with SHA-224.
@safe public nonisolated(unsafe) let kSecAttrPRFHmacAlgSHA224: CFString = "hsha224"

/// The pseudorandom function is HMAC with SHA-256.
@safe public nonisolated(unsafe) let kSecAttrPRFHmacAlgSHA256: CFString = "hsha256"

/// The pseudorandom function is HMAC with SHA-384.
@safe public nonisolated(unsafe) let kSecAttrPRFHmacAlgSHA384: CFString = "hsha384"

/// The pseudorandom function is HMAC with SHA-512.
@safe public nonisolated(unsafe) let kSecAttrPRFHmacAlgSHA512: CFString = "hsha512"
