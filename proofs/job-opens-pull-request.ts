/** From a prompt to a pull request, with everything real except the model provider. */

import { modelFormats } from '../server/src/models/model.ts'
import { type RunningColophon, startColophon } from '../testing/harness/colophon.ts'
import { addScriptedModel } from '../testing/harness/scripted-model.ts'
import { followsEventsAcrossDisconnectsScenario } from './job-opens-pull-request/follow-events.ts'
import { stopKinds, stopsAgentInTimeScenario } from './job-opens-pull-request/stopped-turns.ts'
import {
  fixesBrokenLinkScenario,
  holdsForApprovalScenario,
  publishesThroughModelFormatScenario,
  resolvesConflictsScenario,
  respectsDocsFolderScenario,
  takesBackActiveContentScenario,
} from './job-opens-pull-request/successful-turns.ts'
import type { ProofRun } from './proof.ts'
import { resumesOnAnotherRunnerScenario } from './runner-failures/resume-on-another-runner.ts'

export const guarantee =
  'A prompt becomes a pull request, its event stream loses nothing, and every stop takes effect within seconds'

/** The scenarios at the small size. The others are variants of these. */
const ciScenarios = [
  'anthropic-messages',
  'openai-completions',
  'a broken link',
  'active content',
  'approval',
  'conflicts',
  'another runner',
  'stopped: cancel',
]

type Scenario = (run: ProofRun, colophon: RunningColophon) => Promise<string>

/** Arguments after `--` select scenarios by name. */
export async function prove(run: ProofRun): Promise<void> {
  const colophon = await startColophon(run, 'pull-request')
  for (const format of modelFormats)
    await addScriptedModel(colophon, { name: format, format, isDefault: format === 'anthropic-messages' })
  await addScriptedModel(colophon, { name: 'link-fixer', format: 'anthropic-messages', script: 'fix-link' })
  await addScriptedModel(colophon, { name: 'page-writer', format: 'anthropic-messages', script: 'write' })
  const scenarios: Record<string, Scenario> = {
    ...Object.fromEntries(modelFormats.map((format) => [format, publishesThroughModelFormatScenario(format)])),
    'a broken link': fixesBrokenLinkScenario,
    'active content': takesBackActiveContentScenario,
    approval: holdsForApprovalScenario,
    conflicts: resolvesConflictsScenario,
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
    run.log(`${name.padEnd(20)}  ${await runScenario(scenarioRun, colophon)}`)
  }
}
