// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Names and secrets with a marker, so that tests can find them in files.
package enum Canary {
    package static let marker = "canary"

    /// A unique string for each call.
    package static func make(_ role: String) -> String {
        "\(marker)-\(role)-\(UInt64.random(in: .min ... .max))"
    }

    /// The files of a directory that contain the marker.
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
