import { readdirSync, readFileSync } from 'node:fs'

/** The ids, outside of all sandboxes, of the processes that have this argument in their command line. */
export const findHostProcessIds = (argument: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(argument)
    } catch {
      return false // the process exited in the meantime
    }
  })
