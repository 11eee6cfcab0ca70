// SPDX-License-Identifier: Apache-2.0

/// Represents another package's module of this name.
public enum LockboxOrigin {
    /// Whether this is the other package's type.
    public static let isOtherLibrary = true
}
