import { findBinary } from './find-binary.ts'
import { ensureSystemPackage } from './system-package.ts'

const packages: readonly [name: string, ...programs: string[]][] = [
  ['git', 'git'],
  ['bubblewrap', 'bwrap'],
  ['ripgrep', 'rg'],
  ['fd-find', 'fdfind', 'fd'],
]

/**
 * Installs the system packages that the runner's sandbox and the agent in it need. Linux only, like the sandbox;
 * everything else works without it.
 */
export async function ensureSandboxPackages(): Promise<void> {
  if (process.platform !== 'linux') return
  for (const [name, ...programs] of packages)
    await ensureSystemPackage(name, () => programs.some((program) => findBinary(program) !== undefined))
}
