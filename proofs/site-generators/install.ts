/** Installs site generators at exact versions, outside the checkout, so that all clones share them. */
import { writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { getOrFillCacheDirectory } from '../../testing/services/cache.ts'
import { findBinary } from '../../testing/services/find-binary.ts'
import { runCommand } from '../../testing/services/run-command.ts'
import { ensureSystemPackage } from '../../testing/services/system-package.ts'

export type Installation =
  | { from: 'npm'; packages: readonly string[]; overrides?: Readonly<Record<string, string>> }
  | { from: 'pypi'; packages: readonly string[] }
  | { from: 'crates'; crate: string; version: string; arguments: readonly string[] }
  /** The version is the distribution's. */
  | { from: 'debian'; package: string }

const cargoDirectories = [join(homedir(), '.cargo/bin')]

/** Returns the directory that it is installed in. */
export async function install(name: string, installation: Installation): Promise<string> {
  switch (installation.from) {
    case 'npm':
      return getOrFillCacheDirectory(`site-${name}`, versionOf(installation.packages), async (directory) => {
        const { packages, overrides } = installation
        await writeFile(join(directory, 'package.json'), JSON.stringify({ private: true, overrides }))
        const npm = [
          'npm',
          'install',
          '--ignore-scripts',
          '--save-exact',
          '--no-audit',
          '--no-fund',
          '--loglevel=error',
        ]
        await runCommand([...npm, ...packages], { cwd: directory })
      })
    case 'pypi':
      return getOrFillCacheDirectory(`site-${name}`, versionOf(installation.packages), async (directory) => {
        // Its scripts contain the path of the directory, which changes: builds use `bin/python -m`.
        await runCommand(['python3', '-m', 'venv', '--clear', directory])
        const pip = [join(directory, 'bin/python'), '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
        await runCommand([...pip, ...installation.packages])
      })
    case 'crates':
      return getOrFillCacheDirectory(`site-${name}`, installation.version, async (directory) => {
        const cargo = findBinary('cargo', cargoDirectories) ?? 'cargo'
        const { crate, version, arguments: options } = installation
        await runCommand([cargo, 'install', crate, '--version', version, '--locked', '--root', directory, ...options])
      })
    case 'debian':
      await ensureSystemPackage(installation.package, () => findBinary(installation.package) !== undefined)
      return '/usr'
  }
}

const versionOf = ([first = '']: readonly string[]): string => first.replace(/^.*[@=]/, '')
