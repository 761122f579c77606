/** Test runners in a process of their own, so that they can be killed. Says on its output how many turns it has in hand. */
import { giteaGit, handingBack, scriptedWork } from './scripted-work.ts'
import { startTestRunner } from './test-runner.ts'

export interface TestRunnerSettings {
  /** One turn at a time for each of them. */
  gatewayUrls: readonly string[]
  token: string
  gitea: { url: string; adminName: string; adminToken: string }
}

const settings = JSON.parse(process.env.TEST_RUNNER ?? '{}') as TestRunnerSettings
const work = handingBack(scriptedWork(giteaGit(settings.gitea)))
let turnsInHand = 0
const tell = () => process.stdout.write(`${turnsInHand}\n`)

for (const gatewayUrl of settings.gatewayUrls) {
  startTestRunner(gatewayUrl, settings.token, async (turn, stopped) => {
    turnsInHand++
    tell()
    try {
      return await work(turn, stopped)
    } finally {
      turnsInHand--
      tell()
    }
  })
}
tell()
