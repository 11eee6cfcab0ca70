// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel

func fuzzEntitlements(_ data: Data) {
    guard let entitlements = try? Entitlements(propertyList: Array(data)) else { return }
    let caller = entitlements.caller(executable: "/usr/bin/program")
    precondition(!caller.applicationIdentifier.isEmpty)
}
