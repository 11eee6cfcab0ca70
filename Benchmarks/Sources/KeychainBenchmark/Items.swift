// SPDX-License-Identifier: Apache-2.0

import CReference
import Foundation

/// The names and secrets of the items, which are the same in every store and in the C reference.
enum Items {
    static func service(_ item: Int) -> String { text { reference_service($0, item) } }

    static func account(_ item: Int) -> String { text { reference_account($0, item) } }

    static func label(_ item: Int) -> String { text { reference_label($0, item) } }

    static func secret(_ item: Int, version: Int = 0) -> Data {
        var bytes = [UInt8](repeating: 0, count: Int(REFERENCE_SECRET))
        reference_secret(&bytes, item, version)
        return Data(bytes)
    }

    /// Maps consecutive numbers to items that are far apart in the index.
    static func scattered(_ number: Int, among items: Int) -> Int { number &* 7_919 % items }

    private static func text(_ write: (UnsafeMutablePointer<CChar>) -> Void) -> String {
        var buffer = [CChar](repeating: 0, count: 40)
        write(&buffer)
        return buffer.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
    }
}

struct Names {
    let services: [String]
    let accounts: [String]

    init(_ count: Int) {
        services = (0..<count).map(Items.service)
        accounts = (0..<count).map(Items.account)
    }
}
