import { readdirSync, readFileSync } from 'node:fs'

/** Their ids as the host sees them, from outside of all boxes, by a word of their command line. */
export const processesOnHost = (word: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(word)
    } catch {
      return false // it ended while we looked
    }
  })
