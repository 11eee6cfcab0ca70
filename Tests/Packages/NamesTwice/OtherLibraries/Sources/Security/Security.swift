// SPDX-License-Identifier: Apache-2.0

/// Stands for what another package has under this name.
public enum SecurityOrigin {
    /// Whether it is the other package's, and not ours.
    public static let isOtherLibrary = true
}
