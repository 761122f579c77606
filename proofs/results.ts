/**
 * npm run results: writes RESULTS.md from results.json. `npm run prove -- <name> --record` replaces the entry of that proof in
 * results.json (not with `--ci`), so that no figure is written by hand.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Proof } from './proof.ts'

export interface RecordedFigure {
  name: string
  value: string
  /** Undefined: the figure has no target. */
  target?: { goal: string; isMet: boolean }
}

export interface RecordedRun {
  proof: string
  /** The day of the run, in UTC. */
  date: string
  commit: string
  size: 'stated' | 'full'
  seed: number | null
  passed: boolean
  checks: number | null
  seconds: number | null
  figures: readonly RecordedFigure[]
  /** Shown with the results: anything needed to interpret this run. */
  remark?: string
}

const resultsFile = join(import.meta.dirname, 'results.json')
const markdownFile = join(import.meta.dirname, 'RESULTS.md')
const notProofs = new Set(['proof.ts', 'prove.ts', 'results.ts'])

export const proofNames = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !notProofs.has(file))
  .map((file) => file.slice(0, -'.ts'.length))

export const loadProof = (name: string): Promise<Proof> => import(/* @vite-ignore */ `./${name}.ts`)

export const readResults = (): RecordedRun[] => JSON.parse(readFileSync(resultsFile, 'utf8')) as RecordedRun[]

export function recordRun(run: Omit<RecordedRun, 'date' | 'commit'>): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
  const isClean = git('status', '--porcelain', '--', ':/', ':!results.json', ':!RESULTS.md') === ''
  const entry: RecordedRun = {
    ...run,
    date: new Date().toISOString().slice(0, 10),
    commit: git('rev-parse', '--short=7', 'HEAD') + (isClean ? '' : ' + changes'),
  }
  const others = readResults().filter(({ proof }) => proof !== run.proof)
  const sorted = [...others, entry].sort((a, b) => a.proof.localeCompare(b.proof))
  writeFileSync(resultsFile, `${JSON.stringify(sorted, null, 2)}\n`)
}

/** One row per figure, so that no cell grows into a paragraph. */
export async function renderResults(results: readonly RecordedRun[]): Promise<string> {
  const sections = await Promise.all(
    results.map(async ({ proof, date, commit, size, seed, passed, checks, seconds, figures, remark }) => {
      const { guarantee } = await loadProof(proof)
      const missed = figures.filter(({ target }) => target && !target.isMet).length
      const verdict = passed
        ? missed === 0
          ? 'pass'
          : `pass, ${missed} ${missed === 1 ? 'target' : 'targets'} missed`
        : 'FAIL'
      const run = [
        `**${verdict}**`,
        `${date}`,
        `commit ${commit}`,
        `${size} size`,
        ...(seed === null ? [] : [`seed ${seed}`]),
        ...(checks === null ? [] : [`${checks} checks`]),
        ...(seconds === null ? [] : [`${seconds} s`]),
      ]
      const rows = figures.map(
        ({ name, value, target }) =>
          `| ${name} | ${target?.goal ?? ''} | ${value} | ${target ? (target.isMet ? 'met' : '**missed**') : ''} |`,
      )
      return [
        `## ${proof}`,
        `${guarantee}.`,
        `${run.join(' · ')}`,
        ...(remark ? [`> ${remark}`] : []),
        ['| figure | target | measured | |', '| --- | --- | --- | --- |', ...rows].join('\n'),
      ].join('\n\n')
    }),
  )
  return `${[introduction, ...sections].join('\n\n')}\n`
}

const introduction = `# Results

Generated from results.json by \`npm run results\`; do not edit. Each guarantee has a proof in this folder that runs the real
services, provokes the failure and fails if the guarantee is broken. Figures are from the last recorded run at the stated size,
on a machine with two shared, noisy cores and 24 GB of memory. GitHub and model providers are simulated. [docs/reliability.md](../docs/reliability.md)
says what is guaranteed, and what these runs do not show.`

if (import.meta.main) {
  writeFileSync(markdownFile, await renderResults(readResults()))
  console.log('proofs/RESULTS.md is up to date.')
}
