/** The code of an earlier release, with its packages, to run its processes beside those of this checkout. */
import { join } from 'node:path'
import { getOrFillCacheDirectory } from '../testing/services/cache.ts'
import { runCommand } from '../testing/services/run-command.ts'
import { ensureCommit, type Release } from './releases.ts'

const ownCheckout = join(import.meta.dirname, '..')

/** Returns its directory, which is kept for all clones. The first time it takes about a minute. */
export const getReleaseCheckout = ({ version, commit }: Release): Promise<string> =>
  getOrFillCacheDirectory('release', `${version}-${commit.slice(0, 12)}`, async (directory) => {
    await ensureCommit(ownCheckout, commit)
    const archive = join(directory, 'release.tar')
    await runCommand(['git', 'archive', `--output=${archive}`, commit], { cwd: ownCheckout })
    await runCommand(['tar', '--extract', `--file=${archive}`, `--directory=${directory}`])
    await runCommand(['rm', archive])
    await runCommand(['./setup'], { cwd: directory, env: process.env })
  })
