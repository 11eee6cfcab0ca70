// SPDX-License-Identifier: Apache-2.0

import KeychainItems

let vault = Vault(service: "com.example.server")

// Run once: stores the certificate and the key, which an administrator has in files, in the keychain.
let certificate = try Certificate(pem: certificatePEM)
let (key, secret) = try Key.read(pem: keyPEM)
let identity = try Identity(certificate: certificate, key: key)
try vault.set(identity, secret: secret)

// Run when the server starts: gets the certificate and the key in the formats that a TLS library reads.
for (identity, secret) in try vault.items(matching: .identities(label: "server.example"), including: .secret)
{
    guard let secret else { continue }
    let der = identity.certificate.der
    let pkcs8 = try identity.key.pkcs8(secret)
    print(identity.certificate.subject ?? "", der.count, "bytes, its key", pkcs8.count, "bytes")
}
try vault.remove(identity)

var certificatePEM: String {
    """
    -----BEGIN CERTIFICATE-----
    MIIBiTCCAS+gAwIBAgIUB3fPqbCObObs0Y1BdurizzfItq0wCgYIKoZIzj0EAwIw
    GTEXMBUGA1UEAwwOc2VydmVyLmV4YW1wbGUwIBcNMjYxMTIzMTUzMzExWhgPMjEy
    NjEwMzAxNTMzMTFaMBkxFzAVBgNVBAMMDnNlcnZlci5leGFtcGxlMFkwEwYHKoZI
    zj0CAQYIKoZIzj0DAQcDQgAEmSUFbWnq2h1aDbQUdrDU6Y8YpJaoohfHwsFcpgbm
    5igkr3wVpeSNvGyXoPrdSKMNeumWKmjeO8wk+gbzN2csNaNTMFEwHQYDVR0OBBYE
    FELVRFCBp9xBc4EcKtKrLWSln+LYMB8GA1UdIwQYMBaAFELVRFCBp9xBc4EcKtKr
    LWSln+LYMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhAJStnSjC
    hk5N+XgcIBrZK5MTQnb70NAohLQgiEJrGpeTAiA9DFJyL5eUb5ZRR82Le36DCk/l
    WLI7/AT69jWNETzkjA==
    -----END CERTIFICATE-----
    """
}

var keyPEM: String {
    """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgob3Dx6yks1k1/Y1t
    XnTKI5phb6om3y3mChDTC/jqBnChRANCAASZJQVtaeraHVoNtBR2sNTpjxiklqii
    F8fCwVymBubmKCSvfBWl5I28bJeg+t1Iow166ZYqaN47zCT6BvM3Zyw1
    -----END PRIVATE KEY-----
    """
}
