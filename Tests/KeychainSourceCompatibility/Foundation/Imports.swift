// SPDX-License-Identifier: Apache-2.0

// As the README recommends: every file of this target can use names of Security, whatever it imports.
#if os(Linux)
@_exported public import Security
#endif
