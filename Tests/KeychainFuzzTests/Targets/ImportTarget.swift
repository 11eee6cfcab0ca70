// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// Imports a file of keys and certificates; the imported items must be the same after export and import.
func fuzzImport(_ data: Data) {
    guard let items = imported(NSData(data: data)) else { return }
    precondition(!items.isEmpty)
    var bytes: CFData?
    precondition(SecItemExport(items as NSArray, .formatPEMSequence, [], nil, &bytes) == errSecSuccess)
    precondition(bytes.flatMap(imported).map { Set($0) } == Set(items))
}

private func imported(_ data: NSData) -> [NSObject]? {
    var (format, type) = (SecExternalFormat.formatUnknown, SecExternalItemType.itemTypeUnknown)
    var items: CFArray?
    let status = SecItemImport(data, nil, &format, &type, [], nil, nil, &items)
    precondition((status == errSecSuccess) == (items != nil))
    precondition((items != nil) == (format != .formatUnknown && type != .itemTypeUnknown))
    return items as? [NSObject]
}
