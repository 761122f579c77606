/** Runs attacks through the real agent in a sandbox without the isolation layers that they target. */

import { randomUUID } from 'node:crypto'
import { chown, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentRunEvent } from '../../server/src/runner/agents/coding-agent.ts'
import { PiAgent } from '../../server/src/runner/agents/pi/pi-agent.ts'
import type { EgressSocket } from '../../server/src/runner/sandbox/egress-socket.ts'
import type { IsolationLayer } from '../../server/src/runner/sandbox/isolation-layers.ts'
import { defaultSandboxLimits } from '../../server/src/runner/sandbox/limits.ts'
import { Sandbox } from '../../server/src/runner/sandbox/sandbox.ts'
import { promptWithScript } from '../../testing/harness/scripted-model.ts'
import { type Attack, breachMarker } from './sandbox-attacks.ts'

const agent = new PiAgent()
const timeoutMs = 180_000

interface AttackRun {
  succeeded: Attack[]
  /** The output of all attacks. */
  output: string
}

/** Closes the egress socket as well. */
export async function runInWeakenedSandbox(
  disabledLayers: readonly IsolationLayer[],
  attacks: readonly Attack[],
  openedEgress: EgressSocket,
): Promise<AttackRun> {
  await using egress = openedEgress
  if (disabledLayers.includes('unprivileged user')) await chownToRoot(egress.directory)
  const outputs: string[] = []
  {
    await using sandbox = await Sandbox.open({
      mounts: agent.mounts,
      gatewayDirectory: egress.directory,
      cgroups: undefined,
      limits: defaultSandboxLimits,
      disabledLayers: new Set(disabledLayers),
    })
    const onEvent = (event: AgentRunEvent) => {
      if (event.kind === 'tool_result') outputs.push(event.output)
    }
    await agent.run({
      sandbox,
      onEvent,
      session: null,
      signal: AbortSignal.timeout(timeoutMs),
      model: {
        id: randomUUID(),
        format: 'anthropic-messages',
        path: '/model',
        contextTokens: 200_000,
        maxOutputTokens: 8_000,
      },
      systemPrompt: 'You maintain the documentation.',
      prompt: attackPrompt(attacks),
    })
  }
  return { succeeded: await findSuccessful(attacks, outputs), output: outputs.join('\n') }
}

/** `outputs` in the order of the attacks. */
export async function findSuccessful(attacks: readonly Attack[], outputs: readonly string[]): Promise<Attack[]> {
  const successful: Attack[] = []
  for (const [index, attack] of attacks.entries())
    if (outputs[index]?.includes(breachMarker) || (await attack.wasObserved?.())) successful.push(attack)
  return successful
}

export const attackPrompt = (attacks: readonly Attack[]): string =>
  promptWithScript('Follow the script.', [
    ...attacks.map(({ command }) => ({ call: [{ tool: 'bash', arguments: { command, timeout: 60 } }] })),
    { say: 'Nothing has to change.' },
  ])

/** Root in the sandbox's user namespace has no access to files of other users. */
async function chownToRoot(directory: string): Promise<void> {
  for (const path of [directory, ...(await readdir(directory)).map((name) => join(directory, name))])
    await chown(path, 0, 0)
}
