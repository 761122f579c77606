/**
 * npm run lockfile: completes package-lock.json, so that `npm ci` accepts it on every platform.
 *
 * npm leaves an optional package out of the lockfile if the registry does not answer for it, and a mirror can lack the packages
 * of other platforms. Then `npm ci` rejects the lockfile everywhere. This adds these packages, and the hashes that are missing.
 * If the registry does not have a version, its platform is taken from its name, and its hash is left out until this runs with
 * a complete registry. Without a hash in the lockfile, npm compares the package with the hash that the registry has.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../testing/services/run-command.ts'

interface LockedPackage {
  version?: string
  integrity?: string
  link?: boolean
  dev?: boolean
  optional?: boolean
  hasInstallScript?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  license?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

export interface Lockfile {
  packages: Record<string, LockedPackage>
}

/** A version of a package, as the registry describes it. */
export interface PublishedPackage extends LockedPackage {
  dist?: { integrity?: string }
}

const nameOf = (path: string) => path.replace(/^(.*\/)?node_modules\//, '')

const isFromRegistry = (path: string, { link }: LockedPackage) => path.includes('node_modules/') && !link

/** The optional dependencies that are in no place of the lockfile, with the package that has them. */
export function missingOptionalPackages({ packages }: Lockfile): { name: string; version: string; of: string }[] {
  const locked = new Set(Object.keys(packages).map(nameOf))
  return Object.entries(packages).flatMap(([of, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !locked.has(name))
      .map(([name, version]) => ({ name, version, of })),
  )
}

/** The packages whose content npm cannot verify from the lockfile alone. */
export const packagesWithoutHash = ({ packages }: Lockfile): string[] =>
  Object.entries(packages)
    .filter(([path, entry]) => isFromRegistry(path, entry) && entry.integrity === undefined)
    .map(([path]) => path)

/** In npm's order, so that npm does not change the file again. */
export function lockEntry(
  version: string,
  { dev = false, published }: { dev?: boolean; published: PublishedPackage },
): LockedPackage {
  const { dist, cpu, libc, license, os, dependencies } = published
  const integrity = published.version === version ? dist?.integrity : undefined
  return {
    version,
    ...(integrity && { integrity }),
    ...(cpu && { cpu }),
    ...(dev && { dev }),
    ...(libc && { libc }),
    ...(license && { license }),
    optional: true,
    ...(os && { os }),
    ...(dependencies && { dependencies }),
  }
}

/** `binding-linux-arm64-musl` is for Linux on arm64 with musl; every package that has such a name is for that platform. */
export function platformInName(name: string): Pick<LockedPackage, 'os' | 'cpu' | 'libc'> {
  const [, os, cpu] = /-(android|darwin|freebsd|linux|openharmony|win32)-([a-z]+\d*[a-z]*)/.exec(name) ?? []
  if (os === undefined || cpu === undefined) {
    if (name.endsWith('-wasm32-wasi')) return { cpu: ['wasm32'] }
    throw new Error(`${name} does not name its platform.`)
  }
  const [, libc] = os === 'linux' ? (/-(gnu|musl)$/.exec(name) ?? []) : []
  return { os: [os], cpu: [cpu], ...(libc && { libc: [libc === 'gnu' ? 'glibc' : libc] }) }
}

export const inNpmOrder = (packages: Lockfile['packages']): Lockfile['packages'] =>
  Object.fromEntries(Object.entries(packages).toSorted(([left], [right]) => left.localeCompare(right, 'en')))

async function readFromRegistry(name: string, version: string): Promise<PublishedPackage> {
  // npm succeeds and prints nothing if it knows the package but not the version.
  const text = await runCommand(['npm', 'view', `${name}@${version}`, '--json']).catch(() => '')
  return text === '' ? platformInName(name) : (JSON.parse(text) as PublishedPackage)
}

async function completeLockfile(file: string): Promise<void> {
  const lockfile = JSON.parse(readFileSync(file, 'utf8')) as Lockfile
  const { packages } = lockfile
  for (const path of packagesWithoutHash(lockfile)) {
    const entry = packages[path]
    if (!entry?.version) continue
    const { dist } = await readFromRegistry(nameOf(path), entry.version)
    const { version, ...rest } = entry
    if (dist?.integrity) packages[path] = { version, integrity: dist.integrity, ...rest }
  }
  for (const { name, version, of } of missingOptionalPackages(lockfile)) {
    const { dev = false } = packages[of] ?? {}
    packages[`node_modules/${name}`] = lockEntry(version, { dev, published: await readFromRegistry(name, version) })
    console.log(`added ${name} ${version}`)
  }
  const withoutHash = packagesWithoutHash(lockfile)
  writeFileSync(file, `${JSON.stringify({ ...lockfile, packages: inNpmOrder(packages) }, null, 2)}\n`)
  for (const path of withoutHash) console.log(`without a hash, because the registry does not have it: ${nameOf(path)}`)
  console.log(`${file} is complete, except for ${withoutHash.length} hashes.`)
}

if (import.meta.main) await completeLockfile(process.argv[2] ?? join(import.meta.dirname, '../package-lock.json'))
