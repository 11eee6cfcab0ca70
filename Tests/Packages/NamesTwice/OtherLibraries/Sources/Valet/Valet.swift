// SPDX-License-Identifier: Apache-2.0

/// Stands for the module of this name in another package.
public enum ValetOrigin {
    /// True, to show that this is the other package's type.
    public static let isOtherLibrary = true
}
