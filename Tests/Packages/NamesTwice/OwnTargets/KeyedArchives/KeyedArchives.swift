// SPDX-License-Identifier: Apache-2.0

/// A target of the app.
public let keyedArchivesTarget = "KeyedArchives"
