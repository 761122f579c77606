/** From a prompt to a pull request, with everything real except the model provider. */
import { modelFormats } from '../server/src/models/model.ts'
import { type AgentService, startAgentService } from './kit/agents/agent-service.ts'
import { followsEventsAcrossDisconnectsScenario } from './kit/agents/follow-events.ts'
import { resumesOnAnotherRunnerScenario } from './kit/agents/resume-on-another-runner.ts'
import { stopKinds, stopsAgentInTimeScenario } from './kit/agents/stopped-turns.ts'
import {
  fixesBrokenLinkScenario,
  publishesThroughModelFormatScenario,
  respectsDocsFolderScenario,
} from './kit/agents/successful-turns.ts'
import type { ProofRun } from './proof.ts'

export const guarantee =
  'A prompt becomes a pull request, its event stream loses nothing, and every stop takes effect within seconds'

/** The scenarios at the small size. The others are variants of these. */
const ciScenarios = ['anthropic-messages', 'openai-completions', 'a broken link', 'another runner', 'stopped: cancel']

type Scenario = (run: ProofRun, service: AgentService) => Promise<string>

/** Arguments after `--` select scenarios by name. */
export async function prove(run: ProofRun): Promise<void> {
  const service = await startAgentService(run, 'pull-request')
  for (const format of modelFormats)
    await service.addModel({ name: format, format, isDefault: format === 'anthropic-messages' })
  await service.addModel({ name: 'link-fixer', format: 'anthropic-messages', script: 'fix-link' })
  const scenarios: Record<string, Scenario> = {
    ...Object.fromEntries(modelFormats.map((format) => [format, publishesThroughModelFormatScenario(format)])),
    'a broken link': fixesBrokenLinkScenario,
    monorepo: respectsDocsFolderScenario,
    'live events': followsEventsAcrossDisconnectsScenario,
    'another runner': resumesOnAnotherRunnerScenario,
    ...Object.fromEntries(stopKinds.map((kind) => [`stopped: ${kind}`, stopsAgentInTimeScenario(kind)])),
  }
  for (const [name, runScenario] of Object.entries(scenarios)) {
    const isSelected =
      run.args.length > 0 ? run.args.some((arg) => name.includes(arg)) : run.size !== 'ci' || ciScenarios.includes(name)
    if (!isSelected) continue
    const scenarioRun: ProofRun = { ...run, check: (ok, message) => run.check(ok, `${name}: ${message}`) }
    run.log(`${name.padEnd(20)}  ${await runScenario(scenarioRun, service)}`)
  }
}
