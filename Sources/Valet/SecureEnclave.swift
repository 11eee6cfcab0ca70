// SPDX-License-Identifier: Apache-2.0

/// A name that Valet has; nothing can be done with it.
public final class SecureEnclave: Sendable {
    private init() {}
}
