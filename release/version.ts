/** Versions of releases, and the files that carry them. */

export interface Version {
  major: number
  minor: number
  patch: number
  /** `rc.1` of `1.0.0-rc.1`. */
  prerelease: string | undefined
}

/** Semantic Versioning without build metadata, which a container image's tag cannot have. */
const pattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-z-][\da-z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-z-][\da-z-]*))*))?$/i

export function parseVersion(text: string): Version | undefined {
  const [match, major, minor, patch, prerelease] = pattern.exec(text) ?? []
  return match === undefined
    ? undefined
    : { major: Number(major), minor: Number(minor), patch: Number(patch), prerelease }
}

/** Negative, zero or positive, like the order of Semantic Versioning. */
export function compareVersions(left: Version, right: Version): number {
  return (
    left.major - right.major ||
    left.minor - right.minor ||
    left.patch - right.patch ||
    comparePrereleases(left.prerelease, right.prerelease)
  )
}

function comparePrereleases(left: string | undefined, right: string | undefined): number {
  if (left === right) return 0
  if (left === undefined) return 1
  if (right === undefined) return -1
  const lefts = left.split('.')
  const rights = right.split('.')
  for (const [index, one] of lefts.entries()) {
    const other = rights[index]
    if (other === undefined) return 1
    if (one === other) continue
    const isNumber = /^\d+$/.test(one)
    if (isNumber !== /^\d+$/.test(other)) return isNumber ? -1 : 1
    return isNumber ? Number(one) - Number(other) : one < other ? -1 : 1
  }
  return -1
}

/** Returns why the version cannot be released, or undefined. `released` is in the order of the versions. */
export function versionProblem(
  text: string,
  { current, released }: { current: string; released: readonly string[] },
): string | undefined {
  const version = parseVersion(text)
  if (!version) return `"${text}" is not a version like 1.2.3 or 1.2.3-rc.1.`
  const currentVersion = parseVersion(current)
  if (currentVersion && compareVersions(version, currentVersion) < 0)
    return `${text} is older than ${current}, the version in package.json.`
  const newest = released.at(-1)
  return newest === undefined || isNewer(text, newest)
    ? undefined
    : `${text} is not newer than ${newest}, which is released.`
}

export function isNewer(version: string, other: string): boolean {
  const left = parseVersion(version)
  const right = parseVersion(other)
  return left !== undefined && right !== undefined && compareVersions(left, right) > 0
}

interface Manifest {
  version?: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

const ownPackage = /^@colophon\//

/** Our own packages depend on each other in exactly their own version. */
function withVersion<Type extends Manifest>(manifest: Type, version: string): Type {
  const { dependencies, devDependencies } = manifest
  return {
    ...manifest,
    ...(manifest.version !== undefined && { version }),
    ...(dependencies && { dependencies: withOwnVersion(dependencies, version) }),
    ...(devDependencies && { devDependencies: withOwnVersion(devDependencies, version) }),
  }
}

const withOwnVersion = (dependencies: Record<string, string>, version: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(dependencies).map(([name, range]) => [name, ownPackage.test(name) ? version : range]),
  )

const format = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

export const setManifestVersion = (text: string, version: string): string =>
  format(withVersion(JSON.parse(text) as Manifest, version))

export function setLockfileVersion(text: string, version: string): string {
  const lockfile = JSON.parse(text) as { version?: string; packages: Record<string, Manifest> }
  const packages = Object.entries(lockfile.packages).map(([path, entry]) => [
    path,
    path.includes('node_modules/') ? entry : withVersion(entry, version),
  ])
  return format({ ...withVersion(lockfile, version), packages: Object.fromEntries(packages) })
}

/** Line by line, so that comments stay. The chart has the version of the images that it installs. */
export function setChartVersion(text: string, version: string): string {
  const result = text
    .replace(/^version: .*$/m, `version: ${version}`)
    .replace(/^appVersion: .*$/m, `appVersion: "${version}"`)
  if (!result.includes(`\nappVersion: "${version}"`)) throw new Error('Chart.yaml has no appVersion.')
  return result
}
