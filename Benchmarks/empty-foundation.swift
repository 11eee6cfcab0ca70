// SPDX-License-Identifier: Apache-2.0

// As little as a program can do that has a dictionary of the item API in its hand.
import Foundation

let query = NSMutableDictionary()
query["class"] = "genp" as NSString
exit(query.count == 1 ? 0 : 1)
