/** What was got or built once, by name and version, outside the checkout, so that every clone shares it. */
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, rmdir, stat, utimes } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

// Root's home is closed to others, and PostgreSQL and Gitea must not run as root: hence not ~/.cache there. `setup` does the same.
const userCacheDirectory = process.getuid?.() === 0 ? '/var/cache' : join(homedir(), '.cache')
const cacheDirectory = join(process.env.XDG_CACHE_HOME ?? userCacheDirectory, 'colophon')

const directoryOf = (name: string, version: string) => join(cacheDirectory, `${name}-${version}`)

export const isCached = (name: string, version: string): boolean => existsSync(directoryOf(name, version))

/**
 * Returns the directory of `name` at `version`, filled by `make` if it is not there yet. A make that was cut off leaves
 * only a `.part` directory, which the next one starts from: what is under the real name is always whole.
 */
export async function cached(
  name: string,
  version: string,
  make: (directory: string) => Promise<void>,
): Promise<string> {
  const directory = directoryOf(name, version)
  if (existsSync(directory)) return directory
  await mkdir(cacheDirectory, { recursive: true })
  const unlock = await lock(`${directory}.lock`)
  try {
    if (existsSync(directory)) return directory
    const part = `${directory}.part`
    await mkdir(part, { recursive: true })
    await make(part)
    await rename(part, directory)
    return directory
  } finally {
    await unlock()
  }
}

const staleLockMs = 30_000

/** Two clones that start together must not build the same thing twice: mkdir is the lock, its mtime the sign of life. */
async function lock(path: string): Promise<() => Promise<void>> {
  let said = false
  while (!(await taken(path))) {
    const modified = await stat(path).then(
      (found) => found.mtimeMs,
      () => Date.now(),
    )
    if (Date.now() - modified > staleLockMs) await rm(path, { recursive: true, force: true })
    if (!said) console.log(`Another process is filling ${path.replace(/\.lock$/, '')}: waiting for it.`)
    said = true
    await sleep(500)
  }
  const signOfLife = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), staleLockMs / 6)
  return async () => {
    clearInterval(signOfLife)
    await rmdir(path).catch(() => {})
  }
}

const taken = (path: string) =>
  mkdir(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )
