import { findBinary } from './find-binary.ts'
import { ensureSystemPackage } from './system-package.ts'

const packages: readonly [name: string, ...programs: string[]][] = [
  ['git', 'git'],
  ['bubblewrap', 'bwrap'],
  ['ripgrep', 'rg'],
  ['fd-find', 'fdfind', 'fd'],
]

/** What the runner's sandbox and the agent in it need from the system. The sandbox is Linux only; the rest works without. */
export async function ensureSandboxPackages(): Promise<void> {
  if (process.platform !== 'linux') return
  for (const [name, ...programs] of packages)
    await ensureSystemPackage(name, () => programs.some((program) => findBinary(program) !== undefined))
}
