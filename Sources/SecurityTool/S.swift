import ArgumentParser

@main struct S: ParsableCommand { func run() {} }
