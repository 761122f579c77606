/**
 * The one setting for the names under which our packages are published, and which people import. Inside this repository, the
 * workspaces keep their own names.
 *
 * Nobody owns this scope on npm yet, so no page tells people to install a package by its name: it could be someone else's. Each
 * instance serves its own clients instead, at `sdkPackagePath` and `commandPath`.
 */
const npmScope = '@colophon'

export const npmNames = { sdk: `${npmScope}/sdk`, cli: `${npmScope}/cli` } as const

/** Where an instance serves the client that belongs to its version. Stable: people have it in their package.json. */
export const sdkPackagePath = '/clients/sdk.tgz'

/** Where an instance serves the `colophon` command, as one file that Node runs. */
export const commandPath = '/clients/colophon.mjs'
