// SPDX-License-Identifier: Apache-2.0

// Programs that use Valet also call SecItem, and pass its constants in queries.
@_exported public import KeychainServices
