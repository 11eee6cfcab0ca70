import Foundation
print("hi")
