/** Runs the docs checks on the pages that a turn changed. They run in the sandbox, because the files are not trusted. */
import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ClaimedTurn, TurnReport } from '../../runner-wire/runner-wire.ts'
import type { ReadOnlyMount } from '../sandbox/bubblewrap.ts'
import { CompileCache } from '../sandbox/compile-cache.ts'
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

/** The programs of the docs checks, which run in a sandbox. */
export class DocsChecks {
  readonly #compileCache = new CompileCache()

  /** Called once, before the first turn, in a sandbox that no model has used. */
  async warmUp(sandbox: Sandbox): Promise<void> {
    await this.#compileCache.fill(sandbox, async (environment) => {
      const script = `git init --quiet && git ${commitOptions} commit --quiet --allow-empty -m Base && git rev-parse HEAD &&
        mkdir docs && echo '# Page' >docs/page.md && echo '# Page' >docs/page.mdx`
      const { output } = await sandbox.run({ command: ['sh', '-c', script], maxOutputBytes })
      const rules: CheckedRepository['rules'] = {
        docsFolders: ['docs'],
        allowedPaths: [],
        siteGenerator: null,
        activeContent: 'refuse',
      }
      const repository: CheckedRepository = { bases: [output.toString('utf8').trim()], rules }
      for (const program of ['describe-site.ts', 'check-pages.ts'] as const)
        await sandbox.run({ command: toCommand(program, repository), environment, maxOutputBytes })
    })
  }

  /** Throws if the checks cannot run. A page with findings is not an error. */
  async checkPages(sandbox: Sandbox, repository: CheckedRepository, signal: AbortSignal): Promise<CheckResults> {
    return parseResults(await this.#run(sandbox, 'check-pages.ts', repository, signal))
  }

  /** Recognizes the site generator. Call it before the agent runs: afterwards the output could be forged. */
  async describeSite(sandbox: Sandbox, repository: CheckedRepository, signal: AbortSignal): Promise<DescribedSite> {
    const printed = (await this.#run(sandbox, 'describe-site.ts', repository, signal)) as Record<string, unknown>
    return { name: toPlainText(printed.name, 100), navigation: toPlainText(printed.navigation, 3_000) }
  }

  async #run(
    sandbox: Sandbox,
    program: DocsCheckProgram,
    repository: CheckedRepository,
    signal: AbortSignal,
  ): Promise<unknown> {
    const environment = await this.#compileCache.unpack(sandbox, signal)
    const { end, output, errorOutput } = await sandbox.run(
      { command: toCommand(program, repository), environment, maxOutputBytes },
      { signal },
    )
    if (end.kind !== 'exited' || end.code !== 0)
      throw new Error(
        `The docs checks did not run (${end.kind}): ${stripTerminalSequences(errorOutput.toString('utf8')).slice(-500)}`,
      )
    return JSON.parse(output.toString('utf8'))
  }
}

type DocsCheckProgram = 'describe-site.ts' | 'check-pages.ts'

const toCommand = (program: DocsCheckProgram, repository: CheckedRepository) =>
  ['node', `${sourceFolder}/runner/checks/inside/${program}`, JSON.stringify(repository)] as const

const commitOptions = '-c user.name=Runner -c user.email=runner@localhost.invalid'

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
