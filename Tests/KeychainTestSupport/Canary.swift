// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Test strings that contain the word "canary", so that a search of the store's files finds plaintext.
package enum Canary {
    package static let marker = "canary"

    /// Returns a unique string with the marker and a role, such as `canary-account-42`.
    package static func make(_ role: String) -> String {
        "\(marker)-\(role)-\(UInt64.random(in: .min ... .max))"
    }

    /// Returns the files in a directory that contain the marker in plaintext.
    package static func files(in directory: URL) throws -> [String] {
        let files = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
        return try files.filter { file in
            let url = directory.appending(path: file)
            guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
                return false
            }
            return try Data(contentsOf: url).range(of: Data(marker.utf8)) != nil
        }
    }
}
