/** `colophon doctor`: says what is wrong with an instance or a project, and what to do next. */
import { isColophonError } from '@colophon/sdk'
import type { Command } from 'commander'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { createCheckedClient, findApiKey, openLoginStore, requireUrl } from '../login/connection.ts'
import type { CommandContext } from '../program/command-context.ts'
import { addJsonOption, addUrlOption, type JsonOption } from '../program/command-options.ts'
import { version } from '../program/version.ts'
import { printableLine } from '../terminal/printable.ts'
import type { OutputStream } from '../terminal/terminal.ts'
import { checkInstance } from './check-instance.ts'
import { checkKey, checkProject } from './check-project.ts'
import { type Finding, problem } from './finding.ts'

const timeoutSeconds = 15

export function addDoctorCommand(program: Command, context: CommandContext): void {
  addJsonOption(addUrlOption(program.command('doctor')))
    .summary('find out why something does not work')
    .description(
      'Checks the instance, the API key, the repository, the model, the runners and the page views of the project, and says what ' +
        'to do next. Exits with 0 if there is no problem; a warning is not one.',
    )
    .action(async (options: { url?: string } & JsonOption) => {
      const { out } = context.terminal
      const { findings, exitCode } = await examine(context, options)
      if (options.json) out.printJson(findings)
      else out.print(findings.map((finding) => formatFinding(finding, out)).join('\n'))
      context.setExitCode(exitCode)
    })
}

async function examine(
  { environment }: CommandContext,
  options: { url?: string },
): Promise<{ findings: Finding[]; exitCode: ExitCode }> {
  const store = openLoginStore(environment)
  const url = requireUrl(options, environment, store.read())
  const instance = await checkInstance(createCheckedClient(url, undefined, timeoutSeconds), url, version)
  if (!instance.isReachable) return { findings: instance.findings, exitCode: exitCodes.unreachable }
  const apiKey = await findApiKey(url, environment, store)
  if (apiKey === undefined) {
    const missing = problem('API key', `There is none for ${url}.`, 'Run colophon login, or set COLOPHON_API_KEY.')
    return { findings: [...instance.findings, missing], exitCode: exitCodes.notAuthenticated }
  }
  const client = createCheckedClient(url, apiKey, timeoutSeconds)
  const { finding, me } = await checkKey(client, url)
  const findings = [...instance.findings, finding]
  if (me === undefined) return { findings, exitCode: exitCodes.notAuthenticated }
  findings.push(...(await checkProject(client, me, url).catch(describeFailedCheck)))
  const hasProblem = findings.some(({ status }) => status === 'problem')
  return { findings, exitCode: hasProblem ? exitCodes.failed : exitCodes.ok }
}

function describeFailedCheck(error: unknown): Finding[] {
  if (!isColophonError(error)) throw error
  return [problem('Project', error.detail, 'Fix the components above first, then run colophon doctor again.')]
}

const symbols = { ok: '✓', unknown: '?', warning: '!', problem: '✗' } as const

function formatFinding(finding: Finding, { style }: OutputStream): string {
  const color = { ok: style.green, unknown: style.dim, warning: style.yellow, problem: style.red }[finding.status]
  const line = `${color(symbols[finding.status])} ${style.bold(printableLine(finding.subject))}: ${printableLine(finding.message)}`
  return 'nextStep' in finding ? `${line}\n  → ${printableLine(finding.nextStep)}` : line
}
