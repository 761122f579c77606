import { randomUUID } from 'node:crypto'
import { expect, inject, it } from 'vitest'
import { Box } from '../../sandbox/box.ts'
import { openWayOut } from '../../sandbox/way-out.ts'
import { describeAgentContract } from '../testing/agent-contract.ts'
import { PiAgent } from './pi-agent.ts'

const engine = new PiAgent()

describeAgentContract(engine)

it('runs nothing that the repository brings along', async () => {
  await using wayOut = await openWayOut({ gatewayUrl: inject('services').modelUrl, token: 'any', paths: ['/v1/'] })
  await using box = await Box.open({ mounts: engine.mounts, gatewayDirectory: wayOut.directory, groups: undefined })
  const shell = (script: string) => box.run({ command: ['bash', '-c', script], maxOutputBytes: 10_000 })
  await shell(`
    mkdir -p .pi/extensions .pi/skills/x .agents/skills/x
    echo 'import { writeFileSync } from "node:fs"; export default () => writeFileSync("/tmp/ran", "extension")' > .pi/extensions/x.ts
    echo '{"shellCommandPrefix": "echo prefix > /tmp/ran", "sessionDir": "/tmp/elsewhere", "extensions": ["./extensions/x.ts"]}' > .pi/settings.json`)
  const script = [{ call: [{ tool: 'bash', arguments: { command: 'true' } }] }, { say: 'Done.' }]
  const result = await engine.run({
    box,
    model: { id: randomUUID(), wire: 'anthropic-messages', path: '', contextTokens: 100_000, maxOutputTokens: 8_000 },
    systemPrompt: 'You look after the documentation.',
    prompt: `\`\`\`script\n${JSON.stringify(script)}\n\`\`\``,
    session: null,
    onEvent: () => {},
    signal: new AbortController().signal,
  })
  expect(result).toMatchObject({ stop: { kind: 'finished' }, reply: 'Done.' })
  const { output } = await shell('ls /tmp/ran /tmp/elsewhere 2>/dev/null')
  expect(output.toString('utf8')).toBe('')
})
