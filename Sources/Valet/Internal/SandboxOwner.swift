// SPDX-License-Identifier: Apache-2.0

import KeychainServices

/// The properties that the three kinds of valets share.
protocol SandboxOwner {
    var sandbox: Sandbox { get }
}

extension SandboxOwner {
    var service: Service { sandbox.service }
    var configuration: Configuration { service.configuration }

    /// The attributes of every item of the valet.
    var baseKeychainQuery: [String: AnyHashable] { service.attributes }
}
