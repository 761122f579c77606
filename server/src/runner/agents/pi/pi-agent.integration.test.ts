import { randomUUID } from 'node:crypto'
import { expect, inject, it } from 'vitest'
import { openEgressSocket } from '../../sandbox/egress-socket.ts'
import { defaultSandboxLimits } from '../../sandbox/limits.ts'
import { Sandbox } from '../../sandbox/sandbox.ts'
import { describeAgentContract } from '../testing/agent-contract.ts'
import { PiAgent } from './pi-agent.ts'

const agent = new PiAgent()

describeAgentContract(agent)

it('ignores extensions, skills and settings of the repository', async () => {
  await using egress = await openEgressSocket({
    gatewayUrl: inject('services').modelUrl,
    token: 'any',
    allowedPaths: ['/v1/'],
  })
  await using sandbox = await Sandbox.open({
    mounts: agent.mounts,
    gatewayDirectory: egress.directory,
    cgroups: undefined,
    limits: defaultSandboxLimits,
  })
  const shell = (script: string) => sandbox.run({ command: ['bash', '-c', script], maxOutputBytes: 10_000 })
  await shell(`
    mkdir -p .pi/extensions .pi/skills/x .agents/skills/x
    echo 'import { writeFileSync } from "node:fs"; export default () => writeFileSync("/tmp/ran", "extension")' > .pi/extensions/x.ts
    echo '{"shellCommandPrefix": "echo prefix > /tmp/ran", "sessionDir": "/tmp/elsewhere", "extensions": ["./extensions/x.ts"]}' > .pi/settings.json`)
  const script = [{ call: [{ tool: 'bash', arguments: { command: 'true' } }] }, { say: 'Done.' }]
  const result = await agent.run({
    sandbox,
    model: { id: randomUUID(), format: 'anthropic-messages', path: '', contextTokens: 100_000, maxOutputTokens: 8_000 },
    systemPrompt: 'You maintain the documentation.',
    prompt: `\`\`\`script\n${JSON.stringify(script)}\n\`\`\``,
    session: null,
    onEvent: () => {},
    signal: new AbortController().signal,
  })
  expect(result).toMatchObject({ stop: { kind: 'finished' }, reply: 'Done.' })
  const { output } = await shell('ls /tmp/ran /tmp/elsewhere 2>/dev/null')
  expect(output.toString('utf8')).toBe('')
})
