// SPDX-License-Identifier: Apache-2.0
// Scripts/check-threads appends this file to the manifest of a copy of the package.

/// The test targets that Scripts/check-threads builds, with their dependencies.
let watched: Set = [
    "KeychainStoreTests", "KeychainClientTests", "KeychainTestingTests", "KeychainValetTests",
    "KeychainFXKeychainTests", "KeychainLockboxTests",
]

func dependencies(of target: Target) -> [String] {
    target.dependencies.compactMap { dependency in
        switch dependency {
        case .targetItem(let name, _), .byNameItem(let name, _): name
        default: nil
        }
    }
}

var needed = watched
var unseen = Array(watched)
while let name = unseen.popLast() {
    for target in package.targets where target.name == name {
        unseen += dependencies(of: target).filter { needed.insert($0).inserted }
    }
}
package.targets.removeAll { !needed.contains($0.name) }
package.products.removeAll()
for target in package.targets where target.swiftSettings != nil { target.dependencies.append("WatchedMutex") }
package.targets += [
    .target(name: "WatchedMutex"),
    .testTarget(name: "RaceTests", dependencies: ["WatchedMutex"]),
]
