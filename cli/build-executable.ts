/**
 * Makes a single executable of the command: a copy of Node with the bundle in it, as https://nodejs.org/api/single-executable-applications.html
 * describes. For the platform of this machine.
 *
 * npm run build:executable -- FILE
 */

import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'postject'
import { bundleCommand } from './bundle.ts'

/** The marker in the binary of Node that says whether it contains a program. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

export async function buildExecutable(output: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-executable-'))
  try {
    const main = join(folder, 'colophon.cjs')
    const blob = join(folder, 'colophon.blob')
    const config = join(folder, 'sea-config.json')
    writeFileSync(main, (await bundleCommand('cjs')).code)
    writeFileSync(config, JSON.stringify({ main, output: blob, disableExperimentalSEAWarning: true }))
    execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: 'pipe' })
    copyFileSync(realpathSync(process.execPath), output)
    await inject(output, 'NODE_SEA_BLOB', readFileSync(blob), { sentinelFuse: fuse })
    chmodSync(output, 0o755)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (import.meta.main) {
  const [output] = process.argv.slice(2)
  if (output === undefined) throw new Error('Usage: npm run build:executable -- FILE')
  await buildExecutable(output)
}
