/** From an instruction to a pull request, with everything real but the model's vendor. */
import { modelFormats } from '../server/src/models/model.ts'
import { type AgentService, agentService } from './kit/agents/agent-service.ts'
import { followedWithCuts } from './kit/agents/followed-job.ts'
import { inMonorepo, inWireFormat, repairsItsLink } from './kit/agents/good-turns.ts'
import { remembersElsewhere } from './kit/agents/other-runner.ts'
import { stopKinds, stopsInTime } from './kit/agents/stops.ts'
import type { ProofRun } from './proof.ts'

export const promise = 'An instruction becomes a pull request, and whoever follows along misses nothing'

/** What the small size has: the others are sisters of these. */
const inSmall = ['anthropic-messages', 'openai-completions', 'a broken link', 'another runner', 'stopped: cancel']

type Scenario = (run: ProofRun, service: AgentService) => Promise<string>

/** What the words after `--` name, or all. */
export async function prove(run: ProofRun): Promise<void> {
  const service = await agentService(run, 'pull-request')
  for (const format of modelFormats)
    await service.addModel({ name: format, format, isDefault: format === 'anthropic-messages' })
  await service.addModel({ name: 'mender', format: 'anthropic-messages', script: 'mend-link' })
  const scenarios: Record<string, Scenario> = {
    ...Object.fromEntries(modelFormats.map((format) => [format, inWireFormat(format)])),
    'a broken link': repairsItsLink,
    monorepo: inMonorepo,
    'followed live': followedWithCuts,
    'another runner': remembersElsewhere,
    ...Object.fromEntries(stopKinds.map((kind) => [`stopped: ${kind}`, stopsInTime(kind)])),
  }
  for (const [name, play] of Object.entries(scenarios)) {
    const isPlayed =
      run.words.length > 0 ? run.words.some((word) => name.includes(word)) : run.size !== 'ci' || inSmall.includes(name)
    if (!isPlayed) continue
    const scene: ProofRun = { ...run, check: (holds, what) => run.check(holds, `${name}: ${what}`) }
    run.say(`${name.padEnd(20)}  ${await play(scene, service)}`)
  }
}
