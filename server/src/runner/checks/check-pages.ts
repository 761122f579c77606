/** Runs the docs checks on the pages that a turn changed. They run in the sandbox, because the files are not trusted. */
import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ClaimedTurn, TurnReport } from '../../runner-wire/runner-wire.ts'
import type { ReadOnlyMount } from '../sandbox/bubblewrap.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { stripTerminalSequences, truncateText } from '../sandbox/terminal-text.ts'

export type CheckResults = Extract<TurnReport, { kind: 'result' }>['checks']

const maxOutputBytes = 1024 * 1024
const maxFindings = 100
const maxFindingCharacters = 1_000

/** The folders are mounted as they are in the source, because the checks import the code of the worker. */
const sourceFolder = '/colophon/src'

/** Mounts for the sandbox: the checks and the packages that they use. */
export function listDocsCheckMounts(): ReadOnlyMount[] {
  const packages = fileURLToPath(import.meta.resolve('@mdx-js/mdx')).split(`${sep}@mdx-js${sep}`)[0] ?? ''
  const own = join(import.meta.dirname, '../../../node_modules') // packages that are not hoisted to the workspace root
  return [
    { from: import.meta.dirname, to: `${sourceFolder}/runner/checks` },
    { from: join(import.meta.dirname, '../../content-gate'), to: `${sourceFolder}/content-gate` },
    { from: join(import.meta.dirname, '../../site-generators'), to: `${sourceFolder}/site-generators` },
    { from: packages, to: '/node_modules' },
    ...(existsSync(own) && own !== packages ? [{ from: own, to: '/colophon/node_modules' }] : []),
  ]
}

/** Throws if the checks cannot run. A page with findings is not an error. */
export async function checkPages(
  sandbox: Sandbox,
  repository: CheckedRepository,
  signal: AbortSignal,
): Promise<CheckResults> {
  return parseResults(await runInside(sandbox, 'check-pages.ts', repository, signal))
}

export interface CheckedRepository {
  /** Commits or trees that the changes are compared with: both branches of a merge, otherwise one. */
  bases: readonly [string, ...string[]]
  rules: ClaimedTurn['changeRules']
}

export interface DescribedSite {
  name: string
  /** How to add a page to the navigation. */
  navigation: string
}

/** Recognizes the site generator. Call it before the agent runs: afterwards the output could be forged. */
export async function describeSite(
  sandbox: Sandbox,
  repository: CheckedRepository,
  signal: AbortSignal,
): Promise<DescribedSite> {
  const printed = (await runInside(sandbox, 'describe-site.ts', repository, signal)) as Record<string, unknown>
  return { name: toPlainText(printed.name, 100), navigation: toPlainText(printed.navigation, 3_000) }
}

async function runInside(
  sandbox: Sandbox,
  script: string,
  repository: CheckedRepository,
  signal: AbortSignal,
): Promise<unknown> {
  const path = `${sourceFolder}/runner/checks/inside/${script}`
  const { end, output, errorOutput } = await sandbox.run(
    { command: ['node', path, JSON.stringify(repository)], maxOutputBytes },
    { signal },
  )
  if (end.kind !== 'exited' || end.code !== 0)
    throw new Error(
      `The docs checks did not run (${end.kind}): ${stripTerminalSequences(errorOutput.toString('utf8')).slice(-500)}`,
    )
  return JSON.parse(output.toString('utf8'))
}

/** Processes that the model started may still run in the sandbox and forge this output, so every field is validated. */
function parseResults(printed: unknown): CheckResults {
  if (!Array.isArray(printed)) throw new Error('The docs checks did not print a list.')
  return printed.slice(0, 10).map((check: Record<'name' | 'status' | 'findings' | 'note', unknown>) => {
    const findings = Array.isArray(check.findings) ? check.findings.slice(0, maxFindings) : []
    return {
      name: toPlainText(check.name, 100),
      status: check.status === 'not_checked' ? 'not_checked' : findings.length === 0 ? 'passed' : 'failed',
      findings: findings.map((finding) => toPlainText(finding, maxFindingCharacters)),
      ...(check.note === undefined ? {} : { note: toPlainText(check.note, maxFindingCharacters) }),
    }
  })
}

const toPlainText = (value: unknown, maxCharacters: number) =>
  truncateText(stripTerminalSequences(String(value)), maxCharacters)
