import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

const packages = {
  bwrap: 'bubblewrap',
  unshare: 'util-linux',
  prlimit: 'util-linux',
  git: 'git',
  rg: 'ripgrep',
} as const

export class ProgramMissing extends Error {
  override name = 'ProgramMissing'
}

/** Where the system has it: the box is started without a PATH, and shows what is under `/usr` only. */
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
    throw new ProgramMissing(`${name} is missing. Install it with: apt-get install ${packages[name]}`)
  return found
}
