// SPDX-License-Identifier: Apache-2.0

/// A type for source compatibility with Valet; it has no functions.
public final class SecureEnclave: Sendable {
    private init() {}
}
