/**
 * Remembers on this machine how far earlier imports got, so that a file that has grown is continued. The instance only remembers
 * deliveries, and those for a week.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ImportPosition, ImportRuns } from '../../../server/src/analytics/import-logs/import-in-chunks.ts'
import type { Environment } from '../program/command-context.ts'

export interface StoredRun extends ImportPosition {
  startedAt: string
}

interface RunInFile {
  fingerprint: string
  confirmedBytes: number
  plannedBytes: number
  startedAt: string
}

/** By URL and project. */
type RunsFile = Record<string, RunInFile[]>

/** The oldest ones are forgotten: logs are deleted after a while. */
const maxRuns = 1_000

export const stateFolder = ({ XDG_STATE_HOME, HOME }: Environment): string =>
  join(XDG_STATE_HOME || join(HOME || homedir(), '.local/state'), 'colophon')

export function openImportRuns(folder: string, destination: string): ImportRuns<StoredRun> {
  const file = join(folder, 'imports.json')
  const readAll = (): RunsFile => {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as RunsFile
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return {}
      throw error
    }
  }
  const write = async (run: StoredRun): Promise<void> => {
    const all = readAll()
    const others = (all[destination] ?? []).filter(({ startedAt }) => startedAt !== run.startedAt)
    const entry: RunInFile = { ...run, fingerprint: run.fingerprint.toString('hex') }
    all[destination] = [...others, entry].slice(-maxRuns)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const part = `${file}.${process.pid}`
    writeFileSync(part, `${JSON.stringify(all)}\n`, { mode: 0o600 })
    renameSync(part, file)
  }
  return {
    list: async () =>
      (readAll()[destination] ?? []).map((run) => ({ ...run, fingerprint: Buffer.from(run.fingerprint, 'hex') })),
    newRun,
    plan: write,
    finish: async (run) => {
      if (run.plannedBytes > 0) await write(run)
    },
  }
}

/** Standard input cannot be read a second time to compare it with earlier imports. */
export const withoutEarlierRuns: ImportRuns<StoredRun> = {
  list: async () => [],
  newRun,
  plan: async () => {},
  finish: async () => {},
}

function newRun(): StoredRun {
  const startedAt = `${new Date().toISOString()} ${process.pid} ${performance.now()}` // unique on this machine
  return { fingerprint: Buffer.alloc(0), confirmedBytes: 0, plannedBytes: 0, startedAt }
}
