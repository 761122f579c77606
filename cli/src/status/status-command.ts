/** `colophon status`: the state of an instance, for a person at a terminal or a step in CI. */
import { type Client, isColophonError } from '@colophon/sdk'
import type { Command } from 'commander'
import { exitCodes } from '../exit-codes.ts'
import { createCheckedClient, openLoginStore, requireUrl } from '../login/connection.ts'
import type { CommandContext } from '../program/command-context.ts'
import { addJsonOption, addUrlOption, type JsonOption } from '../program/command-options.ts'
import { formatInstanceStatus, type InstanceStatus } from './format-instance-status.ts'

const timeoutSeconds = 10 // the server itself waits at most 2 seconds for each component

export function addStatusCommand(program: Command, context: CommandContext): void {
  addJsonOption(addUrlOption(program.command('status')))
    .summary('show whether an instance and its components work')
    .description(
      'Shows whether an instance and its components work. Needs no API key. Exits with 0 only if all of them work.',
    )
    .action(async (options: { url?: string } & JsonOption) => {
      const { terminal, environment } = context
      const url = requireUrl(options, environment, openLoginStore(environment).read())
      const result = await readStatus(createCheckedClient(url, undefined, timeoutSeconds), url)
      if (options.json) terminal.out.printJson(result)
      else terminal.out.print(formatInstanceStatus(result, terminal.out.style))
      if (result.status === 'unreachable') context.setExitCode(exitCodes.unreachable)
      else if (result.status !== 'ready') context.setExitCode(exitCodes.failed)
    })
}

async function readStatus(client: Client, url: string): Promise<InstanceStatus> {
  try {
    return { url, ...(await client.readiness()) }
  } catch (error) {
    if (!isColophonError(error)) throw error
    return { url, status: 'unreachable', error: { code: error.code, detail: error.detail } }
  }
}
