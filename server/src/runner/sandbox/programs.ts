import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

const packages = {
  bwrap: 'bubblewrap',
  unshare: 'util-linux',
  prlimit: 'util-linux',
  git: 'git',
  rg: 'ripgrep',
  perl: 'perl-base',
} as const

export class MissingProgramError extends Error {
  override name = 'MissingProgramError'
}

/** The absolute path of a program. The sandbox starts without a PATH and contains only what is below `/usr`. */
export function findProgram(name: keyof typeof packages): string {
  const found = ['/usr/bin', '/usr/local/bin']
    .map((directory) => join(directory, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
  if (found === undefined)
    throw new MissingProgramError(`${name} is missing. Install it with: apt-get install ${packages[name]}`)
  return found
}
