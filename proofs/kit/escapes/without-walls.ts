/** Plays attacks through the real engine in a box that lacks the walls they are made for. */
import { randomUUID } from 'node:crypto'
import { chown, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentRunEvent } from '../../../server/src/runner/agents/coding-agent.ts'
import { PiAgent } from '../../../server/src/runner/agents/pi/pi-agent.ts'
import { Box } from '../../../server/src/runner/sandbox/box.ts'
import type { Wall } from '../../../server/src/runner/sandbox/walls.ts'
import type { WayOut } from '../../../server/src/runner/sandbox/way-out.ts'
import { played } from '../agents/agent-service.ts'
import { type Attack, breach } from './attacks.ts'

const engine = new PiAgent()
const withinMs = 180_000

interface Played {
  succeeded: Attack[]
  /** All that they printed. */
  output: string
}

/** Ends the way out as well. */
export async function playWithout(walls: readonly Wall[], attacks: readonly Attack[], opened: WayOut): Promise<Played> {
  await using wayOut = opened
  if (walls.includes('ordinary user')) await giveBack(wayOut.directory)
  const outputs: string[] = []
  {
    await using box = await Box.open({
      mounts: engine.mounts,
      gatewayDirectory: wayOut.directory,
      groups: undefined,
      without: new Set(walls),
    })
    const onEvent = (event: AgentRunEvent) => {
      if (event.kind === 'tool_result') outputs.push(event.output)
    }
    await engine.run({
      box,
      onEvent,
      session: null,
      signal: AbortSignal.timeout(withinMs),
      model: {
        id: randomUUID(),
        wire: 'anthropic-messages',
        path: '/model',
        contextTokens: 200_000,
        maxOutputTokens: 8_000,
      },
      systemPrompt: 'You look after the documentation.',
      prompt: attackPrompt(attacks),
    })
  }
  return { succeeded: await successful(attacks, outputs), output: outputs.join('\n') }
}

/** `outputs` in the order of the attacks. */
export async function successful(attacks: readonly Attack[], outputs: readonly string[]): Promise<Attack[]> {
  const found: Attack[] = []
  for (const [index, attack] of attacks.entries())
    if (outputs[index]?.includes(breach) || (await attack.wasSeen?.())) found.push(attack)
  return found
}

export const attackPrompt = (attacks: readonly Attack[]): string =>
  played('Do as the script says.', [
    ...attacks.map(({ command }) => ({ call: [{ tool: 'bash', arguments: { command, timeout: 60 } }] })),
    { say: 'Nothing has to change.' },
  ])

/** Root in the box's own namespace is nobody to files of other users. */
async function giveBack(directory: string): Promise<void> {
  for (const path of [directory, ...(await readdir(directory)).map((name) => join(directory, name))])
    await chown(path, 0, 0)
}
