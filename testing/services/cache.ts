/** Downloads and builds, by name and version, outside the checkout, so that all clones share them. */
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, rmdir, stat, utimes } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

// Not ~/.cache for root: other users cannot read root's home, and PostgreSQL and Gitea must not run as root. `setup`
// does the same.
const userCacheDirectory = process.getuid?.() === 0 ? '/var/cache' : join(homedir(), '.cache')
const cacheDirectory = join(process.env.XDG_CACHE_HOME ?? userCacheDirectory, 'colophon')

const directoryOf = (name: string, version: string) => join(cacheDirectory, `${name}-${version}`)

export const isCached = (name: string, version: string): boolean => existsSync(directoryOf(name, version))

/**
 * Returns the directory of `name` at `version`, and fills it with `fill` first if it does not exist. An interrupted `fill`
 * leaves only a `.part` directory, which the next one continues from: a directory with the final name is always complete.
 */
export async function getOrFillCacheDirectory(
  name: string,
  version: string,
  fill: (directory: string) => Promise<void>,
): Promise<string> {
  const directory = directoryOf(name, version)
  if (existsSync(directory)) return directory
  await mkdir(cacheDirectory, { recursive: true })
  const unlock = await lock(`${directory}.lock`)
  try {
    if (existsSync(directory)) return directory
    const part = `${directory}.part`
    await mkdir(part, { recursive: true })
    await fill(part)
    await rename(part, directory)
    return directory
  } finally {
    await unlock()
  }
}

const staleLockMs = 30_000

/** Keeps two clones that start together from building the same thing twice. mkdir is the lock, its mtime the heartbeat. */
async function lock(path: string): Promise<() => Promise<void>> {
  let isLogged = false
  while (!(await tryLock(path))) {
    const modified = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    )
    if (Date.now() - modified > staleLockMs) await rm(path, { recursive: true, force: true })
    if (!isLogged) console.log(`Waiting for another process that is filling ${path.replace(/\.lock$/, '')}.`)
    isLogged = true
    await sleep(500)
  }
  const heartbeat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), staleLockMs / 6)
  return async () => {
    clearInterval(heartbeat)
    await rmdir(path).catch(() => {})
  }
}

const tryLock = (path: string) =>
  mkdir(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )
