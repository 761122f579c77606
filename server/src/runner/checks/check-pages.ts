/** The docs checks on the pages that a turn changed. They run in the box, on files that strangers and a model wrote. */
import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TurnReport } from '../../runner-wire/runner-wire.ts'
import type { Box } from '../sandbox/box.ts'
import type { ReadOnlyMount } from '../sandbox/bubblewrap.ts'
import { cutText, plainText } from '../sandbox/plain-text.ts'

export type CheckResults = Extract<TurnReport, { kind: 'result' }>['checks']

const maxOutputBytes = 1024 * 1024
const maxFindings = 100
const maxFindingCharacters = 1_000

/** For the box: the checks, and the packages that they are made of. */
export function checkMounts(): ReadOnlyMount[] {
  const packages = fileURLToPath(import.meta.resolve('@mdx-js/mdx')).split(`${sep}@mdx-js${sep}`)[0] ?? ''
  const own = join(import.meta.dirname, '../../../node_modules') // what could not be shared with other workspaces
  return [
    { from: import.meta.dirname, to: '/colophon/checks' },
    { from: packages, to: '/node_modules' },
    ...(existsSync(own) && own !== packages ? [{ from: own, to: '/colophon/node_modules' }] : []),
  ]
}

/** Throws when the checks themselves fail; a page that fails them does not. */
export async function checkPages(box: Box, baseCommit: string, signal: AbortSignal): Promise<CheckResults> {
  const { end, output, errorOutput } = await box.run(
    { command: ['node', '/colophon/checks/inside/check-pages.ts', baseCommit], maxOutputBytes },
    { signal },
  )
  if (end.kind !== 'exited' || end.code !== 0)
    throw new Error(`The checks did not end well: ${end.kind} ${plainText(errorOutput.toString('utf8')).slice(-500)}`)
  return resultsOf(JSON.parse(output.toString('utf8')))
}

/** The box shares its processes with whatever the model left there: what it prints is looked at before it is believed. */
function resultsOf(printed: unknown): CheckResults {
  if (!Array.isArray(printed)) throw new Error('The checks printed something else.')
  return printed.slice(0, 10).map((check: { name?: unknown; findings?: unknown }) => {
    const findings = Array.isArray(check.findings) ? check.findings.slice(0, maxFindings) : []
    return {
      name: readable(check.name, 100),
      status: findings.length === 0 ? 'passed' : 'failed',
      findings: findings.map((finding) => readable(finding, maxFindingCharacters)),
    }
  })
}

const readable = (value: unknown, most: number) => cutText(plainText(String(value)), most)
