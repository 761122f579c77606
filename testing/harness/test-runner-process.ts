/**
 * Test runners in their own process, so that they can be killed. The process prints its number of active turns at every change.
 */
import { createGiteaRemoteResolver, createPromptScriptExecutor, releaseAttemptOnError } from './scripted-work.ts'
import { startTestRunner } from './test-runner.ts'

export interface TestRunnerSettings {
  /** One runner for each, with one turn at a time. */
  gatewayUrls: readonly string[]
  token: string
  name?: string
  gitea: { url: string; adminName: string; adminToken: string }
}

const settings = JSON.parse(process.env.TEST_RUNNER ?? '{}') as TestRunnerSettings
const work = releaseAttemptOnError(createPromptScriptExecutor(createGiteaRemoteResolver(settings.gitea), settings.name))
let activeTurns = 0
const printActiveTurns = () => process.stdout.write(`${activeTurns}\n`)

for (const gatewayUrl of settings.gatewayUrls) {
  startTestRunner(gatewayUrl, settings.token, async (turn, stopped) => {
    activeTurns++
    printActiveTurns()
    try {
      return await work(turn, stopped)
    } finally {
      activeTurns--
      printActiveTurns()
    }
  })
}
printActiveTurns()
