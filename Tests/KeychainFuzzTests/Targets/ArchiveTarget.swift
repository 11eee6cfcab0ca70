// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// Imports a PKCS #12 archive or an encrypted key with a passphrase.
///
/// Without the package trait `PKCS12`, archives and encrypted keys are not parsed.
func fuzzArchive(_ data: Data) {
    let file = NSData(data: data)
    // The inputs that the corpus started with have this passphrase.
    let passphrase: NSString = "secret"
    var archived: CFArray?
    let options: NSDictionary = [kSecImportExportPassphrase: passphrase]
    let status = SecPKCS12Import(file, options, &archived)
    precondition(status != errSecSuccess || archived != nil)
    var parameters = SecItemImportExportKeyParameters()
    parameters.passphrase = Unmanaged.passUnretained(passphrase)
    var items: CFArray?
    let imported = SecItemImport(file, nil, nil, nil, [], &parameters, nil, &items)
    precondition((imported == errSecSuccess) == (items != nil))
}
