/** Replays recorded histories. A workflow that no longer matches them would block jobs that run during an upgrade forever. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import proto from '@temporalio/proto'
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker'
import { beforeAll, expect, test } from 'vitest'
import { readReleases } from '../../../release/releases.ts'
import { getWorkflowBundle } from '../main/processes/workflow-bundle.ts'

const { History } = proto.temporal.api.history.v1
const directory = join(import.meta.dirname, 'histories')
const files = readdirSync(directory, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.json'))
let workflowBundle: { codePath: string }

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') })
  workflowBundle = await getWorkflowBundle()
}, 60_000)

test.each(readReleases(join(import.meta.dirname, '../../..')))('histories of $version are recorded', ({ version }) => {
  expect(files.filter((file) => dirname(file) === version).length).toBeGreaterThanOrEqual(7)
})

test.each(files)('replays %s', async (file) => {
  const plain = JSON.parse(readFileSync(join(directory, file), 'utf8'))
  await Worker.runReplayHistory({ workflowBundle }, History.fromObject(plain))
})
