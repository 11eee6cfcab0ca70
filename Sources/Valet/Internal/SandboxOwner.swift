// SPDX-License-Identifier: Apache-2.0

import KeychainServices

/// What the three kinds of valets have in common.
protocol SandboxOwner {
    var sandbox: Sandbox { get }
}

extension SandboxOwner {
    var service: Service { sandbox.service }
    var configuration: Configuration { service.configuration }

    /// What every item of the valet has.
    var baseKeychainQuery: [String: AnyHashable] { service.attributes }
}
