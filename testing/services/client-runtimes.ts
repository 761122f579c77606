/** The JavaScript runtimes that our TypeScript client must run in, besides the Node that runs this. From npm, for Linux. */
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getOrFillCacheDirectory } from './cache.ts'
import { showProgress } from './progress-display.ts'
import { runCommand } from './run-command.ts'

/** Paths of the programs. */
export interface ClientRuntimes {
  /** The oldest version that the client supports. */
  node20: string
  deno: string
  bun: string
  /** The runtime of Cloudflare Workers. */
  workerd: string
}

const versions = 'node-20.0.0-deno-2.9.6-bun-1.4.4-workerd-1.20261110.1'

export async function getClientRuntimes(): Promise<ClientRuntimes> {
  const directory = await getOrFillCacheDirectory('client-runtimes', versions, async (partDirectory) => {
    const progress = showProgress('Fetching Node 20, Deno, Bun and workerd (490 MB)', 30)
    const from = join(import.meta.dirname, 'client-runtimes-package')
    for (const file of ['package.json', 'package-lock.json'])
      await copyFile(join(from, file), join(partDirectory, file))
    // Not `npm ci`: it requires the optional packages of platforms other than the one that the lockfile was created on.
    const install = ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    await runCommand(install, { cwd: partDirectory }).finally(() => progress.done())
  })
  const packages = join(directory, 'node_modules')
  const isArm = process.arch === 'arm64'
  return {
    node20: join(packages, `node-linux-${process.arch}/bin/node`),
    deno: join(packages, `@deno/linux-${process.arch}-glibc/deno`),
    bun: join(packages, `@oven/bun-linux-${isArm ? 'aarch64' : 'x64'}/bin/bun`),
    workerd: join(packages, `@cloudflare/workerd-linux-${isArm ? 'arm64' : '64'}/bin/workerd`),
  }
}
