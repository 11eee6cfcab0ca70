// SPDX-License-Identifier: Apache-2.0

/// An empty type, for source compatibility with the Valet library.
public final class SecureEnclave: Sendable {
    private init() {}
}
