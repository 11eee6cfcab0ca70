// SPDX-License-Identifier: Apache-2.0

import KeychainServices

/// The properties that the three kinds of valets share.
protocol SandboxOwner {
    var sandbox: Sandbox { get }
}

extension SandboxOwner {
    var service: Service { sandbox.service }
    var configuration: Configuration { service.configuration }

    /// The attributes that all items of the valet have, as a query.
    var baseKeychainQuery: [String: AnyHashable] { service.attributes }
}
